/**
 * Counts, for each site's rule, how much film was counted since the rule last
 * found anything. It is kept on disk, since the browser may end the background
 * at any moment.
 */
import { rules, ruleFor } from "../sites/index.js";

/** @typedef {{found: number, seconds: number}} Health found: when the rule last found something, in milliseconds since 1970 */

/** Seconds of film without a word until the site counts as one that cannot be read. */
const ENOUGH = 600;
/** Milliseconds. A series that plays on by itself shows its words once, so a rule that has found some is trusted so long. */
const TRUSTED = 12 * 3_600_000;
/** Sites that the daemon takes in one message. */
const MAX_SITES = 20;

export class HealthBook {
  #database;
  #changed;
  #now;

  /**
   * @param {Pick<import("./database.js").Database, "read" | "update">} database
   * @param {() => unknown} changed a site begins or ceases to be unreadable
   * @param {() => number} [now] milliseconds since 1970
   */
  constructor(database, changed, now = Date.now) {
    this.#database = database;
    this.#changed = changed;
    this.#now = now;
  }

  /** @returns {Promise<string[]>} the sites whose rules find nothing any more */
  async unread() {
    /** @type {Record<string, Health>} by the rule's name */
    const all = (await this.#database.read("health")) ?? {};
    return Object.keys(all).filter((name) => all[name].seconds >= ENOUGH && rules[name]).map((name) => rules[name].label).slice(0, MAX_SITES);
  }

  /**
   * Counts what the rule of a site has found of a film that counts as watched.
   * @param {import("../messages.js").SessionReport} session
   * @param {boolean} certain it is known without the rule
   */
  async count({ url, frameUrl, played, evidence: { site } }, certain) {
    const rule = frameUrl ? null : ruleFor(url); // a player elsewhere is not the site's page
    if (!rule || site?.name !== rule.name) return;
    const found = Array.isArray(site.said) && site.said.length >= Math.min(1, rule.say.length);
    if (certain && !found) return;
    let turned = false;
    await this.#database.update("health", (all = {}) => {
      const before = all[rule.name] ?? { found: 0, seconds: 0 };
      const trusted = !found && this.#now() - before.found < TRUSTED;
      const after = found ? { found: this.#now(), seconds: 0 } : { ...before, seconds: before.seconds + (trusted ? 0 : Number(played) || 0) };
      turned = before.seconds >= ENOUGH !== after.seconds >= ENOUGH;
      return { ...all, [rule.name]: after };
    });
    if (turned) await this.#changed();
  }
}
