/** Follows one video element through all the media it is given. */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { Track } = own.meter;

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
  /** A medium whose end moves away this often is a broadcast. */
  const MOST_GROWTHS = 3;

  class Watch {
    /** @type {any} */
    sitting = null;
    /** Played seconds since the medium was loaded. */
    sinceLoad = 0;
    #track = new Track();
    #loadedAt = 0;
    #begun = false;
    #growths = 0;
    #page = "";
    #seen = false;
    #seenAt = -Infinity;

    /**
     * @param {HTMLVideoElement} element
     * @param {any} desk
     */
    constructor(element, desk) {
      this.element = element;
      this.desk = desk;
      this.#load();
      desk.meet(this);
      for (const type of EVENTS) element.addEventListener(type, (event) => this.handle(event));
    }

    /** @returns {number} seconds */
    get duration() {
      return this.element.duration;
    }

    /** @param {Event} event */
    handle({ type }) {
      switch (type) {
        case "loadedmetadata":
        case "emptied":
          this.#load();
          break;
        case "durationchange":
          this.#resize();
          break;
        case "seeking":
          this.#track.lift();
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
      this.sitting = null;
      this.#track.lift();
      this.#loadedAt = this.desk.now();
      this.sinceLoad = 0;
      this.#begun = false;
      this.#growths = 0;
      this.#seenAt = -Infinity;
    }

    /** The same medium, of another length: it was guessed, or it is a broadcast that goes on. */
    #resize() {
      const { duration } = this.element;
      if (!this.sitting || !(duration > 0)) return;
      if (duration > this.sitting.duration + 1) this.#growths++;
      if (Number.isFinite(duration)) this.sitting.duration = duration;
    }

    #sample() {
      const { element, desk } = this;
      const now = desk.now();
      const span = this.#track.sample(element.currentTime, element.playbackRate, now);
      if (!span || !this.#counts(now)) return;
      this.sinceLoad += span[1] - span[0];
      this.#follow();
      if (!this.sitting) {
        this.sitting = desk.open(this);
        this.#begun = this.sitting.cover.seconds === 0;
      }
      desk.played(this, span);
    }

    /**
     * A single-page site may change the address shortly after it has loaded
     * the next film. Later changes are the user looking around meanwhile.
     */
    #follow() {
      const page = own.place.name();
      if (page === this.#page) return;
      this.#page = page;
      if (!this.sitting || this.sinceLoad > SETTLING || this.sitting.page === page) return;
      if (this.#begun) this.desk.book.drop(this.sitting);
      this.sitting = null;
    }

    /** @param {boolean} ended */
    #stop(ended) {
      if (!this.sitting) return;
      if (ended && !this.sitting.crossed) this.sitting.position = this.sitting.duration;
      this.desk.judge(this.sitting);
      this.desk.leave(this.sitting);
    }

    /**
     * @param {number} now milliseconds
     * @returns {boolean} whether this is a film before a viewer
     */
    #counts(now) {
      const { element, desk } = this;
      const { duration } = element;
      if (!(duration > 0) || !Number.isFinite(duration) || this.#growths >= MOST_GROWTHS) return false;
      const { rule, known } = desk;
      if (known && !own.rule.longer(rule, duration)) return false;
      if (now - this.#seenAt >= LOOK_EVERY) {
        this.#seenAt = now;
        this.#seen = this.#visible();
      }
      return this.#seen && this.#heard();
    }

    /**
     * @returns {import("../messages.js").Silence | ""} why what plays here is not counted; "" when it is, or nothing plays
     */
    why() {
      const { element, desk, sitting } = this;
      const { duration } = element;
      if (element.paused || element.ended || !element.isConnected) return "";
      if (!(duration > 0)) return "length";
      if (!Number.isFinite(duration) || this.#growths >= MOST_GROWTHS || own.rule.endless(duration)) return "live";
      if (sitting ? !own.rule.long(desk.rule, sitting.kind, duration) : desk.known && !own.rule.longer(desk.rule, duration)) return "short";
      if (!this.#visible()) return "hidden";
      if (!this.#heard()) return "muted";
      return sitting ? desk.unwanted(sitting) : "";
    }

    /** @returns {number} pixels */
    get area() {
      const { width, height } = this.element.getBoundingClientRect();
      return width * height;
    }

    /** @returns {boolean} false for what starts muted and that nobody has asked for */
    #heard() {
      const { element, desk } = this;
      const silent = element.muted || element.volume === 0;
      return !silent || Boolean(document.fullscreenElement) || desk.actedSince(this.#loadedAt);
    }

    /** @returns {boolean} */
    #visible() {
      const { element } = this;
      if (document.pictureInPictureElement || document.fullscreenElement) return true;
      const { width, height } = element.getBoundingClientRect();
      if (Math.min(width, innerWidth) < LEAST_WIDTH || Math.min(height, innerHeight) < LEAST_HEIGHT) return false;
      return element.checkVisibility?.({ visibilityProperty: true, opacityProperty: true }) !== false;
    }
  }

  own.watch = { Watch, EVENTS };
})();
