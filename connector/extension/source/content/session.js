/**
 * What plays one film, and all that have played on this page.
 *
 * A session outlives the medium it began with: an advertisement or another
 * quality in between loads the element anew, and the same page with a medium
 * of the same length goes on with the same session. A film that was watched to
 * the threshold and then plays from the beginning is a new session.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { uuid, stamp } = own.bounds;
  const { Cover } = own.meter;

  const MOST_SESSIONS = 50;
  /** The first part of a film, in which a second watching shows. */
  const OPENING = 0.1;
  /** Seconds of it played again that make a second watching. */
  const AGAIN = 30;
  /** A resumed session is adopted only at the begin of this one. */
  const FRESH = 60;
  /** A medium of unknown length goes on with a session that stopped so near, in seconds. */
  const NEAR = 30;

  class PlaybackSession {
    id = uuid();
    startedAt = stamp(new Date());
    /** @type {Record<string, any>} the last answer of the background */
    answer = {};
    /** @type {import("../messages.js").Evidence | null} */
    evidence = null;
    /** @type {import("../messages.js").Evidence | null} what the page showed at the last look */
    shown = null;
    /** @type {import("../messages.js").SiteEvidence | null} what the site's rule has read */
    site = null;
    /** @type {any} what the page's own object told */
    object = null;
    /** How the background is asked about it. */
    asking = { busy: false, again: false, sent: "", at: -Infinity, tries: 0, timer: /** @type {any} */ (null) };
    /** What was reported last of whether it plays. */
    told = { state: "ended", at: -Infinity };
    /** How many of the looks at the page are done. */
    looks = 0;
    /** Seconds at the last note of how far it got. */
    noted = 0;
    /** @type {string[]} the media servers to ask */
    servers = [];
    position = 0;
    /** @type {Date | null} when something of it was played last */
    heard = null;
    /** @type {{at: string, position: number, cover: any, message: import("../messages.js").SessionReport | null, medium: unknown, visit: number} | null} */
    crossed = null;
    /** What is played again after it was crossed. */
    again = new Cover();
    cover = new Cover();

    /**
     * @param {string} page its name
     * @param {{url: string, host: string, title: string, frameUrl?: string}} place
     * @param {number} duration seconds; NaN while it is unknown
     * @param {any} [before] the session before: its words may still be shown
     * @param {any[]} [others] the sessions of this page
     */
    constructor(page, place, duration, before = null, others = []) {
      this.page = page;
      this.place = place;
      this.duration = duration;
      this.stale = [before?.evidence, before?.shown].filter((one) => one);
      this.words = new own.siteWords.Words(before?.words?.all, others.map(({ site }) => site).filter((one) => one));
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
     * The session of a second watching, with what was seen of it so far.
     * @param {boolean} same whether it is surely the same film
     * @param {PlaybackSession[]} others what has played on this page
     * @returns {PlaybackSession}
     */
    repeated(same, others) {
      const next = new PlaybackSession(this.page, this.place, this.duration, same ? null : this, same ? [] : others);
      next.cover = this.again;
      next.position = this.position;
      next.answer = this.answer;
      if (same) Object.assign(next, { evidence: this.evidence, site: this.site, words: this.words });
      this.again = new Cover();
      return next;
    }

    /**
     * Goes on with what was left half way on an earlier visit to this page.
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

    /**
     * The threshold is passed. Its time is that of the last playing: the answer of the background may come long after.
     * @param {unknown} medium
     * @param {number} visit
     */
    cross(medium, visit) {
      this.crossed = { at: stamp(this.heard ?? new Date()), position: this.position, cover: new Cover(this.cover.spans), message: null, medium, visit };
    }

    /** @returns {import("../messages.js").SessionReport} */
    message() {
      const { title = this.place.title, ...evidence } = this.evidence ?? own.evidence.NONE;
      return {
        id: this.id,
        ...this.place,
        title,
        startedAt: this.startedAt,
        at: this.crossed?.at ?? stamp(new Date()),
        duration: round(this.duration) || 0,
        position: round(this.crossed?.position ?? this.position),
        played: round(this.cover.seconds),
        evidence: { ...evidence, ...(this.site && { site: this.site }) },
      };
    }
  }

  /** @param {number} seconds */
  function round(seconds) {
    return Math.round(seconds * 10) / 10;
  }

  class SessionStore {
    /** @type {PlaybackSession[]} the newest last */
    #sessions = [];

    /**
     * @param {string} page
     * @param {number} duration seconds
     * @param {string} heading what the page's media session calls it, or ""
     * @param {number} position seconds
     * @param {boolean} shared whether other films play on the page, too: then only what stopped near goes on
     * @returns {PlaybackSession | null} the newest session of the same film
     */
    find(page, duration, heading, position, shared) {
      const near = Math.max(1, duration / 2000);
      return this.#sessions.findLast((session) => {
        const before = session.evidence?.mediaSession?.title ?? "";
        const moved = Math.abs(session.position - position) / NEAR;
        const off = Number.isNaN(session.duration) ? moved : Math.abs(session.duration - duration) / near;
        return session.page === page && off <= 1 && !(shared && moved > 1) && !(before && heading && before !== heading);
      }) ?? null;
    }

    /** @param {PlaybackSession} session */
    add(session) {
      this.#sessions.push(session);
      if (this.#sessions.length > MOST_SESSIONS) this.#sessions.shift();
    }

    /** @param {PlaybackSession} session */
    drop(session) {
      this.#sessions = this.#sessions.filter((one) => one !== session);
    }

    /** @returns {PlaybackSession[]} */
    get all() {
      return [...this.#sessions];
    }
  }

  own.session = { PlaybackSession, SessionStore };
})();
