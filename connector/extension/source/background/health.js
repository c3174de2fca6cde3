/**
 * Counts, for each site's rule, how much film was counted since the rule last
 * found anything. It is kept on disk, since the browser may end the background
 * at any moment.
 */
import { rules, ruleFor } from "../sites/index.js";

/** @typedef {{held: number, seconds: number}} Health held: when the rule last found something, in milliseconds since 1970 */

/** Seconds of film without a word until the site counts as one that cannot be read. */
const ENOUGH = 600;
/** Milliseconds. A series that plays on by itself shows its words once, so a rule that has found some is trusted so long. */
const TRUSTED = 12 * 3_600_000;
/** Sites that the daemon takes in one message. */
const MOST = 20;

export class HealthBook {
  #database;
  #changed;
  #clock;
  /** @type {Promise<unknown>} changes happen one after the other */
  #last = Promise.resolve();

  /**
   * @param {{read(name: string): Promise<any>, write(name: string, value: any): Promise<void>}} database
   * @param {() => unknown} changed a site begins or ceases to be unreadable
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

  /** @returns {Promise<string[]>} the sites whose rules find nothing any more */
  async unread() {
    const all = Object.entries(await this.#read()).filter(([name, { seconds }]) => seconds >= ENOUGH && rules[name]);
    return all.map(([name]) => rules[name].label).slice(0, MOST);
  }

  /**
   * Notes what the rule of a site has found of a film that counts as watched.
   * @param {import("../messages.js").Sitting} sitting
   * @param {boolean} certain it is known without the rule
   */
  note({ url, frameUrl, played, evidence: { site } }, certain) {
    const rule = frameUrl ? null : ruleFor(url); // a player elsewhere is not the site's page
    if (!rule || site?.name !== rule.name) return Promise.resolve();
    const found = Array.isArray(site.said) && site.said.length >= Math.min(1, rule.say.length);
    if (certain && !found) return Promise.resolve();
    const mine = this.#last.then(async () => {
      const all = await this.#read();
      const { held, seconds } = all[rule.name] ?? { held: 0, seconds: 0 };
      if (!found && this.#clock() - held < TRUSTED) return;
      const is = found ? { held: this.#clock(), seconds: 0 } : { held, seconds: seconds + (Number(played) || 0) };
      await this.#database.write("health", { ...all, [rule.name]: is });
      if (seconds >= ENOUGH !== is.seconds >= ENOUGH) await this.#changed();
    });
    this.#last = mine.catch(() => {});
    return mine;
  }
}
