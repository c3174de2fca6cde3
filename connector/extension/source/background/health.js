/**
 * Whether the rules of the sites still find what they look for. It is kept on
 * disk, since the browser may end the background at any moment.
 */
import { ruleFor } from "../sites/index.js";

/**
 * @typedef {import("../messages.js").Sitting} Sitting
 * @typedef {{held?: number, seconds: Record<string, number>, parts: string[]}} Health of one rule. held: when it last found
 *   something, in milliseconds since 1970. seconds: of film in which it found nothing since then, by sitting. parts: those
 *   that found nothing.
 */

/** Played seconds without a word until it is told. */
const ENOUGH = 600;
/** Seconds; what is shorter may be a trailer, or some other video where the address is no player's. */
const LEAST = 300;
const LEAST_ELSEWHERE = 1200;
/** Milliseconds. A series that plays on by itself shows its words once, so a rule that has found some is trusted so long. */
const TRUSTED = 12 * 3_600_000;
/** Milliseconds for which it is not noted again that a rule holds. */
const HOLDS = 3_600_000;
/** Sittings that are counted of one rule. */
const MOST = 20;

/** @param {Health | undefined} health @returns {number} seconds */
const silent = (health) => Object.values(health?.seconds ?? {}).reduce((sum, one) => sum + one, 0);

export class HealthBook {
  #database;
  #changed;
  #clock;
  /** @type {Promise<unknown>} changes happen one after the other */
  #last = Promise.resolve();

  /**
   * @param {import("./database.js").Database} database
   * @param {() => void} changed a rule begins or ceases to be lost
   * @param {() => number} [clock] milliseconds since 1970
   */
  constructor(database, changed, clock = () => Date.now()) {
    this.#database = database;
    this.#changed = changed;
    this.#clock = clock;
  }

  /** @returns {Promise<Record<string, Health>>} by the rule's name */
  async #read() {
    return (await this.#database.read("health")) ?? {};
  }

  /** @returns {Promise<Record<string, {lost?: {minutes: number, parts: string[]}, held?: string}>>} held: a day */
  async all() {
    const told = Object.entries(await this.#read()).map(([name, health]) => {
      const seconds = silent(health);
      const lost = seconds >= ENOUGH && { minutes: Math.floor(seconds / 60), parts: health.parts };
      return [name, { ...(lost && { lost }), ...(health.held && { held: new Date(health.held).toISOString().slice(0, 10) }) }];
    });
    return Object.fromEntries(told);
  }

  /**
   * Notes what the rule of a site has found of a sitting.
   * @param {Sitting} sitting
   * @param {boolean} certain it is known without the rule
   */
  async note({ id, url, frameUrl, duration, played, evidence: { site } }, certain) {
    const rule = frameUrl ? null : ruleFor(url); // a player elsewhere is not the site's page
    if (!rule) return;
    const { pathname, search, hash } = new URL(url);
    if (rule.never?.some((/** @type {string} */ path) => new RegExp(path, "u").test(`${pathname}${search}${hash}`))) return;
    const found = site?.name === rule.name && Array.isArray(site.said) && site.said.length >= Math.min(1, rule.say.length);
    if (found) return this.#holds(rule.name);
    if (certain || !(duration >= (site ? LEAST : LEAST_ELSEWHERE)) || !Number.isFinite(played)) return;
    const parts = site ? rule.say.map((/** @type {unknown} */ _, /** @type {number} */ i) => `say.${i}`) : ["watch"];
    await this.#change(rule.name, (was) => {
      if (this.#clock() - (was?.held ?? 0) < TRUSTED) return was;
      const seconds = Object.entries({ ...was?.seconds, [id]: played }).slice(-MOST);
      return { ...was, seconds: Object.fromEntries(seconds), parts };
    });
  }

  /**
   * Notes how much of a sitting was played meanwhile.
   * @param {unknown} id
   * @param {number} played seconds
   */
  async go(id, played) {
    const [name] = Object.entries(await this.#read()).find(([, { seconds }]) => Object.hasOwn(seconds, String(id))) ?? [];
    if (name === undefined || !Number.isFinite(played)) return;
    await this.#change(name, (was) => was && { ...was, seconds: { ...was.seconds, [String(id)]: played } });
  }

  /** @param {string} name */
  #holds(name) {
    return this.#change(name, (was) => {
      const known = was && silent(was) === 0 && this.#clock() - (was.held ?? 0) < HOLDS;
      return known ? was : { held: this.#clock(), seconds: {}, parts: [] };
    });
  }

  /**
   * @param {string} name
   * @param {(was: Health | undefined) => Health | undefined} change
   */
  #change(name, change) {
    const mine = this.#last.then(async () => {
      const all = await this.#read();
      const is = change(all[name]);
      if (is === all[name]) return;
      await this.#database.write("health", { ...all, [name]: is });
      if (silent(all[name]) >= ENOUGH !== silent(is) >= ENOUGH) this.#changed();
    });
    this.#last = mine.catch(() => {});
    return mine;
  }
}
