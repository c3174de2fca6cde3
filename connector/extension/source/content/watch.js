/** Follows one video element through all the media it is given. */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { Cover, Track } = own.meter;
  const { Clock } = own.clock;

  const EVENTS = [
    "loadedmetadata", "emptied", "durationchange", "timeupdate", "playing",
    "pause", "seeking", "waiting", "ratechange", "ended",
  ];
  /** Milliseconds for which a look at the element holds. */
  const LOOK_EVERY = 5000;
  /** Smaller pictures are no film: pixels that hold an advertisement's sound. */
  const LEAST_WIDTH = 100;
  const LEAST_HEIGHT = 50;
  /** Played seconds after loading in which the page's address may still follow. */
  const SETTLING = 10;
  /** A medium that becomes shorter than this part of itself is another one: an advertisement, as a rule. */
  const SHORTER = 0.9;

  class Watch {
    /** @type {any} */
    session = null;
    /** Played seconds since the medium was loaded. */
    sinceLoad = 0;
    #track = new Track();
    /** @type {any} */
    #clock = null;
    /** The medium's own length, as it was last seen. */
    #length = NaN;
    /** The medium that is loaded: another object for each. */
    medium = {};
    #loadedAt = 0;
    #begun = false;
    #page = "";
    #seen = false;
    #seenAt = -Infinity;

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

    /** @returns {number} seconds of the film; NaN while nobody knows */
    get duration() {
      const { length, growing } = this.#clock;
      const said = growing ? own.jsonld.seconds(this.session?.evidence?.jsonld ?? []) : NaN;
      return said >= SHORTER * this.element.duration ? said : length;
    }

    /** @param {Event} event */
    handle({ type }) {
      if (!Object.is(this.element.duration, this.#length)) this.#resize(); // not every browser tells it in time
      switch (type) {
        case "loadedmetadata":
        case "emptied":
          this.#load();
          break;
        case "seeking":
          this.#track.lift();
          this.#clock.lift();
          break;
        case "pause":
        case "ended":
          this.#sample();
          this.#track.lift();
          this.#stop(type === "ended");
          break;
        default:
          if (this.element.paused || this.element.seeking) this.#track.lift();
          else this.#sample();
      }
    }

    /** Another medium. */
    #load() {
      if (this.session) this.tracker.tell(this.session, "ended");
      this.session = null;
      this.medium = {};
      this.#track.lift();
      this.#clock = new Clock(this.element, (/** @type {number} */ length) => this.#find(length) !== null);
      this.#length = this.element.duration;
      this.#loadedAt = this.tracker.now();
      this.sinceLoad = 0;
      this.#begun = false;
      this.#seenAt = -Infinity;
    }

    /** @param {number} length seconds @returns {any} the session before a film of that length on this page, or null */
    #find(length) {
      return this.tracker.find(length, this.element.currentTime);
    }

    /** The medium has another length: it goes on, or another one has taken its place. */
    #resize() {
      const { duration } = this.element;
      const before = this.#length;
      this.#length = duration;
      const next = this.session && this.element.currentTime < SETTLING && own.place.name() !== this.session.page;
      const other = next || duration < SHORTER * before || Number.isFinite(before) !== Number.isFinite(duration);
      if (other || (duration > before && (this.#find(duration) ?? this.session) !== this.session)) {
        const asked = this.#loadedAt;
        this.#load();
        this.#loadedAt = asked; // a click that started the film still counts
      } else this.#clock.resize();
    }

    #sample() {
      const { element, tracker } = this;
      const now = tracker.now();
      const span = this.#track.sample(element.currentTime, element.playbackRate, now);
      if (!span || !this.#counts(now)) return;
      this.sinceLoad += span[1] - span[0];
      const { paged } = this.#clock;
      const spans = this.#clock.take(span, now);
      if (this.session && !paged && this.#clock.ahead !== 0) this.#retime(this.#clock.ahead);
      for (const one of spans) this.#count(one);
    }

    /** @param {[number, number]} span of the film that was played */
    #count(span) {
      this.#follow();
      if (!this.session) {
        this.session = this.tracker.open(this, span[0]);
        this.#begun = this.session.cover.seconds === 0;
        if (Number.isNaN(this.session.duration)) this.#clock.doubt();
      }
      if (!this.session.crossed) this.session.duration = this.duration;
      this.tracker.played(this, span);
    }

    /** What was counted by the medium's own time is counted by the slider's. @param {number} ahead seconds */
    #retime(ahead) {
      const { session, duration } = this;
      const other = this.#find(duration) ?? session;
      if (!session.crossed) {
        const { seconds, spans } = session.cover;
        const by = seconds <= this.sinceLoad ? ahead : 0; // more was counted with another medium, or on an earlier visit
        session.cover = new Cover();
        if (other !== session) this.#leave();
        this.session = other;
        for (const [from, to] of spans) other.cover.add(Math.max(0, from + by), Math.min(duration, to + by));
      }
      session.duration = duration; // also when it is crossed: what plays on is no other film
    }

    /** What was counted belongs to no film. */
    #leave() {
      if (this.#begun) this.tracker.store.drop(this.session);
      this.session = null;
    }

    /**
     * A single-page site may change the address shortly after it has loaded
     * the next film. Later changes are the user looking around meanwhile.
     */
    #follow() {
      const page = own.place.name();
      if (page === this.#page) return;
      this.#page = page;
      if (!this.session || this.sinceLoad > SETTLING || this.session.page === page) return;
      this.#leave();
    }

    /** @param {boolean} ended */
    #stop(ended) {
      if (ended) this.#clock.end();
      if (!this.session) return;
      if (ended && !this.session.crossed) {
        this.session.duration = this.duration;
        if (!this.#clock.paged) this.session.position = this.duration;
      }
      this.tracker.judge(this.session);
      this.tracker.leave(this.session);
      this.tracker.tell(this.session, ended ? "ended" : "paused");
    }

    /**
     * @param {number} now milliseconds
     * @returns {boolean} whether this is a film before a viewer
     */
    #counts(now) {
      const { element, tracker, duration } = this;
      if (!(element.duration > 0)) return false;
      if (tracker.known && duration > 0 && !own.threshold.longer(tracker.rule, duration)) return false;
      if (now - this.#seenAt >= LOOK_EVERY) {
        this.#seenAt = now;
        this.#seen = this.#visible() && (!tracker.site || own.siteRule.isFilm(tracker.site, element));
      }
      return this.#seen && this.#heard();
    }

    /**
     * @returns {import("../messages.js").Silence | ""} why what plays here is not counted; "" when it is, or nothing plays
     */
    why() {
      const { element, tracker, session, duration } = this;
      if (element.paused || element.ended || !element.isConnected || (tracker.site && !own.siteRule.isFilm(tracker.site, element))) return "";
      if (Number.isNaN(duration)) return element.duration > 0 && !this.#clock.growing ? "live" : "length";
      if (session ? !own.threshold.long(tracker.rule, session.kind, duration) : tracker.known && !own.threshold.longer(tracker.rule, duration)) return "short";
      if (!this.#visible()) return "hidden";
      if (!this.#heard()) return "muted";
      return session?.answer.record === false ? "paused" : "";
    }

    /** @returns {number} pixels */
    get area() {
      const { width, height } = this.element.getBoundingClientRect();
      return width * height;
    }

    /** @returns {boolean} false for what starts muted and that the user did not start */
    #heard() {
      const { element, tracker } = this;
      const silent = element.muted || element.volume === 0;
      return !silent || this.#alone() || tracker.actedSince(this.#loadedAt);
    }

    /** @returns {boolean} whether the user has given it the whole screen, or a window of its own */
    #alone() {
      const { fullscreenElement } = document;
      for (let node = /** @type {any} */ (this.element); fullscreenElement && node; node = node.parentNode ?? node.host) {
        if (node === fullscreenElement) return true;
      }
      return /** @type {any} */ (this.element.getRootNode()).pictureInPictureElement === this.element;
    }

    /** @returns {boolean} */
    #visible() {
      const { element } = this;
      if (this.#alone()) return true;
      const { width, height } = element.getBoundingClientRect();
      if (Math.min(width, innerWidth) < LEAST_WIDTH || Math.min(height, innerHeight) < LEAST_HEIGHT) return false;
      return element.checkVisibility?.({ visibilityProperty: true, opacityProperty: true }) !== false;
    }
  }

  own.watch = { Watch, EVENTS };
})();
