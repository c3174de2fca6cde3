/**
 * Manages the playback sessions of one frame: reads the page for them, asks
 * the background what they are, and reports those that count as watched.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { PlaybackSession, SessionStore } = own.session;
  const { Cover } = own.meter;

  /** Seconds played since the load after which the page is read again: titles may appear late. */
  const READ_AT = [5, 30, 120, 600, 1800, 3600];
  /** Played seconds after which the progress of a session is saved again. */
  const SAVE_EVERY = 120;
  /** Played seconds from which the progress is worth saving. */
  const SAVE_FROM = 60;
  /** Milliseconds between two readings by the rule of the site during playback. */
  const READ_EVERY = 1000;
  /** Milliseconds after which a session that must not be recorded is asked about again. */
  const ASK_AGAIN = 30_000;

  /** Milliseconds between two "playing" messages. */
  const REPORT_EVERY = 60_000;

  /** @param {any} rule @returns {boolean} */
  function isRule(rule) {
    const parts = [rule?.movie, rule?.episode];
    return parts.every((part) => part && ["played", "position", "minimum"].every((name) => Number.isFinite(part[name])));
  }

  /**
   * @param {Record<string, any>} answer
   * @returns {string} identifies the film or episode; "" when it is not certain
   */
  function certainty({ certain, identified }) {
    const { type, ids, show, season, episode } = identified ?? {};
    return certain === true ? JSON.stringify([type, ids?.tmdb, show?.ids?.tmdb, season, episode]) : "";
  }

  class SessionTracker {
    rule = own.threshold.usual;
    /** Whether the rule came from the background, and is not the default. */
    known = false;
    store = new SessionStore();
    /** @type {any} the rule of the frame's site, or null */
    site = null;
    #readAt = -Infinity;
    /** @type {{session: any, watch: any} | null} the session that played last */
    active = null;
    /** @type {any} the last session that is long enough for a film or an episode */
    #previous = null;
    /** @type {WeakRef<any>[]} of all video elements that were found */
    #watches = [];
    /** @type {{name: string, shown: any, stale: any[]}} the last answer to {kind: "page"}, and what was shown under the address before */
    #page = { name: "", shown: null, stale: [] };
    #reporter;
    #send;
    #clock;
    #actedAt = -Infinity;

    /** @param {{send?: (message: any) => Promise<any>, clock?: () => number}} [options] */
    constructor({ send = own.reporter.send, clock = () => performance.now() } = {}) {
      this.#send = send;
      this.#clock = clock;
      this.#reporter = new own.reporter.Reporter(send);
    }

    /** @param {any} watch of a video element that was just found */
    add(watch) {
      if (this.#watches.length % 50 === 49) this.#watches = this.#watches.filter((one) => one.deref());
      this.#watches.push(new WeakRef(watch));
    }

    /** @returns {number} milliseconds */
    now() {
      return this.#clock();
    }

    /** Records that the user has clicked or typed on the page. */
    act() {
      this.#actedAt = this.now();
    }

    /** @param {number} at milliseconds @returns {boolean} whether the user has acted since then */
    actedSince(at) {
      return this.#actedAt >= at;
    }

    /**
     * @param {number} duration seconds
     * @param {number} position seconds
     * @returns {any} the session of this page that a medium of this duration continues, or null
     */
    find(duration, position) {
      return this.store.find(own.place.name(), duration, own.evidence.mediaSession()?.title ?? "", position, this.site?.bind === "medium");
    }

    /**
     * Finds the session that a media element continues, or begins a new one.
     * @param {any} watch
     * @param {number} position seconds
     */
    open(watch, position) {
      let session = this.find(watch.duration, position);
      if (!session) {
        session = new PlaybackSession(own.place.name(), own.place.here(), watch.duration, this.#previous, this.#longSessions());
        this.store.add(session);
        void this.askBackground(session);
      }
      session.readings = 0;
      return session;
    }

    /** @returns {any[]} the sessions that are long enough for a film or an episode, or of unknown duration */
    #longSessions() {
      return this.store.all.filter((/** @type {any} */ { duration }) => !own.threshold.short(this.rule, duration));
    }

    /**
     * Adds a played stretch to the session of a media element, and does what is due.
     * @param {any} watch
     * @param {[number, number]} span
     */
    played(watch, span) {
      let { session } = watch;
      const waited = this.now() - session.asking.at >= ASK_AGAIN;
      if (waited && !session.asking.busy && session.answer.record !== true) void this.askBackground(session);
      if (session.answer.record === false) return;
      if (session.add(span) && !watch.element.loop) {
        const same = session.crossed.medium === watch.medium || session.crossed.visit !== own.place.visit();
        session = watch.session = session.repeated(same, this.#longSessions());
        this.store.add(session);
        void this.askBackground(session);
      }
      this.active = { session, watch };
      if (!own.threshold.short(this.rule, session.duration)) this.#previous = session;
      if (this.#readByRule(READ_EVERY)) void this.askBackground(session);
      this.checkThreshold(session);
      if (!session.crossed && watch.sinceLoad >= (READ_AT[session.readings] ?? Infinity)) {
        session.readings = READ_AT.findLastIndex((seconds) => seconds <= watch.sinceLoad) + 1;
        void this.askBackground(session);
      }
      if (session.cover.seconds - session.savedSeconds >= SAVE_EVERY) this.saveProgress(session);
      this.reportPlaying(session, "playing");
    }

    /**
     * Reports to the daemon what plays now: when the state changes, and once a minute during playback.
     * @param {any} session
     * @param {"playing" | "paused" | "ended"} state
     */
    reportPlaying(session, state) {
      const { reported, answer, kind, duration } = session;
      const may = answer.record === true && own.threshold.long(this.rule, kind, duration);
      const is = may ? state : "ended";
      if (is === reported.state && (is !== "playing" || this.now() - reported.at < REPORT_EVERY)) return;
      session.reported = { state: is, at: this.now() };
      void this.#send({ kind: "playing", state: is, session: { ...session.message(), position: Math.round(session.position) } });
    }

    /** Reports the session once it counts as watched. @param {any} session */
    checkThreshold(session) {
      if (session.crossed || session.answer.record !== true) return;
      const state = { played: session.cover.seconds, position: session.position, duration: session.duration };
      if (own.threshold.needs(this.rule, session.kind, state) > 0) return;
      session.cross(this.active?.watch.medium, own.place.visit());
      void this.#finish(session);
    }

    /** Reads the page once more, then reports the session. @param {any} session that has just crossed the threshold */
    async #finish(session) {
      await this.#readPage(session);
      this.#report(session);
    }

    /** @param {any} session */
    #report(session) {
      if (!session.crossed || session.crossed.message) return;
      session.crossed.message = session.message();
      this.#reporter.report(session.crossed.message);
    }

    /**
     * Reads the page for a session, and asks the media server. Does nothing when another page is shown.
     * @param {any} session
     */
    async #readPage(session) {
      const here = () => own.place.name() === session.page;
      if (!here()) return;
      const provider = await own.provider.playing(session.servers, session.duration);
      if (this.site?.say.some((/** @type {any} */ { from }) => from === "object")) session.object = await this.#send({ kind: "object" });
      if (!here()) return;
      this.#read(session, provider);
      session.place = own.place.here();
    }

    /**
     * Adds to the evidence what the page shows now, without what it showed for the session before.
     * @param {any} session whose page is shown
     * @param {Record<string, any> | null} provider the answer of a media server
     */
    #read(session, provider) {
      const { evidence, stale } = session;
      session.shown = own.place.evidence();
      const said = own.evidence.without(session.shown, stale);
      session.evidence = { ...(evidence ? own.evidence.kept(evidence, said) : said), provider: provider ?? evidence?.provider ?? null };
    }

    /**
     * Reads the page by the rule of its site.
     * @param {number} [every] milliseconds that must have passed since the last reading
     * @returns {boolean} whether the evidence of the session has changed
     */
    #readByRule(every = 0) {
      const { session, watch } = this.active ?? {};
      if (!this.site || !this.#isShown() || this.now() - this.#readAt < every) return false;
      this.#readAt = this.now();
      const reading = own.siteRule.read(this.site, watch.element, session.object);
      if (!reading) return false;
      session.words.take(reading, this.#readAt);
      if (session.crossed) return false;
      const before = JSON.stringify(session.site);
      session.site = session.words.evidence(this.site);
      return before !== JSON.stringify(session.site);
    }

    /** @returns {boolean} whether the page is still that of the session that played last */
    #isShown() {
      const { session, watch } = this.active ?? {};
      return session !== undefined && watch.session === session && own.place.name() === session.page;
    }

    /** Reads the page after it has changed: some titles are shown for seconds only. */
    handleChange() {
      own.place.visit();
      this.#readByRule();
      const { session } = this.active ?? {};
      if (!this.#isShown() || !session.evidence) return;
      if (session.crossed) session.shown = own.place.evidence();
      else this.#read(session, null);
    }

    /**
     * Reads the page and asks the background about a session, if there is new evidence or no permission to record yet.
     * @param {any} session
     */
    async askBackground(session) {
      const { asking } = session;
      if (asking.busy) {
        asking.again = true;
        return;
      }
      asking.busy = true;
      asking.at = this.now();
      clearTimeout(asking.timer);
      try {
        await this.#readPage(session);
        const said = JSON.stringify([session.evidence, session.site, session.place]);
        if (session.crossed || (said === asking.sent && session.answer.record === true)) return;
        const answer = await this.#send({ kind: "session", page: session.page, session: session.message() });
        if (!answer) return this.#retryLater(session);
        asking.tries = 0;
        asking.sent = said;
        this.#applyAnswer(session, answer);
      } finally {
        asking.busy = false;
        if (asking.again && !session.crossed) {
          asking.again = false;
          void this.askBackground(session);
        }
      }
    }

    /**
     * Asks again after a back-off: the background gave no answer, and the playback may end before the next reading.
     * @param {any} session
     */
    #retryLater(session) {
      if (!own.reporter.alive()) return;
      const { asking } = session;
      asking.timer = setTimeout(() => {
        asking.tries++;
        void this.askBackground(session);
      }, own.reporter.pause(asking.tries));
    }

    /**
     * Applies the answer of the background.
     * @param {any} session
     * @param {Record<string, any>} answer
     */
    #applyAnswer(session, answer) {
      if (isRule(answer.rule)) {
        this.rule = answer.rule;
        this.known = true;
      }
      const [was, is] = [certainty(session.answer), certainty(answer)];
      if (was !== "" && is !== "" && was !== is && !session.crossed) session.renew();
      session.answer = answer;
      this.site = answer.site ?? null;
      if (answer.record === false) session.cover = new Cover(); // what was played while nothing may be recorded never counts
      else if (answer.resume && this.site?.bind !== "medium" && this.store.all.every((/** @type {any} */ one) => one.id !== answer.resume.id)) session.resume(answer.resume);
      const servers = answer.servers ?? [];
      if (JSON.stringify(servers) !== JSON.stringify(session.servers)) {
        session.servers = servers;
        session.asking.again = true; // read again, and ask the servers
      }
      this.checkThreshold(session);
    }

    /**
     * Saves how far a session got, so that it can continue after a reload.
     * @param {any} session
     */
    saveProgress(session) {
      const { id, page, duration, startedAt, cover, crossed, answer } = session;
      if (crossed || answer.record !== true || cover.seconds < SAVE_FROM || cover.seconds === session.savedSeconds) return;
      if (!own.threshold.long(this.rule, session.kind, duration)) return;
      session.savedSeconds = cover.seconds;
      void this.#send({ kind: "left", sessionId: id, halfway: { id, page, duration, startedAt, spans: cover.spans } });
    }

    /** Reports everything before the page is closed or put into the back/forward cache. */
    hide() {
      for (const session of this.store.all) {
        this.#report(session);
        this.saveProgress(session);
        this.reportPlaying(session, "ended");
      }
      this.#reporter.flush();
    }

    /** Retries the reports after the page has returned from the back/forward cache. */
    show() {
      this.#reporter.flush();
    }

    /** @returns {import("../messages.js").NowAnswer} for the popup */
    state() {
      const { session, watch } = this.active ?? {};
      if (!session || watch.session !== session || !watch.element.isConnected) return null;
      if (!own.threshold.long(this.rule, session.kind, session.duration)) return null;
      const state = { played: session.cover.seconds, position: session.position, duration: session.duration };
      const needs = session.crossed ? 0 : Math.ceil(own.threshold.needs(this.rule, session.kind, state));
      const why = session.crossed ? "" : session.answer.record === false ? "paused" : watch.why();
      return { session: session.crossed?.message ?? session.message(), crossed: Boolean(session.crossed), needs, ...(why && { why }) };
    }

    /** @returns {{why?: import("../messages.js").Silence, least?: number}} why the largest video that plays is not counted, for the popup */
    silence() {
      const all = this.#watches.map((one) => one.deref()).filter((watch) => watch !== undefined && watch.why() !== "");
      const [first] = all.sort((one, other) => other.area - one.area);
      if (!first) return {};
      const minima = [this.rule.movie.minimum, this.rule.episode.minimum].sort((one, other) => one - other);
      const least = minima.find((minimum) => first.duration < minimum) ?? minima[1];
      return { why: first.why(), ...(first.why() === "short" && { least }) };
    }

    /**
     * Describes the page, for a player in a frame of it. Leaves out what was shown under the address before.
     * @returns {Record<string, any>}
     */
    page() {
      const page = own.place.name();
      const { name, shown, stale } = this.#page;
      const now = own.place.evidence();
      this.#page = { name: page, shown: now, stale: name === page ? stale : [shown].filter((one) => one) };
      const evidence = own.evidence.without(now, this.#page.stale);
      return { ...own.place.here(), title: evidence.title, evidence };
    }
  }

  own.tracker = { SessionTracker };
})();
