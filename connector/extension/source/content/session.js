/**
 * Playback sessions: one for each film or episode that plays on the page.
 *
 * A session outlives a load of the media element. An advertisement or a change
 * of quality loads another medium; when one of the same duration plays on the
 * same page, the session continues. A film that has crossed the threshold and
 * then plays from its beginning is a new session.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { uuid, stamp } = own.bounds;
  const { Cover } = own.meter;

  const MOST_SESSIONS = 50;
  /** The first part of a film: playing it again begins a second session. */
  const OPENING_PART = 0.1;
  /** Seconds of that part that must be played again. */
  const REPEATED = 30;
  /** Played seconds up to which a session can still take over the progress of an earlier visit. */
  const RESUME_WITHIN = 60;
  /** Seconds: when durations cannot decide, a session continues only from about the position where it stopped. */
  const NEARBY = 30;

  class PlaybackSession {
    id = uuid();
    startedAt = stamp(new Date());
    /** @type {Record<string, any>} the last answer of the background */
    answer = {};
    /** @type {import("../messages.js").Evidence | null} */
    evidence = null;
    /** @type {import("../messages.js").Evidence | null} what the page showed at the last reading */
    shown = null;
    /** @type {import("../messages.js").SiteEvidence | null} what the rule of the site has read */
    site = null;
    /** @type {any} what was read from an object of the page's own scripts */
    object = null;
    /** The state of the requests to the background about this session. */
    asking = { busy: false, again: false, sent: "", at: -Infinity, tries: 0, timer: /** @type {any} */ (null) };
    /** The last "playing" message. */
    reported = { state: "ended", at: -Infinity };
    /** How many of the later readings of the page are done. */
    readings = 0;
    /** Played seconds when the progress was last saved. */
    savedSeconds = 0;
    /** @type {string[]} the media servers to ask */
    servers = [];
    position = 0;
    /** @type {Date | null} when a stretch of it was last played */
    lastPlayed = null;
    /** @type {{at: string, position: number, cover: any, message: import("../messages.js").SessionReport | null, medium: unknown, visit: number} | null} */
    crossed = null;
    /** What was played again after the threshold was crossed. */
    again = new Cover();
    cover = new Cover();

    /**
     * @param {string} page its name
     * @param {{url: string, host: string, title: string, frameUrl?: string}} place
     * @param {number} duration seconds; NaN while it is unknown
     * @param {any} [before] the session before: its texts may still be shown
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
     * Adds a played stretch.
     * @param {[number, number]} span
     * @returns {boolean} whether the film is being watched a second time
     */
    add([from, to]) {
      this.position = to;
      this.lastPlayed = new Date();
      if (!this.crossed) {
        this.cover.add(from, to);
        return false;
      }
      const opening = OPENING_PART * this.duration;
      if (to <= opening && this.crossed.cover.has((from + to) / 2)) this.again.add(from, to);
      return this.again.seconds >= Math.min(REPEATED, opening / 2);
    }

    /**
     * Begins the session of a second watching, with what was played of it so far.
     * @param {boolean} same whether it is known to be the same film
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
     * Takes over the id and the progress of a session from an earlier visit to this page.
     * @param {any} resume {id, startedAt, spans}
     */
    resume(resume) {
      if (this.crossed || this.cover.seconds > RESUME_WITHIN || typeof resume?.id !== "string") return;
      for (const [from, to] of resume.spans) this.cover.add(from, to);
      this.id = resume.id;
      this.startedAt = resume.startedAt;
    }

    /** Starts over as another film than the one it began with. */
    renew() {
      this.id = uuid();
      this.startedAt = stamp(new Date());
      this.cover = new Cover();
    }

    /**
     * Records that the threshold was crossed, at the time of the last playback: the background may answer much later.
     * @param {unknown} medium
     * @param {number} visit
     */
    cross(medium, visit) {
      this.crossed = { at: stamp(this.lastPlayed ?? new Date()), position: this.position, cover: new Cover(this.cover.spans), message: null, medium, visit };
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
     * @param {boolean} shared whether the page plays several films under one address: then the position must match too
     * @returns {PlaybackSession | null} the newest session of the same film, if there is one
     */
    find(page, duration, heading, position, shared) {
      const near = Math.max(1, duration / 2000);
      return this.#sessions.findLast((session) => {
        const before = session.evidence?.mediaSession?.title ?? "";
        const moved = Math.abs(session.position - position) / NEARBY;
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
