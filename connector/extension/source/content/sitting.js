/**
 * One sitting before one film, and the sittings of one page.
 *
 * A sitting outlives the medium it began with: an advertisement or another
 * quality in between loads the element anew, and the same page with a medium
 * of the same length goes on with the same sitting. What was watched to the
 * threshold and is then played again from the beginning is a new sitting.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { uuid, stamp } = own.bounds;
  const { Cover } = own.meter;

  const MOST_SITTINGS = 50;
  /** The first part of a film, in which a second watching shows. */
  const OPENING = 0.1;
  /** Seconds of it played again that make a second watching. */
  const AGAIN = 30;
  /** A resumed sitting is adopted only at the begin of this one. */
  const FRESH = 60;
  /** A medium whose length nobody knows goes on with a sitting that stopped so near, in seconds. */
  const NEAR = 30;

  class Sitting {
    id = uuid();
    startedAt = stamp(new Date());
    /** @type {Record<string, any>} the last answer of the background */
    answer = {};
    /** @type {import("../messages.js").Evidence | null} */
    evidence = null;
    /** @type {import("../messages.js").SiteEvidence | null} what the site's rule has read of it */
    site = null;
    position = 0;
    /** @type {Date | null} when something of it was played last */
    heard = null;
    /** @type {{at: string, position: number, cover: any, message: import("../messages.js").Sitting | null} | null} */
    crossed = null;
    /** @type {any} what is played again after it was crossed */
    again = new Cover();
    cover = new Cover();

    /**
     * @param {string} page its name
     * @param {{url: string, host: string, title: string, frameUrl?: string}} place
     * @param {number} duration seconds; NaN while nobody knows
     */
    constructor(page, place, duration) {
      this.page = page;
      this.place = place;
      this.duration = duration;
    }

    /** @returns {"movie" | "episode" | null} */
    get kind() {
      const type = this.answer.identified?.type;
      return type === "movie" || type === "episode" ? type : null;
    }

    /**
     * Takes what was played.
     * @param {[number, number]} span
     * @returns {boolean} whether the film has begun a second time
     */
    add([from, to]) {
      this.position = to;
      this.heard = new Date();
      if (!this.crossed) {
        this.cover.add(from, to);
        return false;
      }
      const opening = OPENING * this.duration;
      if (to <= opening && this.crossed.cover.has((from + to) / 2)) this.again.add(from, to);
      return this.again.seconds >= Math.min(AGAIN, opening / 2);
    }

    /**
     * The sitting of a second watching, with what was seen of it so far.
     * @returns {Sitting}
     */
    repeated() {
      const next = new Sitting(this.page, this.place, this.duration);
      next.cover = this.again;
      next.position = this.position;
      next.answer = this.answer;
      next.evidence = this.evidence;
      next.site = this.site;
      this.again = new Cover();
      return next;
    }

    /**
     * Goes on with what was left half way, on an earlier visit to this page.
     * @param {any} resume {id, startedAt, spans}
     */
    resume(resume) {
      if (this.crossed || this.cover.seconds > FRESH || typeof resume?.id !== "string") return;
      for (const [from, to] of resume.spans) this.cover.add(from, to);
      this.id = resume.id;
      this.startedAt = resume.startedAt;
    }

    /** It turns out to be another film than the one it began with. */
    renew() {
      this.id = uuid();
      this.startedAt = stamp(new Date());
      this.cover = new Cover();
    }

    /** The threshold is passed. That was when it played last: the background may have answered long after. */
    cross() {
      this.crossed = { at: stamp(this.heard ?? new Date()), position: this.position, cover: new Cover(this.cover.spans), message: null };
    }

    /** @returns {import("../messages.js").Sitting} */
    message() {
      const { jsonld = [], mediaSession = null, links = [], attributes = {}, provider = null, headings = [], mentions = [] } = this.evidence ?? {};
      return {
        id: this.id,
        ...this.place,
        startedAt: this.startedAt,
        at: this.crossed?.at ?? stamp(new Date()),
        duration: round(this.duration) || 0,
        position: round(this.crossed?.position ?? this.position),
        played: round(this.cover.seconds),
        evidence: { jsonld, mediaSession, links, attributes, provider, headings, mentions, ...(this.site && { site: this.site }) },
      };
    }
  }

  /** @param {number} seconds */
  function round(seconds) {
    return Math.round(seconds * 10) / 10;
  }

  class Book {
    /** @type {Sitting[]} the newest last */
    #sittings = [];

    /**
     * @param {string} page
     * @param {number} duration seconds
     * @param {string} heading what the page's media session calls it, or ""
     * @param {number} position seconds
     * @param {boolean} shared whether other films play on the page, too: then only what stopped near goes on
     * @returns {Sitting | null} the newest sitting of the same film
     */
    find(page, duration, heading, position, shared) {
      const near = Math.max(1, duration / 2000);
      return this.#sittings.findLast((sitting) => {
        const before = sitting.evidence?.mediaSession?.title ?? "";
        const moved = Math.abs(sitting.position - position) / NEAR;
        const off = Number.isNaN(sitting.duration) ? moved : Math.abs(sitting.duration - duration) / near;
        return sitting.page === page && off <= 1 && !(shared && moved > 1) && !(before && heading && before !== heading);
      }) ?? null;
    }

    /** @param {Sitting} sitting */
    add(sitting) {
      this.#sittings.push(sitting);
      if (this.#sittings.length > MOST_SITTINGS) this.#sittings.shift();
    }

    /** @param {Sitting} sitting */
    drop(sitting) {
      this.#sittings = this.#sittings.filter((one) => one !== sitting);
    }

    /** @returns {Sitting[]} */
    get all() {
      return [...this.#sittings];
    }
  }

  own.sitting = { Sitting, Book };
})();
