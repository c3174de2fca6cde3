/** Follows one video element through all the media that the page loads into it. */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { Cover, Track } = own.meter;
  const { Clock } = own.clock;

  const EVENTS = [
    "loadedmetadata", "emptied", "durationchange", "timeupdate", "playing",
    "pause", "seeking", "waiting", "ratechange", "ended",
  ];
  /** Milliseconds for which the result of a visibility check is used. */
  const CHECK_EVERY = 5000;
  /** Pixels. Smaller elements are no film: some play only the sound of an advertisement. */
  const LEAST_WIDTH = 100;
  const LEAST_HEIGHT = 50;
  /** Played seconds after a load within which a single-page site may still change its address. */
  const ADDRESS_DELAY = 10;
  /** When the duration falls below this part of the one before, another medium plays: usually an advertisement. */
  const SHORTER = 0.9;

  class Watch {
    /** @type {any} */
    session = null;
    /** Seconds played since the last load. */
    sinceLoad = 0;
    #track = new Track();
    /** @type {any} */
    #clock = null;
    /** The duration of the element when it was last read. */
    #length = NaN;
    /** Identifies what is loaded: a new object for each load. */
    medium = {};
    #loadedAt = 0;
    /** Whether the session began here, so that it may be dropped. */
    #openedSession = false;
    /** The name of the page at the last check. */
    #page = "";
    /** Whether the element was a visible film at the last check. */
    #isShownFilm = false;
    #checkedAt = -Infinity;

    /**
     * @param {HTMLVideoElement} element
     * @param {any} tracker
     */
    constructor(element, tracker) {
      this.element = element;
      this.tracker = tracker;
      this.#load();
      tracker.add(this);
      for (const type of EVENTS) element.addEventListener(type, (event) => this.handle(event));
    }

    /** @returns {number} duration of the film in seconds; NaN while it is unknown */
    get duration() {
      const { length, growing } = this.#clock;
      const described = growing ? own.jsonld.seconds(this.session?.evidence?.jsonld ?? []) : NaN;
      return described >= SHORTER * this.element.duration ? described : length;
    }

    /** @param {Event} event */
    handle({ type }) {
      if (!Object.is(this.element.duration, this.#length)) this.#resize(); // not every browser sends durationchange before the next event
      switch (type) {
        case "loadedmetadata":
        case "emptied":
          this.#load();
          break;
        case "seeking":
          this.#track.reset();
          this.#clock.seek();
          break;
        case "pause":
        case "ended":
          this.#sample();
          this.#track.reset();
          this.#stop(type === "ended");
          break;
        default:
          if (this.element.paused || this.element.seeking) this.#track.reset();
          else this.#sample();
      }
    }

    /** Starts over with another medium. */
    #load() {
      if (this.session) this.tracker.reportPlaying(this.session, "ended");
      this.session = null;
      this.medium = {};
      this.#track.reset();
      this.#clock = new Clock(this.element, (/** @type {number} */ length) => this.#find(length) !== null);
      this.#length = this.element.duration;
      this.#loadedAt = this.tracker.now();
      this.sinceLoad = 0;
      this.#openedSession = false;
      this.#checkedAt = -Infinity;
    }

    /** @param {number} length seconds @returns {any} the session of this page with that duration, or null */
    #find(length) {
      return this.tracker.find(length, this.element.currentTime);
    }

    /** Decides after a changed duration whether the same medium goes on or another one plays. */
    #resize() {
      const { duration } = this.element;
      const before = this.#length;
      this.#length = duration;
      const next = this.session && this.element.currentTime < ADDRESS_DELAY && own.place.name() !== this.session.page;
      const other = next || duration < SHORTER * before || Number.isFinite(before) !== Number.isFinite(duration);
      if (other || (duration > before && (this.#find(duration) ?? this.session) !== this.session)) {
        const loadedAt = this.#loadedAt;
        this.#load();
        this.#loadedAt = loadedAt; // a click that started the film still counts
      } else this.#clock.resize();
    }

    #sample() {
      const { element, tracker } = this;
      const now = tracker.now();
      const span = this.#track.sample(element.currentTime, element.playbackRate, now);
      if (!span || !this.#counts(now)) return;
      this.sinceLoad += span[1] - span[0];
      const { fromSlider } = this.#clock;
      const spans = this.#clock.toFilmTime(span, now);
      if (this.session && !fromSlider && this.#clock.offset !== 0) this.#applyOffset(this.#clock.offset);
      for (const one of spans) this.#count(one);
    }

    /** Adds a played stretch to the session, which begins if there is none. @param {[number, number]} span in the film's time */
    #count(span) {
      this.#checkAddress();
      if (!this.session) {
        this.session = this.tracker.open(this, span[0]);
        this.#openedSession = this.session.cover.seconds === 0;
        if (Number.isNaN(this.session.duration)) this.#clock.startGrowing();
      }
      if (!this.session.crossed) this.session.duration = this.duration;
      this.tracker.played(this, span);
    }

    /** Moves what was counted in the element's time to the slider's time. @param {number} offset seconds */
    #applyOffset(offset) {
      const { session, duration } = this;
      const other = this.#find(duration) ?? session;
      if (!session.crossed) {
        const { seconds, spans } = session.cover;
        const by = seconds <= this.sinceLoad ? offset : 0; // the rest was counted with another medium, or on an earlier visit
        session.cover = new Cover();
        if (other !== session) this.#dropSession();
        this.session = other;
        for (const [from, to] of spans) other.cover.add(Math.max(0, from + by), Math.min(duration, to + by));
      }
      session.duration = duration; // also after the threshold: what plays on is the same film
    }

    /** Leaves the session, and drops it if it began here: what was counted belongs to another film. */
    #dropSession() {
      if (this.#openedSession) this.tracker.store.drop(this.session);
      this.session = null;
    }

    /**
     * Leaves the session when the address changes shortly after a load: a single-page site has started the next film.
     * Later changes come from the user, who looks at other pages while the film plays.
     */
    #checkAddress() {
      const page = own.place.name();
      if (page === this.#page) return;
      this.#page = page;
      if (!this.session || this.sinceLoad > ADDRESS_DELAY || this.session.page === page) return;
      this.#dropSession();
    }

    /** Handles a pause or the end of the element. @param {boolean} ended */
    #stop(ended) {
      if (ended) this.#clock.stopGrowing();
      if (!this.session) return;
      if (ended && !this.session.crossed) {
        this.session.duration = this.duration;
        if (!this.#clock.fromSlider) this.session.position = this.duration;
      }
      this.tracker.checkThreshold(this.session);
      this.tracker.saveProgress(this.session);
      this.tracker.reportPlaying(this.session, ended ? "ended" : "paused");
    }

    /**
     * @param {number} now milliseconds
     * @returns {boolean} whether the playback counts now: a film that is visible and audible
     */
    #counts(now) {
      const { element, tracker, duration } = this;
      if (!(element.duration > 0)) return false;
      if (tracker.known && duration > 0 && !own.threshold.longer(tracker.rule, duration)) return false;
      if (now - this.#checkedAt >= CHECK_EVERY) {
        this.#checkedAt = now;
        this.#isShownFilm = this.#visible() && (!tracker.site || own.siteRule.isFilm(tracker.site, element));
      }
      return this.#isShownFilm && this.#isAudible();
    }

    /**
     * @returns {import("../messages.js").Silence | ""} why the playback is not counted; "" when it is, or when nothing plays
     */
    why() {
      const { element, tracker, session, duration } = this;
      if (element.paused || element.ended || !element.isConnected || (tracker.site && !own.siteRule.isFilm(tracker.site, element))) return "";
      if (Number.isNaN(duration)) return element.duration > 0 && !this.#clock.growing ? "live" : "length";
      if (session ? !own.threshold.long(tracker.rule, session.kind, duration) : tracker.known && !own.threshold.longer(tracker.rule, duration)) return "short";
      if (!this.#visible()) return "hidden";
      if (!this.#isAudible()) return "muted";
      return session?.answer.record === false ? "paused" : "";
    }

    /** @returns {number} square pixels */
    get area() {
      const { width, height } = this.element.getBoundingClientRect();
      return width * height;
    }

    /** @returns {boolean} whether it has sound, or the user has started it without */
    #isAudible() {
      const { element, tracker } = this;
      const silent = element.muted || element.volume === 0;
      return !silent || this.#isEnlarged() || tracker.actedSince(this.#loadedAt);
    }

    /** @returns {boolean} whether it is in full screen or picture-in-picture */
    #isEnlarged() {
      const { fullscreenElement } = document;
      for (let node = /** @type {any} */ (this.element); fullscreenElement && node; node = node.parentNode ?? node.host) {
        if (node === fullscreenElement) return true;
      }
      return /** @type {any} */ (this.element.getRootNode()).pictureInPictureElement === this.element;
    }

    /** @returns {boolean} whether it is large enough and shown */
    #visible() {
      const { element } = this;
      if (this.#isEnlarged()) return true;
      const { width, height } = element.getBoundingClientRect();
      if (Math.min(width, innerWidth) < LEAST_WIDTH || Math.min(height, innerHeight) < LEAST_HEIGHT) return false;
      return element.checkVisibility?.({ visibilityProperty: true, opacityProperty: true }) !== false;
    }
  }

  own.watch = { Watch, EVENTS };
})();
