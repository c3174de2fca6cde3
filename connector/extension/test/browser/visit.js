// One browser with the extension, one household, and what a user does with
// them.
import assert from "node:assert/strict";
import path from "node:path";
import { play, RULE } from "./films.js";
import { coverage } from "../../source/pages/coverage.js";
import { folder, Household } from "./household.js";
import { Pages } from "./pages.js";
import { until } from "./until.js";

export const SOURCE = path.resolve(import.meta.dirname, "../../source");
const NAMES = ["films.example", "player.example", "embed.example", "other.example"];

export class Visit {
  pages = new Pages();
  #folder = folder("pages");
  #guest;
  /** The records that there must be: of which film, and when. @type {Map<number, number>} */ expected = new Map();

  /** @param {any} Browser @param {{home?: Household}} [options] home: that of another visit */
  constructor(Browser, { home, ...options } = {}) {
    this.home = home ?? new Household();
    this.#guest = home !== undefined;
    this.browser = new Browser({ extensions: [SOURCE], names: NAMES, ...options });
  }

  async open() {
    if (!this.#guest) await this.home.open();
    await this.pages.open(this.#folder.dir);
    await this.browser.open();
    this.options = await this.browser.opened(this.#optionsPage());
    await until("the extension answers", () => this.state());
    await this.settle({ address: this.home.address }); // as if it were the usual one
  }

  /** Starts the daemon where an earlier scenario has failed with it stopped. */
  async ready() {
    if (!this.home.running) {
      await this.home.start();
    }
  }

  #optionsPage() {
    return `${this.browser.origin(SOURCE)}/pages/options.html`;
  }

  /** Asks the background as the extension's own pages do. @param {Record<string, unknown>} message */
  async ask(message) {
    return this.options.run((/** @type {any} */ message) => {
      const api = /** @type {any} */ (globalThis).browser ?? chrome;
      return api.runtime.sendMessage(message);
    }, message);
  }

  state() {
    return this.ask({ kind: "state" });
  }

  /** @param {string} wanted */
  async linkIs(wanted) {
    await until(`the link is ${wanted}`, async () => (await this.state()).link.state === wanted);
  }

  badge() {
    return this.options.run(() => {
      const api = /** @type {any} */ (globalThis).browser ?? chrome;
      return api.action.getBadgeText({});
    });
  }

  /** Small thresholds, and whatever else. @param {object} [more] */
  async settle(more = {}) {
    const { settings } = await this.state();
    const answer = await this.ask({ kind: "settings", settings: { ...settings, rule: RULE, ...more } });
    assert.equal(answer.ok, true, JSON.stringify(answer));
  }

  /** Types a code into the options page, and nothing else. @param {string} code */
  async typePairing(code) {
    await until("the form is there", () => this.options.run((/** @type {string} */ address) => document.querySelector("#link[data-ready]") && /** @type {HTMLDetailsElement} */ (document.getElementById("pair")).open
      && /** @type {HTMLInputElement} */ (document.getElementById("pair-address")).value === address, this.home.address));
    await this.options.type("#pair-code", code);
    await this.options.click('#pair-form button[type="submit"]');
    await until("the form is done", () => this.options.run(() => {
      const form = /** @type {HTMLFormElement} */ (document.getElementById("pair-form"));
      const fault = form.querySelector("[aria-invalid]:not(#pair-code)");
      if (fault) throw new Error(`not taken: ${fault.id} "${/** @type {HTMLInputElement} */ (fault).value}"`);
      if (form.hasAttribute("aria-busy")) throw new Error("it is busy");
      const code = /** @type {HTMLInputElement} */ (document.getElementById("pair-code"));
      return code.value === "" || code.hasAttribute("aria-invalid");
    }));
  }

  /** What the options page says is wrong with the code; empty when nothing is. */
  told() {
    return this.options.run(() => {
      const place = document.getElementById("pair-code-fault");
      return place?.hidden ? "" : place?.textContent;
    });
  }

  /** Allows sites on the options page. @param {string[]} sites */
  async allow(...sites) {
    for (const site of sites) {
      await this.browser.allow(SOURCE, coverage(site) ?? []);
      await this.options.type("#site", site);
      await this.options.click('#site-form button[type="submit"]');
      await until(`${site} is allowed`, () => this.options.run(() => /** @type {HTMLInputElement} */ (document.getElementById("site")).value === ""));
    }
  }

  /** The sites of the scenarios; "other.example" is not among them. */
  async allowSites() {
    await this.allow("http://films.example", "http://player.example");
    await this.settle();
  }

  /** Plays a film to its end and closes the page. @param {string} where @param {import("./films.js").Film} film @param {string} [frame] where its player is */
  async watch(where, film, frame) {
    const tab = await this.browser.tab(where);
    const passed = await (frame ? tab.runIn(frame, play) : tab.run(play));
    this.expected.set(film.tmdb, passed);
    return tab;
  }

  /** Waits until exactly the expected records are there, each once, at its time. @param {number} [limit] */
  async allArrived(limit = 20_000) {
    const expected = new Map(this.expected);
    try {
      await until("everything has left the extension", async () => (await this.state()).outbox.waiting === 0, limit);
      await until("everything has arrived", async () => (await this.home.records()).history.length >= expected.size, limit);
      await this.home.settled();
      await this.#rightly(expected);
    } catch (error) {
      await this.#forget();
      throw new Error(`${error}\n${await this.#situation(expected)}`, { cause: error });
    }
  }

  /** Takes what is there for right, so that the next scenario is judged by what it does itself. */
  async #forget() {
    this.expected.clear();
    for (const { tmdbId, watchedAt } of (await this.home.records()).history) {
      this.expected.set(tmdbId, Date.parse(watchedAt));
    }
  }

  /** Tells the situation with the error, should there be one. @template T @param {Promise<T>} waiting */
  async helped(waiting) {
    try {
      return await waiting;
    } catch (error) {
      throw new Error(`${error}\n${await this.#situation(this.expected)}`, { cause: error });
    }
  }

  /** Each once in the records and in the queue, at its time. @param {Map<number, number>} expected */
  async #rightly(expected) {
    const { history } = await this.home.records();
    assert.deepEqual(history.map(({ tmdbId }) => tmdbId).sort(), [...expected.keys()].sort());
    for (const { tmdbId, watchedAt } of history) {
      const late = Date.parse(watchedAt) - /** @type {number} */ (expected.get(tmdbId));
      assert.ok(Math.abs(late) < 2000, `${watchedAt} is ${late} ms late`);
    }
    const viewings = this.home.queue().filter(({ kind }) => kind === "viewing");
    assert.equal(viewings.length, expected.size);
  }

  /** Everything that helps to understand what has not arrived. @param {Map<number, number>} expected */
  async #situation(expected) {
    const { link, outbox, sites } = await this.state();
    const { history } = await this.home.records();
    const queue = this.home.queue().filter(({ kind }) => kind === "viewing");
    return JSON.stringify({ expected: [...expected.keys()], history: history.map(({ tmdbId }) => tmdbId), link, outbox, sites,
      queue: queue.map(({ state, reason, media }) => ({ state, reason, media })), errors: this.browser.errors.slice(-20) }, null, 1);
  }

  /** The popup, with that tab in front. @param {any} front */
  async popup(front) {
    const popup = await this.browser.behind(front, `${this.browser.origin(SOURCE)}/pages/popup.html`);
    await until("the popup is ready", () => popup.run(() => document.getElementById("link")?.hasAttribute("data-ready")));
    return popup;
  }

  /** The browser is killed and comes back. */
  async crash() {
    await this.browser.crash();
    this.options = await until("the options page opens", () => this.browser.tab(this.#optionsPage()));
  }

  async close() {
    try {
      await this.browser.close();
    } finally {
      if (!this.#guest) await this.home.close();
      await this.pages.close();
      this.#folder.remove();
    }
  }
}
