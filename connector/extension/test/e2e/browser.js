// A real Chromium or Firefox with the extension, and what a person does in it.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import puppeteer from "puppeteer-core";
import { coverage } from "../../source/pages/sites.js";
import { closing, eventually, Filmspool, site } from "./fixture.js";
import { play } from "./films.js";

const SOURCE = path.join(import.meta.dirname, "../../source");
const ADDON = JSON.parse(fs.readFileSync(path.join(SOURCE, "manifest.json"), "utf8")).browser_specific_settings.gecko.id;
const UUID = "11111111-2222-4333-8444-555555555555";

/** Of a clip of five minutes: 15 seconds are played in earnest, and four minutes are reached. */
const threshold = { played: 0.05, position: 0.8, minimum: 60 };
const RULE = { movie: threshold, episode: threshold, last: 0 };

/** @typedef {import("node:test").TestContext} Test */

/** A browser with a profile of its own. Names that end in .example lead to this machine. @param {Test} t */
export async function chromium(t) {
  const launched = puppeteer.launch({
    executablePath: process.env.FILMSPOOL_CHROMIUM ?? "/usr/bin/chromium", pipe: true, enableExtensions: true, protocolTimeout: 120_000, timeout: 120_000,
    args: ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--lang=en",
      "--autoplay-policy=no-user-gesture-required", "--host-resolver-rules=MAP *.example 127.0.0.1", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });
  closing(t, async () => (await launched).close());
  return launched;
}

/** The same with Firefox. A background without work is suspended after one second. @param {Test} t */
export async function firefox(t) {
  const launched = puppeteer.launch({
    browser: "firefox", executablePath: process.env.FILMSPOOL_FIREFOX ?? "/usr/bin/firefox-esr", protocolTimeout: 120_000, timeout: 120_000,
    args: ["--remote-allow-system-access"],
    extraPrefsFirefox: {
      "extensions.webextensions.uuids": JSON.stringify({ [ADDON]: UUID }),
      "extensions.webextOptionalPermissionPrompts": false, // as if the person said yes
      "extensions.background.idle.timeout": 1000,
      "network.dns.localDomains": "films.example,player.example", "dom.security.https_first": false,
      "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0, "media.block-autoplay-until-in-foreground": false,
      "intl.accept_languages": "en",
    },
  });
  closing(t, async () => (await launched).close());
  return launched;
}

/**
 * A person with a browser, the extension in it, and Filmspool.
 * @param {Test} t
 * @param {{on?: "chromium" | "firefox", paired?: boolean, sites?: string[], tmdb?: string}} [options] sites: which are allowed
 */
export async function visit(t, { on = "chromium", paired = true, sites = ["http://films.example"], tmdb = "" } = {}) {
  const [home, put, browser] = await Promise.all([Filmspool.start(t, { tmdb }), site(t), on === "firefox" ? firefox(t) : chromium(t)]);
  const id = await browser.installExtension(SOURCE);
  const person = new Person(home, put, browser, on === "firefox" ? `moz-extension://${UUID}` : `chrome-extension://${id}`);
  await person.begin(paired ? sites : []);
  if (paired) await person.pair();
  return person;
}

export class Person {
  /** @type {import("puppeteer-core").Page} the extension's options, which open when it is installed */ options = undefined;

  /** @param {Filmspool} home @param {Awaited<ReturnType<typeof site>>} put @param {import("puppeteer-core").Browser} browser @param {string} origin of the extension */
  constructor(home, put, browser, origin) {
    this.home = home;
    this.put = put;
    this.browser = browser;
    this.origin = origin;
  }

  /** @param {string[]} sites */
  async begin(sites) {
    await eventually("the options open by themselves", async () => {
      for (const page of await this.browser.pages()) if (await whereIs(page) === `${this.origin}/pages/options.html`) this.options = page;
      return this.options;
    });
    await this.options.waitForSelector("#link[data-ready]");
    for (const one of sites) await this.allow(one);
    await this.set({ rule: RULE, address: this.home.address });
  }

  /** Asks the extension's background as its own pages do. @param {Record<string, unknown>} message */
  ask(message) {
    return this.options.evaluate((message) => (globalThis.browser ?? chrome).runtime.sendMessage(message), message);
  }

  state() {
    return this.ask({ kind: "state" });
  }

  /** @param {Record<string, unknown>} more settings */
  async set(more) {
    const { settings } = await this.state();
    assert.deepEqual(await this.ask({ kind: "settings", settings: { ...settings, ...more } }), { ok: true });
  }

  /** With the right code, without the form. */
  async pair() {
    assert.deepEqual(await this.ask({ kind: "pair", code: await this.home.pairingCode(), label: "", address: this.home.address }), { ok: true });
    await this.isLinked("connected");
  }

  /** Types a code into the form of the options. @param {string} code */
  async typeCode(code) {
    await this.options.bringToFront();
    await fill(this.options, "#pair-code", code);
    await this.options.click("#pair-form [type=submit]");
  }

  /** @param {string} wanted */
  isLinked(wanted) {
    return eventually(`the link is ${wanted}`, async () => (await this.state()).link, ({ state }) => state === wanted);
  }

  /** Allows a site in the options. @param {string} name */
  async allow(name) {
    const origins = coverage(name) ?? [];
    await this.agree(origins);
    await this.options.bringToFront();
    await fill(this.options, "#site", name);
    await this.options.click("#site-form [type=submit]");
    await eventually(`${name} is allowed`, async () => (await this.state()).sites, (sites) => origins.every((one) => sites.some(({ origin, granted }) => granted && origin === one)));
  }

  /** What the person will answer when the browser asks for these sites: Chromium without a window cannot ask. @param {string[]} origins */
  async agree(origins) {
    if (this.origin.startsWith("moz-")) return; // there a setting of the browser says so
    const page = await this.browser.newPage();
    const { hostname } = new URL(this.origin);
    await page.goto(`chrome://extensions/?id=${hostname}`);
    await page.evaluate((id, origins) => Promise.all(origins.map((one) => new Promise((done) => {
      globalThis.chrome.developerPrivate.addHostPermission(id, one, done);
    }))).then(() => {}), hostname, origins);
    await page.close();
  }

  /** Opens a page of which the HTML is given, or that is there. @param {string} html @param {string} [host] */
  async open(html, host) {
    const page = await this.browser.newPage();
    await page.goto(html.startsWith("http") ? html : this.put(html, host));
    return page;
  }

  /** Opens a page and plays its film to the end: it counts as watched. @param {string} html @param {string} [player] a part of the address of the frame with the player */
  async watch(html, player) {
    const page = await this.open(html);
    const frame = player ? await page.waitForFrame((one) => one.url().includes(player)) : page.mainFrame();
    await frame.evaluate(play.begin);
    await this.sees(page);
    await frame.evaluate(play.toEnd, this.rate);
    return page;
  }

  /** Firefox mutes what is faster. */
  get rate() {
    return this.origin.startsWith("moz-") ? 4 : 8;
  }

  /** Waits until the extension follows what plays there. @param {import("puppeteer-core").Page} page */
  sees(page) {
    return eventually("the extension sees the player", () => this.options.evaluate(async (url) => {
      const api = (globalThis.browser ?? chrome);
      const [tab] = (await api.tabs.query({})).filter((one) => one.url === url);
      return tab && api.tabs.sendMessage(tab.id, { kind: "now" });
    }, page.url()));
  }

  /** Presses the extension's button with that page in front. @param {import("puppeteer-core").Page} page */
  async popup(page) {
    const [extension] = (await this.browser.extensions()).values();
    const opens = this.browser.waitForTarget((one) => one.url().startsWith(`${this.origin}/pages/popup.html`), { timeout: 60_000 });
    await page.bringToFront();
    await page.triggerExtensionAction(extension);
    const popup = await (await opens).asPage();
    await popup.waitForSelector("#link[data-ready]");
    return popup;
  }

  /** Lets the alarm ring now that the extension has set for once a minute. */
  async alarm() {
    const alarms = await this.options.evaluate(async () => {
      const api = (globalThis.browser ?? chrome);
      const all = (await api.alarms.getAll()).filter(({ periodInMinutes }) => periodInMinutes === 1);
      for (const { name } of all) await api.alarms.create(name, { when: Date.now(), periodInMinutes: 1 });
      return all.length;
    });
    assert.equal(alarms, 1, "no alarm wakes the background");
  }
}

/** Signs a browser in to the daemon's pages: the address leads on to the first page. @param {import("puppeteer-core").Page} page @param {Filmspool} home */
export async function signIn(page, home) {
  const address = await home.ticket();
  await page.goto(address);
  await eventually("the browser is signed in", () => whereIs(page), (where) => where && new URL(where).pathname !== "/in");
  await page.waitForSelector("nav a");
  return address;
}

/** The address of a page, asked of itself: Firefox does not report where pages of extensions go. "" while it is between two. @param {import("puppeteer-core").Page} page */
const whereIs = (page) => page.evaluate(() => location.href).catch((error) => {
  if (/context was destroyed|Cannot find context|no such frame|DiscardedBrowsingContext|Frame detached|detached Frame/i.test(error.message)) return "";
  throw error;
});

/** Types into a field instead of what is there. @param {import("puppeteer-core").Page} page @param {string} selector @param {string} words */
export async function fill(page, selector, words) {
  await page.$eval(selector, (field) => { field.value = ""; });
  await page.type(selector, words);
}

/** What an element says. @param {import("puppeteer-core").Page} page @param {string} [selector] @returns {Promise<string>} */
export const text = (page, selector = "body") => page.$eval(selector, (element) => element.innerText);

/** Waits for words. @param {import("puppeteer-core").Page} page @param {string} selector @param {RegExp} wanted */
export const says = (page, selector, wanted) => eventually(`${selector} says ${wanted}`, () => text(page, selector), (words) => wanted.test(words));
