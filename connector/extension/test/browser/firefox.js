// A real Firefox with the unpacked extension, driven by WebDriver BiDi. It has
// the same methods as Chromium in chromium.js.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { BiDi } from "./bidi.js";
import { folder } from "./household.js";
import { until } from "./until.js";

export const FIREFOX = process.env.FILMSPOOL_FIREFOX ?? "/usr/bin/firefox-esr";

/** Every origin of an extension is this one with another last digit. */
const UUID = "11111111-2222-4333-8444-55555555555";

/** @param {string} dir */
const idOf = (dir) => JSON.parse(fs.readFileSync(path.join(dir, "manifest.json"), "utf8")).browser_specific_settings.gecko.id;

class Tab {
  /** @param {BiDi} bidi @param {string} context */
  constructor(bidi, context) {
    this.bidi = bidi;
    this.context = context;
  }

  /** @param {string} address */
  async goto(address) {
    await this.bidi.send("browsingContext.navigate", { context: this.context, url: address, wait: "complete" });
  }

  /** @param {Function} fn @param {...unknown} args */
  run(fn, ...args) {
    return this.#call(this.context, fn, args);
  }

  /** @param {string} part of the frame's address @param {Function} fn @param {...unknown} args */
  async runIn(part, fn, ...args) {
    const frame = await until(`a frame ${part}`, async () => {
      const { contexts } = await this.bidi.send("browsingContext.getTree", { root: this.context });
      return flat(contexts).find((one) => one.url.includes(part));
    });
    return this.#call(frame.context, fn, args);
  }

  async #call(/** @type {string} */ context, /** @type {Function} */ fn, /** @type {unknown[]} */ args) {
    const expression = `Promise.resolve((${fn})(...${JSON.stringify(args)})).then((value) => JSON.stringify(value ?? null))`;
    const answer = await this.bidi.send("script.evaluate", { expression, target: { context }, awaitPromise: true, userActivation: true });
    if (answer.type !== "success") {
      throw new Error(answer.exceptionDetails.text);
    }
    return JSON.parse(answer.result.value);
  }

  /** Types with the keyboard; again if keys were lost, as in a window that is just being opened. @param {string} selector @param {string} text */
  async type(selector, text) {
    await until(`${text} stands in ${selector}`, async () => {
      await this.run((/** @type {string} */ selector) => {
        const field = /** @type {HTMLInputElement} */ (document.querySelector(selector));
        field.focus();
        field.select();
      }, selector);
      await this.#keys(["\uE017", ...text]); // first: Delete
      return this.run((/** @type {string} */ selector, /** @type {string} */ text) => /** @type {HTMLInputElement} */ (document.querySelector(selector)).value === text, selector, text);
    });
  }

  /** Keys on the keyboard, wherever the focus is. @param {...("Tab" | "Enter" | "Space")} keys */
  async press(...keys) {
    await this.#keys(keys.map((key) => ({ Tab: "\uE004", Enter: "\uE007", Space: " " })[key]));
  }

  /** Writes into what has the focus. @param {string} text */
  async write(text) {
    await this.#keys([...text]);
  }

  async #keys(/** @type {string[]} */ values) {
    const actions = values.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    await this.bidi.send("input.performActions", { context: this.context, actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** Clicks with the mouse; again if the page moved under it. @param {string} selector */
  async click(selector) {
    await until(`${selector} is clicked`, async () => {
      const element = await this.#visible(selector);
      if (!element) return false;
      await this.run((/** @type {string} */ selector) => {
        const page = /** @type {any} */ (globalThis);
        page.clickArrived = false;
        document.querySelector(selector)?.addEventListener("click", () => { page.clickArrived = true; }, { capture: true, once: true });
      }, selector);
      const origin = { type: "element", element };
      const actions = [{ type: "pointerMove", x: 0, y: 0, origin }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
      await this.bidi.send("input.performActions", { context: this.context, actions: [{ type: "pointer", id: "mouse", actions }] });
      return this.run(() => /** @type {any} */ (globalThis).clickArrived !== false).catch(() => true); // the click may have led to another page, or closed this one
    });
  }

  /** The element, scrolled into view; nothing while it cannot be clicked. */
  async #visible(/** @type {string} */ selector) {
    const ready = await this.run((/** @type {string} */ selector) => {
      const element = /** @type {HTMLButtonElement | null} */ (document.querySelector(selector));
      element?.scrollIntoView({ block: "center" });
      return Boolean(element && !element.disabled && element.getClientRects().length);
    }, selector);
    const { nodes } = await this.bidi.send("browsingContext.locateNodes", { context: this.context, locator: { type: "css", value: selector }, maxNodeCount: 1 });
    return ready && nodes[0] && { sharedId: nodes[0].sharedId };
  }

  /** Comes before all other tabs, so that a person sees it. */
  async front() {
    await this.bidi.send("browsingContext.activate", { context: this.context });
  }

  async close() {
    await this.bidi.send("browsingContext.close", { context: this.context });
  }
}

/** @param {any[]} contexts @returns {any[]} them and all within them */
const flat = (contexts) => contexts.flatMap((one) => [one, ...flat(one.children ?? [])]);

export class Firefox {
  name = "firefox";
  #folder = folder("firefox");
  #log = "";
  /** @type {string[]} */ errors = [];

  /** @param {{extensions: string[], names?: string[], prefs?: Record<string, unknown>}} options; names lead to this machine */
  constructor(options) {
    this.options = options;
    const uuids = Object.fromEntries(options.extensions.map((dir, i) => [idOf(dir), UUID + i]));
    const prefs = {
      "extensions.webextensions.uuids": JSON.stringify(uuids),
      "extensions.webextOptionalPermissionPrompts": false, // as if the user said yes
      "network.dns.localDomains": (options.names ?? []).join(","),
      "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0, "media.block-autoplay-until-in-foreground": false,
      "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false,
      "dom.security.https_first": false,
      ...options.prefs,
    };
    const lines = Object.entries(prefs).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`);
    fs.writeFileSync(path.join(this.#folder.dir, "user.js"), lines.join(""));
  }

  async open() {
    const dir = this.#folder.dir;
    this.process = spawn(FIREFOX, ["--headless", "--no-remote", "--profile", dir, "--remote-debugging-port=0", "--remote-allow-system-access"],
      { env: { ...process.env, HOME: dir, MOZ_HEADLESS: "1" }, stdio: ["ignore", "ignore", "pipe"] });
    this.ended = once(this.process, "exit");
    const address = await Promise.race([this.#address(), this.ended.then(() => Promise.reject(new Error(`firefox did not start: ${this.#log}`)))]);
    this.bidi = new BiDi();
    await this.bidi.open(`${address}/session`);
    await this.bidi.send("session.new", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
    this.bidi.on("log.entryAdded", (entry) => entry.level === "error" && this.errors.push(`${entry.source?.context}: ${entry.text}`));
    await this.bidi.send("session.subscribe", { events: ["log.entryAdded"] });
    for (const extension of this.options.extensions) {
      await this.bidi.send("webExtension.install", { extensionData: { type: "path", path: extension } });
    }
  }

  async #address() {
    const lines = createInterface(/** @type {import("node:stream").Readable} */ (this.process?.stderr));
    return new Promise((done) => lines.on("line", (line) => {
      this.#log += `${line}\n`;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(line);
      if (found) {
        done(found[1]);
      }
    }));
  }

  /** The origin of the extension in that folder. @param {string} dir */
  origin(dir) {
    return `moz-extension://${UUID}${this.options.extensions.indexOf(dir)}`;
  }

  #bidi() {
    return /** @type {BiDi} */ (this.bidi);
  }

  async #open(/** @type {boolean} */ background, /** @type {string} */ address) {
    const { context } = await this.#bidi().send("browsingContext.create", { type: "tab", background });
    const tab = new Tab(this.#bidi(), context);
    await tab.goto(address);
    return tab;
  }

  /** @param {string} address */
  tab(address) {
    return this.#open(false, address);
  }

  /** A tab that the extension has opened by itself. @param {string} address */
  async opened(address) {
    const { context } = await until(`the extension opens ${address}`, async () => {
      const { contexts } = await this.#bidi().send("browsingContext.getTree", { maxDepth: 0 });
      return contexts.find((/** @type {{url: string}} */ one) => one.url === address);
    });
    const tab = new Tab(this.#bidi(), context);
    await until("it has loaded", () => tab.run(() => document.readyState === "complete"));
    return tab;
  }

  /** Opens an address behind the tab that is in front. @param {Tab} front @param {string} address */
  async behind(front, address) {
    await this.#bidi().send("browsingContext.activate", { context: front.context });
    return this.#open(true, address);
  }

  /** Nothing to do: a preference says yes to all questions for permission. */
  async allow() {}

  /** Dies as by kill -9, and comes back with the same profile. */
  async crash() {
    this.process?.kill("SIGKILL");
    await this.ended;
    await this.open();
  }

  /** The process that owns all others. */
  async processes() {
    return [{ id: /** @type {number} */ (this.process?.pid), type: "browser" }];
  }

  async close() {
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      await this.bidi?.send("browser.close").catch(() => this.process?.kill("SIGKILL"));
      await this.ended;
    }
    this.#folder.remove();
  }
}
