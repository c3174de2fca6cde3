/**
 * The words that a site's rule has read of one session.
 *
 * Players hide titles with their controls, and may show the old title after
 * the next episode has started. So words hold for their session, and what was
 * already shown for the session before is not taken.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Milliseconds in which words must stay the same: a page writes one after the other. */
  const STEADY = 1000;
  /** Two texts of these are two items. */
  const NAMING = ["kind", "name", "series", "film", "place", "season", "episode", "year", "titleNumber", "seriesNumber"];

  /** @typedef {Record<string, string>} Said what one source said */

  /** @param {Said[]} said @returns {string[]} what tells the item from others */
  const naming = (said) => said.flatMap((one) => NAMING.filter((name) => one[name]).map((name) => `${name} ${one[name]}`));

  /** @param {Said[]} mine @param {Said[]} theirs @returns {boolean} whether these name one item, and the same */
  const sameItem = (mine, theirs) =>
    mine.some(({ film, place, episode, alone }) => film || place || episode || alone) && naming(mine).every((one) => naming(theirs).includes(one));

  class Words {
    /** @type {Said[]} by source */
    #said = [];
    /** @type {(Said | undefined)[]} by source, of the session before */
    #before;
    /** @type {import("../messages.js").SiteEvidence[]} what was read of other sessions of this page */
    #others;
    /** @type {{words: string, at: number}[]} by source, what was read last */
    #last = [];
    /** @type {{numbers: Record<string, string>, kind?: "movie" | "episode"}} what the address says */
    #address = { numbers: {} };
    /** Whether one source said two things: then nothing is said. */
    #torn = false;

    /**
     * @param {(Said | undefined)[]} [before] of the session before
     * @param {import("../messages.js").SiteEvidence[]} [others] what was read of other sessions of this page
     */
    constructor(before = [], others = []) {
      this.#before = [...before];
      this.#others = others;
    }

    /** @returns {(Said | undefined)[]} what may still be shown for the next session, by source */
    get all() {
      return Array.from({ length: Math.max(this.#said.length, this.#before.length) }, (_, i) => this.#said[i] ?? this.#before[i]);
    }

    /**
     * @param {any} reading by site-rule.js
     * @param {number} now milliseconds
     */
    take({ numbers, kind, said }, now) {
      this.#address = { numbers, ...(kind && { kind }) };
      said.forEach((/** @type {Said} */ one, /** @type {number} */ i) => this.#hear(one, i, now));
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
     * What is evidence for this session. A player may go on without its address: numbers that another session has had
     * hold only when the words are the same, too.
     * @param {any} rule
     * @returns {import("../messages.js").SiteEvidence}
     */
    evidence({ name, bind }) {
      const said = this.#said.filter(Boolean);
      const numbers = JSON.stringify(this.#address.numbers);
      const others = this.#others.filter((one) => bind === "address" && JSON.stringify(one.numbers) === numbers);
      const holds = others.length === 0 || others.some((one) => sameItem(said, one.said));
      return { name, ...(holds ? this.#address : { numbers: {} }), said, ...(this.#torn && { torn: true }) };
    }
  }

  own.siteWords = { Words };
})();
