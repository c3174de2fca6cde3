/**
 * Keeps the sessions of one frame, asks the background about them, and reports
 * what was watched.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { PlaybackSession, SessionStore } = own.session;
  const { Cover } = own.meter;

  /** Played seconds since the medium was loaded after which the page is read again: its words may come late. */
  const LOOKS = [5, 30, 120, 600, 1800, 3600];
  /** Played seconds between two notes of how far it got. */
  const NOTE_EVERY = 120;
  /** Fewer are not worth a note. */
  const NOTE_FROM = 60;
  /** Milliseconds between two readings by the site's rule while it plays. */
  const READ_EVERY = 1000;
  /** Milliseconds until what was answered with a no is asked again while it plays. */
  const ASK_AGAIN = 30_000;

  /** Milliseconds between two reports of what plays. */
  const TELL_EVERY = 60_000;

  /** @param {any} rule @returns {boolean} */
  function isRule(rule) {
    const parts = [rule?.movie, rule?.episode];
    return parts.every((part) => part && ["played", "position", "minimum"].every((name) => Number.isFinite(part[name])));
  }

  /**
   * @param {Record<string, any>} answer
   * @returns {string} names what is certain; "" for nothing
   */
  function certainty({ certain, identified }) {
    const { type, ids, show, season, episode } = identified ?? {};
    return certain === true ? JSON.stringify([type, ids?.tmdb, show?.ids?.tmdb, season, episode]) : "";
  }

  class SessionTracker {
    rule = own.threshold.usual;
    /** Whether the background has told its rule. */
    known = false;
    store = new SessionStore();
    /** @type {any} the rule of this frame's site, or null */
    site = null;
    #readAt = -Infinity;
    /** @type {{session: any, watch: any} | null} what played last */
    active = null;
    /** @type {any} the last session that is no clip */
    #previous = null;
    /** @type {WeakRef<any>[]} of all video elements that were found */
    #watches = [];
    /** @type {{name: string, shown: any, stale: any[]}} what the page showed when a frame was last asked about */
    #page = { name: "", shown: null, stale: [] };
    #reporter;
    #send;
    #clock;
    #acted = -Infinity;

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

    /** The user has clicked or typed on the page. */
    act() {
      this.#acted = this.now();
    }

    /** @param {number} at @returns {boolean} whether the user has acted since */
    actedSince(at) {
      return this.#acted >= at;
    }

    /**
     * @param {number} duration seconds
     * @param {number} position seconds
     * @returns {any} the session of this page that goes on with such a medium, or null
     */
    find(duration, position) {
      return this.store.find(own.place.name(), duration, own.evidence.mediaSession()?.title ?? "", position, this.site?.bind === "medium");
    }

    /**
     * Finds the session a medium belongs to, or begins one.
     * @param {any} watch
     * @param {number} position seconds
     */
    open(watch, position) {
      let session = this.find(watch.duration, position);
      if (!session) {
        session = new PlaybackSession(own.place.name(), own.place.here(), watch.duration, this.#previous, this.#films());
        this.store.add(session);
        void this.announce(session);
      }
      session.looks = 0;
      return session;
    }

    /** @returns {any[]} the sessions that are no clips */
    #films() {
      return this.store.all.filter((/** @type {any} */ { duration }) => !own.threshold.short(this.rule, duration));
    }

    /**
     * Takes what was played.
     * @param {any} watch
     * @param {[number, number]} span
     */
    played(watch, span) {
      let { session } = watch;
      const waited = this.now() - session.asking.at >= ASK_AGAIN;
      if (waited && !session.asking.busy && session.answer.record !== true) void this.announce(session);
      if (session.answer.record === false) return;
      if (session.add(span) && !watch.element.loop) {
        const same = session.crossed.medium === watch.medium || session.crossed.visit !== own.place.visit();
        session = watch.session = session.repeated(same, this.#films());
        this.store.add(session);
        void this.announce(session);
      }
      this.active = { session, watch };
      if (!own.threshold.short(this.rule, session.duration)) this.#previous = session;
      if (this.#listen(READ_EVERY)) void this.announce(session);
      this.judge(session);
      if (!session.crossed && watch.sinceLoad >= (LOOKS[session.looks] ?? Infinity)) {
        session.looks = LOOKS.findLastIndex((look) => look <= watch.sinceLoad) + 1;
        void this.announce(session);
      }
      if (session.cover.seconds - session.noted >= NOTE_EVERY) this.leave(session);
      this.tell(session, "playing");
    }

    /**
     * Reports for the page of Filmspool what plays now: when that changes, and once a minute.
     * @param {any} session
     * @param {"playing" | "paused" | "ended"} state
     */
    tell(session, state) {
      const { told, answer, kind, duration } = session;
      const may = answer.record === true && own.threshold.long(this.rule, kind, duration);
      const is = may ? state : "ended";
      if (is === told.state && (is !== "playing" || this.now() - told.at < TELL_EVERY)) return;
      session.told = { state: is, at: this.now() };
      void this.#send({ kind: "playing", state: is, session: { ...session.message(), position: Math.round(session.position) } });
    }

    /** @param {any} session */
    judge(session) {
      if (session.crossed || session.answer.record !== true) return;
      const state = { played: session.cover.seconds, position: session.position, duration: session.duration };
      if (own.threshold.needs(this.rule, session.kind, state) > 0) return;
      session.cross(this.active?.watch.medium, own.place.visit());
      void this.#finish(session);
    }

    /** @param {any} session that has just crossed; the page gets a last chance to say what it is */
    async #finish(session) {
      await this.#look(session);
      this.#report(session);
    }

    /** @param {any} session */
    #report(session) {
      if (!session.crossed || session.crossed.message) return;
      session.crossed.message = session.message();
      this.#reporter.report(session.crossed.message);
    }

    /**
     * Reads the page, unless it shows another film by now.
     * @param {any} session
     */
    async #look(session) {
      const here = () => own.place.name() === session.page;
      if (!here()) return;
      const provider = await own.provider.playing(session.servers, session.duration);
      if (this.site?.say.some((/** @type {any} */ { from }) => from === "object")) session.object = await this.#send({ kind: "object" });
      if (!here()) return;
      this.#read(session, provider);
      session.place = own.place.here();
    }

    /**
     * @param {any} session whose page is shown
     * @param {Record<string, any> | null} provider what a media server has just said
     */
    #read(session, provider) {
      const { evidence, stale } = session;
      session.shown = own.place.evidence();
      const said = own.evidence.without(session.shown, stale);
      session.evidence = { ...(evidence ? own.evidence.kept(evidence, said) : said), provider: provider ?? evidence?.provider ?? null };
    }

    /**
     * Reads by the rule of the site what plays, as often as that is worth it.
     * @param {number} [every] milliseconds
     * @returns {boolean} whether it has said something new
     */
    #listen(every = 0) {
      const { session, watch } = this.active ?? {};
      if (!this.site || !this.#plays() || this.now() - this.#readAt < every) return false;
      this.#readAt = this.now();
      const reading = own.siteRule.read(this.site, watch.element, session.object);
      if (!reading) return false;
      session.words.take(reading, this.#readAt);
      if (session.crossed) return false;
      const before = JSON.stringify(session.site);
      session.site = session.words.evidence(this.site);
      return before !== JSON.stringify(session.site);
    }

    /** @returns {boolean} whether the page shows the session that played last */
    #plays() {
      const { session, watch } = this.active ?? {};
      return session !== undefined && watch.session === session && own.place.name() === session.page;
    }

    /** The page has changed: what it shows now may be gone at the next look. */
    glance() {
      own.place.visit();
      this.#listen();
      const { session } = this.active ?? {};
      if (!this.#plays() || !session.evidence) return;
      if (session.crossed) session.shown = own.place.evidence();
      else this.#read(session, null);
    }

    /**
     * Tells the background of a session, when there is something new to tell.
     * @param {any} session
     */
    async announce(session) {
      const { asking } = session;
      if (asking.busy) {
        asking.again = true;
        return;
      }
      asking.busy = true;
      asking.at = this.now();
      clearTimeout(asking.timer);
      try {
        await this.#look(session);
        const said = JSON.stringify([session.evidence, session.site, session.place]);
        if (session.crossed || (said === asking.sent && session.answer.record === true)) return;
        const answer = await this.#send({ kind: "session", page: session.page, session: session.message() });
        if (!answer) return this.#later(session);
        asking.tries = 0;
        asking.sent = said;
        this.#take(session, answer);
      } finally {
        asking.busy = false;
        if (asking.again && !session.crossed) {
          asking.again = false;
          void this.announce(session);
        }
      }
    }

    /**
     * Asks again without being asked to: the background was asleep, and what plays may end before it answers.
     * @param {any} session
     */
    #later(session) {
      if (!own.reporter.alive()) return;
      const { asking } = session;
      asking.timer = setTimeout(() => {
        asking.tries++;
        void this.announce(session);
      }, own.reporter.pause(asking.tries));
    }

    /**
     * @param {any} session
     * @param {Record<string, any>} answer
     */
    #take(session, answer) {
      if (isRule(answer.rule)) {
        this.rule = answer.rule;
        this.known = true;
      }
      const [was, is] = [certainty(session.answer), certainty(answer)];
      if (was !== "" && is !== "" && was !== is && !session.crossed) session.renew();
      session.answer = answer;
      this.site = answer.site ?? null;
      if (answer.record === false) session.cover = new Cover(); // what was not to be recorded does not count later
      else if (answer.resume && this.site?.bind !== "medium" && this.store.all.every((/** @type {any} */ one) => one.id !== answer.resume.id)) session.resume(answer.resume);
      const servers = answer.servers ?? [];
      if (JSON.stringify(servers) !== JSON.stringify(session.servers)) {
        session.servers = servers;
        session.asking.again = true; // look again, and ask them
      }
      this.judge(session);
    }

    /**
     * Notes how far a session got, so that it can go on after a reload.
     * @param {any} session
     */
    leave(session) {
      const { id, page, duration, startedAt, cover, crossed, answer } = session;
      if (crossed || answer.record !== true || cover.seconds < NOTE_FROM || cover.seconds === session.noted) return;
      if (!own.threshold.long(this.rule, session.kind, duration)) return;
      session.noted = cover.seconds;
      void this.#send({ kind: "left", sessionId: id, halfway: { id, page, duration, startedAt, spans: cover.spans } });
    }

    /** The page goes, for good or into the browser's cache. */
    hide() {
      for (const session of this.store.all) {
        this.#report(session);
        this.leave(session);
        this.tell(session, "ended");
      }
      this.#reporter.flush();
    }

    /** The page is back out of the browser's cache. */
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

    /** @returns {{why?: import("../messages.js").Silence, least?: number}} why the largest video that plays is not counted */
    silence() {
      const all = this.#watches.map((one) => one.deref()).filter((watch) => watch !== undefined && watch.why() !== "");
      const [first] = all.sort((one, other) => other.area - one.area);
      if (!first) return {};
      const minima = [this.rule.movie.minimum, this.rule.episode.minimum].sort((one, other) => one - other);
      const least = minima.find((minimum) => first.duration < minimum) ?? minima[1];
      return { why: first.why(), ...(first.why() === "short" && { least }) };
    }

    /**
     * What the page says of itself around a player in a frame. What it has shown on the address before is left out.
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
