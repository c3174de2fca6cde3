// A real Chromium with the unpacked extension. It has the same methods as
// Firefox in firefox.js, so that a scenario runs in both.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { folder } from "./household.js";
import { until } from "./until.js";

export const CHROMIUM = process.env.FILMSPOOL_CHROMIUM ?? "/usr/bin/chromium";

/** The expression that calls a function, for pages whose policy forbids eval. @param {Function} fn @param {unknown[]} args */
const call = (fn, args) => `(${fn})(...${JSON.stringify(args)})`;

/** As Chromium names it: by the manifest's key, else by the folder. @param {string} dir */
function idOf(dir) {
  const { key } = JSON.parse(fs.readFileSync(path.join(dir, "manifest.json"), "utf8"));
  const digest = createHash("sha256").update(key ? Buffer.from(key, "base64") : dir).digest("hex");
  return [...digest.slice(0, 32)].map((digit) => String.fromCharCode(97 + parseInt(digit, 16))).join("");
}

export class Tab {
  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {string} address */
  async goto(address) {
    await this.page.goto(address);
  }

  /** Calls the function in the page, or in the frame whose address has the text. @param {Function} fn @param {...unknown} args */
  run(fn, ...args) {
    return this.page.evaluate(call(fn, args));
  }

  /** @param {string} part of the frame's address @param {Function} fn @param {...unknown} args */
  async runIn(part, fn, ...args) {
    const frame = await until(`a frame ${part}`, () => this.page.frames().find((one) => one.url().includes(part)));
    return frame.evaluate(call(fn, args));
  }

  /** Types with the keyboard. @param {string} selector @param {string} text */
  async type(selector, text) {
    const field = this.page.locator(selector);
    await field.fill("");
    await field.pressSequentially(text);
  }

  /** Keys on the keyboard, wherever the focus is. @param {...("Tab" | "Enter" | "Space")} keys */
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Writes into what has the focus. @param {string} text */
  async write(text) {
    await this.page.keyboard.type(text);
  }

  /** @param {string} selector */
  async click(selector) {
    await this.page.locator(selector).click();
  }

  /** Comes before all other tabs, so that a person sees it. */
  async front() {
    await this.page.bringToFront();
  }

  /**
   * Milliseconds that scripts of that origin work in the page meanwhile.
   * @param {string} origin @param {() => Promise<unknown>} meanwhile
   */
  async worked(origin, meanwhile) {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send("Profiler.enable");
    await session.send("Profiler.setSamplingInterval", { interval: 100 });
    await session.send("Profiler.start");
    await meanwhile();
    const { nodes, samples = [], timeDeltas = [] } = (await session.send("Profiler.stop")).profile;
    await session.detach();
    const ours = new Set(nodes.filter(({ callFrame }) => callFrame.url.startsWith(origin)).map(({ id }) => id));
    return samples.reduce((sum, id, i) => sum + (ours.has(id) ? timeDeltas[i + 1] ?? 0 : 0), 0) / 1000;
  }

  /** Bytes that scripts of the page hold, those of extensions among them. */
  async heap() {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    await session.detach();
    return usedSize;
  }

  async close() {
    await this.page.close();
  }
}

export class Chromium {
  name = "chromium";
  #folder = folder("chromium");
  /** @type {string[]} what pages and workers of the extension have complained of */ errors = [];

  /** @param {{extensions: string[], names?: string[], args?: string[], trustAll?: boolean}} options; names lead to this machine */
  constructor(options) {
    this.options = options;
  }

  async open() {
    const { extensions, names = [], args = [] } = this.options;
    this.context = await chromium.launchPersistentContext(this.#folder.dir, {
      executablePath: CHROMIUM, headless: true, chromiumSandbox: process.getuid?.() !== 0, ignoreHTTPSErrors: true,
      ignoreDefaultArgs: ["--disable-extensions"],
      args: [
        `--disable-extensions-except=${extensions.join(",")}`, `--load-extension=${extensions.join(",")}`,
        `--host-resolver-rules=${names.map((name) => `MAP ${name} 127.0.0.1`).join(",")}`,
        "--autoplay-policy=no-user-gesture-required", ...args,
      ],
    });
    this.context.on("weberror", (error) => this.errors.push(String(error.error())));
    this.context.on("console", (message) => message.type() === "error" && this.errors.push(`${message.page()?.url()}: ${message.text()}`));
    await until("the extensions run", () => this.workers().length >= extensions.length);
  }

  workers() {
    return this.context?.serviceWorkers() ?? [];
  }

  /** The origin of the extension in that folder. @param {string} dir */
  origin(dir) {
    return `chrome-extension://${idOf(dir)}`;
  }

  /** @param {string} address */
  async tab(address) {
    const page = await this.#context().newPage();
    await page.goto(address);
    return new Tab(page);
  }

  /** A tab that the extension has opened by itself. @param {string} address */
  async opened(address) {
    const page = await until(`the extension opens ${address}`, () => this.#context().pages().find((one) => one.url() === address));
    await page.waitForLoadState();
    return new Tab(page);
  }

  /** Opens an address behind the tab that is in front. @param {Tab} front @param {string} address */
  async behind(front, address) {
    await front.page.bringToFront();
    const opened = this.#context().waitForEvent("page", (page) => page.url() === address);
    const session = await this.#context().newCDPSession(front.page);
    await session.send("Target.createTarget", { url: address, background: true });
    const page = await opened;
    await page.waitForLoadState();
    return new Tab(page);
  }

  /** What a user's click on "Allow" would grant: headless browsers show no such question. @param {string} dir @param {string[]} patterns */
  async allow(dir, patterns) {
    const id = idOf(dir);
    const tab = await this.tab(`chrome://extensions/?id=${id}`);
    for (const pattern of patterns) {
      await tab.run((/** @type {string} */ id, /** @type {string} */ pattern) =>
        // @ts-expect-error only that page has it
        new Promise((done) => chrome.developerPrivate.addHostPermission(id, pattern, done)), id, pattern);
    }
    await tab.close();
  }

  /** Ends the background at once, wherever it is. @param {Tab} tab a page of the extension */
  async endBackground(tab) {
    const session = await this.#context().newCDPSession(tab.page);
    let running = "";
    session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => (running = versions.at(-1)?.runningStatus ?? running));
    await session.send("ServiceWorker.enable");
    await until("the worker runs", () => running === "running");
    await session.send("ServiceWorker.stopAllWorkers");
    await until("the worker has stopped", () => running === "stopped");
    await session.detach();
  }

  /** Dies as by kill -9, and comes back with the same profile. */
  async crash() {
    for (const process_ of await this.processes("browser")) {
      process.kill(process_.id, "SIGKILL");
    }
    await this.context?.close().catch(() => {}); // it is gone already
    await this.open();
  }

  /** The browser's processes of that type. @param {string} [type] */
  async processes(type) {
    const session = await /** @type {import("playwright-core").Browser} */ (this.#context().browser()).newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    return processInfo.filter((one) => !type || one.type === type);
  }

  #context() {
    return /** @type {import("playwright-core").BrowserContext} */ (this.context);
  }

  async close() {
    await this.context?.close();
    this.#folder.remove();
  }
}
