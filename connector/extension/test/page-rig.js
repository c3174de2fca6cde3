// Opens a page of the extension in jsdom, with the scripted background.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { JSDOM } from "jsdom";
import { fakeApi } from "./fake-api.js";

const source = path.join(import.meta.dirname, "../source");

/** @type {ReturnType<typeof fakeApi>} */
let rig;
let opened = 0;

// The modules of the pages take the interface once; each page has its own.
const forwarded = new Proxy({}, { get: (_, name) => /** @type {any} */ (rig.api)[name] });

/** The globals that the pages use. */
const GLOBALS = ["window", "document", "location", "history", "navigator", "setInterval", "HTMLElement", "HTMLInputElement", "HTMLButtonElement",
  "HTMLFormElement", "HTMLDetailsElement", "HTMLProgressElement", "HTMLAnchorElement"];

/** @param {string} language */
export const texts = (language) => JSON.parse(fs.readFileSync(path.join(source, "_locales", language, "messages.json"), "utf8"));

/** Lets all promises that are under way come to their end. */
export async function settle() {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * @param {import("node:test").TestContext} t
 * @param {"popup" | "options"} page
 * @param {import("./fake-api.js").Script} script
 * @param {{language?: string, hash?: string, before?: (window: any) => void}} [how]
 */
export async function open(t, page, script, { language = "en", hash = "", before = () => {} } = {}) {
  const html = fs.readFileSync(path.join(source, "pages", `${page}.html`), "utf8");
  const { window } = new JSDOM(html, { url: `https://extension.example/pages/${page}.html${hash}`, pretendToBeVisual: true });
  const there = GLOBALS.map((name) => /** @type {const} */ ([name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  rig = fakeApi(texts(language), script);
  window.HTMLElement.prototype.scrollIntoView = () => {};
  before(window);
  // A page that was opened before stops when the next one has its place.
  const setInterval = (/** @type {() => void} */ run, /** @type {number} */ beat) =>
    window.setInterval(() => void (globalThis.document === window.document && run()), beat);
  for (const name of GLOBALS) Object.defineProperty(globalThis, name, { value: name === "setInterval" ? setInterval : window[name], configurable: true, writable: true });
  const { setTimeout } = globalThis;
  globalThis.setTimeout = /** @type {any} */ ((/** @type {[() => void, number]} */ ...args) => setTimeout(...args).unref()); // the test does not wait for it
  /** @type {any} */ (globalThis).chrome = forwarded;
  t.after(async () => {
    await settle();
    globalThis.setTimeout = setTimeout;
    window.close();
    for (const [name, was] of there) {
      if (was) Object.defineProperty(globalThis, name, was);
      else delete (/** @type {any} */ (globalThis)[name]);
    }
  });
  await import(`../source/pages/${page}.js?${opened++}`);
  await settle();
  const { document } = window;
  const seen = (/** @type {any} */ element) => !element.closest("[hidden]");
  const plain = (/** @type {string | null} */ text) => (text ?? "").trim().replace(/\s+/g, " ");
  /** The element that a person sees by this name: a button or link by its text, a field by its label. @param {string} name @returns {any} */
  const named = (name) => {
    const acts = [...document.querySelectorAll("button, a, summary")].filter((one) => (one.getAttribute("aria-label") ?? plain(one.textContent)) === name);
    const labels = [...document.querySelectorAll("label")].filter((one) => plain(one.textContent) === name);
    return [...acts, ...labels.map((label) => label.control)].find((one) => one && seen(one));
  };
  /** By its name, or by a selector that begins with #. @param {string} name */
  const get = (name) => (name.startsWith("#") ? document.querySelector(name) : named(name)) ?? assert.fail(`nothing is called ${name}`);
  /** All that is to be seen, in one line. */
  const shown = () => {
    const walker = document.createTreeWalker(document.body, window.NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (seen(walker.currentNode.parentElement)) texts.push(walker.currentNode.textContent);
    return plain(texts.join(""));
  };
  return {
    rig, document, named, get, shown,
    find: (/** @type {string} */ selector) => /** @type {any} */ (document.querySelector(selector) ?? assert.fail(`nothing is ${selector}`)),
    /** @param {string} selector */
    words: (selector) => plain(document.querySelector(selector)?.textContent ?? ""),
    /** What the live region says. */
    said: () => document.querySelector("[role=status]")?.textContent ?? "",
    /** What is wrong with a field. @param {string} name */
    fault: (name) => plain(document.getElementById(`${get(name).id}-fault`)?.textContent ?? ""),
    /** @param {string} name @param {string} value */
    type(name, value) {
      const field = get(name);
      field.value = value;
      field.dispatchEvent(new window.Event("input", { bubbles: true }));
    },
    /** @param {string} name */
    async click(name) {
      get(name).click();
      await settle();
    },
    /** @param {string} name @param {string} key */
    async press(name, key) {
      get(name).dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      await settle();
    },
  };
}
