/**
 * Converts the time of a media element to the time of the film.
 *
 * For most media elements the two are equal. Three cases differ. While more is
 * loaded the duration of some grows, and is used only after it has stayed the
 * same for a while. Some have no end, such as live streams. Some start at
 * another time than 0, or include advertisements. For the latter two the
 * position comes from a slider of the page, after that slider has moved in
 * step with the playback for a while.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { Cover } = own.meter;

  /** Reports whether a duration is too long for a film. */
  const { endless } = own.threshold;
  /** Played seconds for which a duration that has grown must stay the same: at least, and at most. */
  const STABLE = 60;
  const LONGEST_STABLE = 300;
  /** It must stay the same for this many times the longest pause between two growths. */
  const PAUSES = 3;
  /** The largest part of a duration by which a change is a correction and not a growth. */
  const CORRECTION = 0.02;
  /** Milliseconds between two readings of the sliders. */
  const READ_EVERY = 2000;
  /** Seconds by which a slider may differ from the position that is expected. */
  const TOLERANCE = 2;
  /** Played seconds for which a slider must move in step: usually, and when it is one of the rule's or a session has its duration. */
  const CONFIRM = 60;
  const CONFIRM_AGAIN = 10;
  const SLIDERS = "[role=slider][aria-valuenow][aria-valuemax], progress[max], input[type=range][max]";
  const MOST_SLIDERS = 50;
  const MOST_CANDIDATES = 20;

  /**
   * @param {any} slider
   * @returns {[number, number]} position and duration in seconds; the position is NaN when the slider does not start at 0
   */
  function readSlider(slider) {
    const attribute = (/** @type {string} */ name) => {
      const property = name === "now" ? "value" : name;
      return Number(slider.getAttribute(`aria-value${name}`) ?? slider[property] ?? 0);
    };
    const [least, now, most] = ["min", "now", "max"].map(attribute);
    const unit = endless(most) ? 1000 : 1; // some sliders count in milliseconds
    return [least === 0 ? now / unit : NaN, Math.round(most / unit)];
  }

  /** @returns {Element[]} the sliders that the rule of the site selects */
  const ruleSliders = () => own.siteRule.sliders(own.parts?.tracker.site);

  /** @returns {Element[]} the sliders of the document and of its shadow roots */
  const pageSliders = () => {
    const roots = own.parts?.finder.roots ?? [];
    return roots.flatMap((/** @type {ParentNode} */ root) => [...root.querySelectorAll(SLIDERS)].slice(0, MOST_SLIDERS));
  };

  /** @param {Element[]} sliders @returns {Map<number, number>} positions by duration, in seconds */
  function values(sliders) {
    /** @type {Map<number, number>} */
    const found = new Map();
    for (const slider of sliders) {
      const [now, most] = readSlider(slider);
      // Of several sliders of one duration the smallest position counts: a bar that shows the buffered part runs ahead.
      if (most > 0 && now >= 0 && !((found.get(most) ?? Infinity) <= now)) found.set(most, now);
    }
    return found;
  }

  /**
   * A slider that may show the film's time. offset is its position minus that of the media element, in seconds; cover is
   * what was played since they moved in step. diverged says that it stayed ahead: the element's time restarted after a seek.
   * @typedef {{length: number, offset: number, cover: any, diverged?: boolean}} SliderCandidate
   */

  class Clock {
    #length;
    /** The duration when it last stayed the same for long enough. */
    #stableLength;
    #stableFor = 0;
    #longestPause = 0;
    #readAt = -Infinity;
    /** @type {Map<number, SliderCandidate>} by duration */
    #candidates = new Map();
    /** @type {SliderCandidate | null} the one whose time is used */
    #slider = null;
    /** Whether the element has seeked since the slider was last read. */
    #seeked = false;
    #element;
    #playedBefore;
    /** Whether the duration is growing, so that that of the film is unknown. */
    growing = false;
    /** Seconds to add to the element's time to get the film's. */
    offset = 0;
    /** Whether the time comes from a slider. */
    fromSlider = false;
    /** Whether a slider of the site's rule was on the page. Only such sliders are used from then on. */
    #hasRuleSlider = false;

    /**
     * @param {HTMLMediaElement} element
     * @param {(length: number) => boolean} playedBefore whether a session of that duration exists on this page
     */
    constructor(element, playedBefore) {
      this.#element = element;
      this.#playedBefore = playedBefore;
      this.#length = this.#stableLength = element.duration;
    }

    /** @returns {number} duration of the film in seconds; NaN while it is unknown */
    get length() {
      return this.fromSlider || (this.#isFilmTime() && !this.growing) ? this.#length : NaN;
    }

    /** @returns {boolean} whether the element's time can be that of a film: it has an end and starts at 0 */
    #isFilmTime() {
      if (this.#hasRuleSlider && [...this.#candidates.values()].some(({ diverged }) => diverged)) return false;
      const { duration, seekable } = this.#element;
      return Number.isFinite(duration) && !endless(duration) && !(seekable?.length > 0 && seekable.start(0) > 1);
    }

    /** Handles a changed duration of the element. */
    resize() {
      const { duration } = this.#element;
      if (this.fromSlider) return;
      if (duration > this.#stableLength + Math.max(1, CORRECTION * this.#stableLength)) this.startGrowing();
      this.#length = duration;
    }

    /** Marks the duration as growing. */
    startGrowing() {
      this.growing = true;
      this.#longestPause = Math.max(this.#longestPause, this.#stableFor);
      this.#stableFor = 0;
    }

    /** Accepts the duration: it has stayed the same for long enough, or the element has ended. */
    stopGrowing() {
      this.growing = false;
      this.#stableLength = this.#length;
    }

    /** Handles a seek of the element. */
    seek() {
      this.#seeked = true;
    }

    /**
     * Converts a played stretch. Stretches wait while it is unsure which time holds, so that several can come at once.
     * @param {[number, number]} span start and end in the element's time
     * @param {number} now milliseconds
     * @returns {[number, number][]} starts and ends in the film's time
     */
    toFilmTime(span, now) {
      this.#stableFor += span[1] - span[0];
      if (this.growing && this.#stableFor >= Math.min(LONGEST_STABLE, Math.max(STABLE, PAUSES * this.#longestPause))) this.stopGrowing();
      this.#hasRuleSlider ||= ruleSliders().length > 0;
      if (!this.fromSlider && !this.#hasRuleSlider && !this.growing && this.#isFilmTime()) return [span];
      for (const { cover } of this.#candidates.values()) cover.add(...span);
      if (now - this.#readAt >= READ_EVERY) {
        this.#readAt = now;
        this.#readSliders(span[1]);
      }
      const candidate = this.#slider;
      if (!candidate || this.#seeked) return !this.fromSlider && this.#isFilmTime() ? [span] : [];
      const spans = candidate.cover.spans;
      candidate.cover = new Cover();
      const { length } = candidate;
      return spans.map((/** @type {[number, number]} */ [from, to]) => [Math.max(0, from + this.offset), Math.min(length, to + this.offset)]);
    }

    /** Compares the sliders with the element. @param {number} position of the element in seconds */
    #readSliders(position) {
      const tolerance = TOLERANCE * Math.max(1, this.#element.playbackRate);
      for (const [length, value] of values(this.#hasRuleSlider ? ruleSliders() : pageSliders())) {
        const offset = value - position;
        const candidate = this.#candidates.get(length);
        if (!candidate || Math.abs(candidate.offset - offset) > tolerance) this.#addCandidate({ length, offset, cover: new Cover() });
        else if (candidate === this.#slider) this.#seeked = false;
        else if (Math.abs(candidate.offset - offset) <= tolerance / 2 && offset > tolerance && !candidate.diverged) candidate.diverged = true;
        else if (this.#isConfirmed(candidate, tolerance)) this.#adopt(candidate, tolerance);
      }
    }

    /** @param {SliderCandidate} candidate @param {number} tolerance seconds @returns {boolean} whether it was in step for long enough */
    #isConfirmed({ length, cover }, tolerance) {
      const needed = this.#hasRuleSlider || this.#playedBefore(length) ? CONFIRM_AGAIN : CONFIRM;
      return cover.seconds >= Math.max(3 * tolerance, needed);
    }

    /** @param {SliderCandidate} candidate */
    #addCandidate(candidate) {
      if (this.#candidates.size >= MOST_CANDIDATES) this.#candidates.clear();
      this.#candidates.set(candidate.length, candidate);
    }

    /**
     * Uses the time of a slider, unless a longer one is in use: a short one may be that of a chapter.
     * @param {SliderCandidate} candidate
     * @param {number} tolerance seconds
     */
    #adopt(candidate, tolerance) {
      if (this.#slider && this.#slider.length > candidate.length) return;
      this.#slider = candidate;
      this.#seeked = false;
      this.#length = candidate.length;
      this.offset = Math.abs(candidate.offset) > tolerance ? candidate.offset : 0;
      this.growing = false;
      this.fromSlider = true;
    }
  }

  own.clock = { Clock };
})();
