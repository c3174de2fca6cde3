/**
 * The words that were read by a site's rule, bound to what they were read for.
 *
 * Players take their words away with their controls, and show those of one
 * episode while the next has begun. So words hold as long as the same number
 * stands in the address, or the same medium is loaded. What comes after them
 * takes no words that are those of before.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Milliseconds in which words must stay the same: a page writes one after the other. */
  const STEADY = 1000;
  /** Played seconds after which a medium of the same address may have the words of before. */
  const SETTLING = 10;
  /** Two texts of these are two items. */
  const NAMING = ["kind", "name", "series", "film", "place", "season", "episode", "year", "titleNumber", "seriesNumber"];

  /** @typedef {Record<string, string>} Said of one source */

  class Words {
    /** @type {unknown} */
    #key = null;
    /** @type {Said[]} by source */
    #said = [];
    /** @type {Said[]} of the item before */
    #before = [];
    /** @type {{words: string, at: number}[]} what was read last */
    #last = [];
    /** @type {Record<string, string>} */
    #numbers = {};
    /** @type {string | undefined} */
    #kind;
    /** Whether one source told two things: then nothing is said. */
    #torn = false;

    /**
     * @param {any} rule
     * @param {any} reading by site.js
     * @param {{medium: unknown, sinceLoad: number}} watch
     * @param {number} now milliseconds
     */
    take(rule, reading, { medium, sinceLoad }, now) {
      const { title, film, episode } = reading.numbers;
      const number = rule.bind === "address" ? title ?? film ?? episode : undefined;
      const key = number ?? medium;
      if (key !== this.#key) this.#forget(key);
      if (number === undefined && sinceLoad >= SETTLING) this.#before = [];
      this.#numbers = reading.numbers;
      this.#kind = reading.kind;
      reading.said.forEach((/** @type {Said} */ said, /** @type {number} */ i) => this.#hear(said, i, now));
    }

    /** @param {unknown} key of the next item */
    #forget(key) {
      if (this.#said.some(Boolean)) this.#before = this.#said;
      this.#said = [];
      this.#last = [];
      this.#torn = false;
      this.#key = key;
    }

    /** @param {Said} said @param {number} i its source @param {number} now */
    #hear(said, i, now) {
      const words = JSON.stringify(said);
      const before = this.#before[i];
      if (this.#last[i]?.words !== words) this.#last[i] = { words, at: now };
      const steady = now - this.#last[i].at >= STEADY;
      if (words === "{}" && steady) delete this.#before[i]; // what comes now is no leftover
      if (words === "{}" || !steady) return;
      if (before && Object.entries(said).every(([name, value]) => before[name] === value)) return;
      const known = this.#said[i] ?? {};
      if (NAMING.some((name) => known[name] && said[name] && known[name] !== said[name])) this.#torn = true;
      const { alone, ...rest } = { ...known, ...said };
      this.#said[i] = alone && !rest.place && !rest.title ? { ...rest, alone } : rest;
    }

    /**
     * @param {any} rule
     * @returns {Record<string, any>} what is evidence for this item
     */
    told({ name }) {
      return { name, ...(this.#kind && { kind: this.#kind }), numbers: this.#numbers, said: this.#said.filter(Boolean), ...(this.#torn && { torn: true }) };
    }
  }

  own.words = { Words };
})();
