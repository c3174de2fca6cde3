/**
 * Collects what the rule of a site has read for one session.
 *
 * Players hide titles together with their controls, and may still show the old
 * title after the next episode has started. So texts are kept for the whole
 * session, and texts that were shown for the session before are ignored.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Milliseconds for which the texts of a source must stay the same: a page changes them one after the other. */
  const STEADY = 1000;
  /** Parts that identify the film or episode: two different values mean two items. */
  const IDENTIFYING = ["kind", "name", "series", "film", "place", "season", "episode", "year", "titleNumber", "seriesNumber"];

  /** @typedef {Record<string, string>} Said the parts that one source gave */

  /** @param {Said[]} said @returns {string[]} the identifying parts as texts */
  const identifying = (said) => said.flatMap((one) => IDENTIFYING.filter((name) => one[name]).map((name) => `${name} ${one[name]}`));

  /** @param {Said[]} mine @param {Said[]} theirs @returns {boolean} whether mine identifies an item, and theirs the same */
  const sameItem = (mine, theirs) =>
    mine.some(({ film, place, episode, alone }) => film || place || episode || alone) && identifying(mine).every((one) => identifying(theirs).includes(one));

  /** The texts of one session. */
  class Words {
    /** @type {Said[]} by source */
    #said = [];
    /** @type {(Said | undefined)[]} by source, of the session before; removed once the page has hidden it */
    #before;
    /** @type {import("../messages.js").SiteEvidence[]} what was read for other sessions of this page */
    #others;
    /** @type {{words: string, at: number}[]} by source, the last reading and when it began */
    #last = [];
    /** @type {{numbers: Record<string, string>, kind?: "movie" | "episode"}} what the address gives */
    #address = { numbers: {} };
    /** Whether a source gave different items: then nothing is known. */
    #torn = false;

    /**
     * @param {(Said | undefined)[]} [before] of the session before
     * @param {import("../messages.js").SiteEvidence[]} [others] what was read for other sessions of this page
     */
    constructor(before = [], others = []) {
      this.#before = [...before];
      this.#others = others;
    }

    /** @returns {(Said | undefined)[]} by source, the texts that the page may still show during the next session */
    get all() {
      return Array.from({ length: Math.max(this.#said.length, this.#before.length) }, (_, i) => this.#said[i] ?? this.#before[i]);
    }

    /**
     * Adds a reading.
     * @param {any} reading of site-rule.js
     * @param {number} now milliseconds
     */
    take({ numbers, kind, said }, now) {
      this.#address = { numbers, ...(kind && { kind }) };
      said.forEach((/** @type {Said} */ one, /** @type {number} */ i) => this.#takeSource(one, i, now));
    }

    /** Adds the parts of one source. @param {Said} said @param {number} i index of the source @param {number} now milliseconds */
    #takeSource(said, i, now) {
      const words = JSON.stringify(said);
      const before = this.#before[i];
      if (this.#last[i]?.words !== words) this.#last[i] = { words, at: now };
      const steady = now - this.#last[i].at >= STEADY;
      if (words === "{}" && steady) delete this.#before[i]; // later texts are new ones
      if (words === "{}" || !steady) return;
      if (before && Object.entries(said).every(([name, value]) => before[name] === value)) return;
      const known = this.#said[i] ?? {};
      if (IDENTIFYING.some((name) => known[name] && said[name] && known[name] !== said[name])) this.#torn = true;
      const { alone, ...rest } = { ...known, ...said };
      this.#said[i] = alone && !rest.place && !rest.title ? { ...rest, alone } : rest;
    }

    /**
     * Returns the evidence for this session. A player may start the next episode without changing the address, so the
     * numbers in an address that another session had before are used only when the texts are the same too.
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
