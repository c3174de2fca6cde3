// Opens a page of the extension in jsdom, with a browser and a background that answer as the test says.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { JSDOM } from "jsdom";

/**
 * @typedef {object} Script
 * @property {any} state the answer to {kind: "state"}
 * @property {any} [now] the answer of the tab in front to {kind: "now"}; absent: no content script is there
 * @property {any} [tab] the tab in front
 * @property {string[]} [granted] origins
 * @property {boolean} [grants] what the user answers when asked for a site
 * @property {any} [identified] what a session is
 * @property {any} [seen] the name by which a session was seen
 * @property {any[]} [outlooks] what the frames of the tab in front report when nothing counts there
 * @property {boolean} [firefox] it is Firefox
 * @property {Record<string, any>} [answers] by kind; {ok: true} otherwise
 */

const source = path.join(import.meta.dirname, "../source");

/** @param {string} language */
export const texts = (language) => JSON.parse(fs.readFileSync(path.join(source, "_locales", language, "messages.json"), "utf8"));

/** @param {Record<string, any>} messages @param {Script} script */
function fakeApi(messages, script) {
  const listeners = [];
  const calls = [];
  const getMessage = (/** @type {string} */ key, /** @type {string[]} */ values = []) =>
    (messages[key]?.message ?? "").replace(/\$(\w+)\$/g, (/** @type {string} */ _, /** @type {string} */ name) => {
      const { content } = messages[key].placeholders[name.toLowerCase()];
      return values[Number(content.slice(1)) - 1];
    });
  const background = async (/** @type {any} */ message) => {
    calls.push(structuredClone(message));
    const { state, identified = null, seen } = script;
    if (message.kind === "state") return structuredClone(state);
    if (message.kind === "session") return { record: true, rule: state.settings.rule, identified, certain: identified !== null, seen };
    const answer = script.answers?.[message.kind] ?? (message.kind === "watched" ? { kept: true } : { ok: true });
    if (message.kind === "settings" && answer.ok) state.settings = structuredClone(message.settings);
    return answer;
  };
  return {
    script,
    /** The background reports that the state has changed. */
    change() {
      for (const listener of listeners) listener({ kind: "changed" });
    },
    /** The calls of one kind. @param {string} kind */
    asked: (kind) => calls.filter((call) => call.kind === kind),
    api: {
      i18n: { getMessage },
      runtime: {
        sendMessage: background,
        onMessage: { addListener: (/** @type {(message: any) => void} */ listener) => void listeners.push(listener) },
        getManifest: () => ({ version: "0.1.0" }),
        getURL: (/** @type {string} */ name) => `${script.firefox ? "moz" : "chrome"}-extension://filmspool/${name}`,
      },
      tabs: {
        query: async () => [script.tab ?? {}],
        create: async (/** @type {any} */ how) => void calls.push({ kind: "create", ...how }),
        sendMessage: async () => {
          if (script.now === undefined) throw new Error("Could not establish connection. Receiving end does not exist.");
          return structuredClone(script.now);
        },
      },
      scripting: {
        executeScript: async () => (script.outlooks ?? []).map((result) => ({ result })),
      },
      permissions: {
        contains: async (/** @type {{origins: string[]}} */ { origins }) => origins.every((origin) => script.granted?.includes(origin)),
        request: async (/** @type {{origins: string[]}} */ { origins }) => {
          calls.push({ kind: "permissions.request", origins });
          return script.grants ?? true;
        },
      },
    },
  };
}

/**
 * A state in which all is well, changed by what is given.
 * @param {{link?: any, daemon?: any, outbox?: any, sites?: any}} [change]
 */
export function stateWith({ link, daemon, outbox, sites } = {}) {
  const threshold = { played: 0.5, position: 0.8, minimum: 300 };
  return {
    link: { state: "connected", daemonVersion: "0.4.0", pairedLabel: "Firefox at home", address: "127.0.0.1:43456", ...link },
    daemon: { online: true, pending: 0, attention: 0, lastDelivered: "2026-11-20T20:15:00Z", problems: [], page: "", ...daemon },
    outbox: { waiting: 0, full: false, rejected: [], ...outbox },
    settings: { address: "127.0.0.1:43456", rule: { movie: threshold, episode: threshold, last: 0 }, pausedUntil: 0, private: false },
    sites: sites ?? [{ origin: "https://films.example/*", granted: true }],
    paused: false,
  };
}

let rig;
let opened = 0;

// The modules of the pages take the interface once; each page has its own.
const forwarded = new Proxy({}, { get: (_, name) => /** @type {any} */ (rig.api)[name] });

/** The globals that the pages use. */
const GLOBALS = ["window", "document", "location", "history", "navigator", "setInterval", "HTMLElement", "HTMLInputElement", "HTMLButtonElement",
  "HTMLFormElement", "HTMLDetailsElement", "HTMLProgressElement", "HTMLAnchorElement"];

/** Lets all promises that are under way come to their end. */
export async function settle() {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * @param {import("node:test").TestContext} t
 * @param {"popup" | "options"} page
 * @param {Script} script
 * @param {{language?: string, hash?: string}} [how]
 */
export async function open(t, page, script, { language = "en", hash = "" } = {}) {
  const html = fs.readFileSync(path.join(source, "pages", `${page}.html`), "utf8");
  const { window } = new JSDOM(html, { url: `https://extension.example/pages/${page}.html${hash}`, pretendToBeVisual: true });
  const there = GLOBALS.map((name) => /** @type {const} */ ([name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  rig = fakeApi(texts(language), script);
  window.HTMLElement.prototype.scrollIntoView = () => {};
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
  return {
    rig, document, named, get,
    /** All that is to be seen, in one line. */
    shown() {
      const walker = document.createTreeWalker(document.body, window.NodeFilter.SHOW_TEXT);
      const texts = [];
      while (walker.nextNode()) if (seen(walker.currentNode.parentElement)) texts.push(walker.currentNode.textContent);
      return plain(texts.join(""));
    },
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
  };
}
