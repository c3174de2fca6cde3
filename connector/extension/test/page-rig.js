// Opens a page of the extension in jsdom, with the scripted background.
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
  "HTMLFormElement", "HTMLDetailsElement", "HTMLTextAreaElement", "HTMLProgressElement"];

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
  /** @type {any} */ (globalThis).chrome = forwarded;
  t.after(async () => {
    await settle();
    window.close();
    for (const [name, was] of there) {
      if (was) Object.defineProperty(globalThis, name, was);
      else delete (/** @type {any} */ (globalThis)[name]);
    }
  });
  await import(`../source/pages/${page}.js?${opened++}`);
  await settle();
  const find = (/** @type {string} */ selector) => {
    const element = window.document.querySelector(selector);
    if (!element) throw new Error(`nothing is ${selector}`);
    return /** @type {any} */ (element);
  };
  return {
    rig,
    document: window.document,
    find,
    /** What an element says. @param {string} selector */
    words: (selector) => find(selector).textContent.trim().replace(/\s+/g, " "),
    /** What the live region says. */
    said: () => find("#said").textContent,
    /** @param {string} selector @param {string} value */
    type(selector, value) {
      const field = find(selector);
      field.value = value;
      field.dispatchEvent(new window.Event("input", { bubbles: true }));
    },
    /** @param {string} selector */
    async click(selector) {
      find(selector).click();
      await settle();
    },
    /** @param {string} selector @param {string} key */
    async press(selector, key) {
      find(selector).dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      await settle();
    },
  };
}
