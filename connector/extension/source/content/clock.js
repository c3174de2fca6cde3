/**
 * Whose time a medium tells.
 *
 * Most media tell the film's own time and length. Of some the length grows
 * while more is loaded: it counts again when it has stood still. Others have
 * no end, or tell another time. Then a slider of the page's counts in their
 * place, once it has kept step with what was played.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { Cover } = own.meter;

  /** Longer than this is no film. */
  const { endless } = own.threshold;
  /** Played seconds in which a length that has grown must stand still: least and most. */
  const STILL = 60;
  const LONGEST_STILL = 300;
  /** It must stand still for so many times the longest pause between two growths. */
  const PAUSES = 3;
  /** By so small a part a length is corrected, not grown. */
  const CORRECTED = 0.02;
  /** Milliseconds between two looks at the sliders. */
  const LOOK_EVERY = 2000;
  /** What a slider may be late, in seconds. */
  const LATE = 2;
  /** Played seconds in which a slider must keep step: the first time, and again. */
  const STEP = 60;
  const STEP_AGAIN = 10;
  const SLIDERS = "[role=slider][aria-valuenow][aria-valuemax], progress[max], input[type=range][max]";
  const MOST_SLIDERS = 50;
  const MOST_CANDIDATES = 20;

  /**
   * @param {any} slider
   * @returns {[number, number]} the value and the largest one, in seconds
   */
  function reading(slider) {
    const told = (/** @type {string} */ name) => Number(slider.getAttribute(`aria-value${name}`) ?? slider[name === "now" ? "value" : name] ?? 0);
    const [least, now, most] = ["min", "now", "max"].map(told);
    const unit = endless(most) ? 1000 : 1; // some tell milliseconds
    return [least === 0 ? now / unit : NaN, Math.round(most / unit)];
  }

  /** @returns {Element[]} the sliders that the site's rule names */
  const named = () => own.siteRule.sliders(own.parts?.tracker.site);

  /** @returns {Element[]} the sliders of all trees of the page */
  const all = () => own.parts?.finder.roots.flatMap((/** @type {ParentNode} */ root) => [...root.querySelectorAll(SLIDERS)].slice(0, MOST_SLIDERS)) ?? [];

  /** @param {Element[]} sliders @returns {Map<number, number>} their values, by the largest value */
  function values(sliders) {
    /** @type {Map<number, number>} */
    const found = new Map();
    for (const slider of sliders) {
      const [now, most] = reading(slider);
      // Of several the one behind: a bar of what is loaded runs ahead.
      if (most > 0 && now >= 0 && !((found.get(most) ?? Infinity) <= now)) found.set(most, now);
    }
    return found;
  }

  /**
   * A slider that may tell the film's time, by what it is ahead of the medium.
   * Diverged: it runs ahead in step, so the medium's time restarted after a jump.
   * @typedef {{length: number, ahead: number, cover: any, diverged?: boolean}} SliderCandidate
   */

  class Clock {
    #length;
    /** The length when it last stood still. */
    #stood;
    #still = 0;
    #pause = 0;
    #lookedAt = -Infinity;
    /** @type {Map<number, SliderCandidate>} by the length they tell */
    #candidates = new Map();
    /** @type {SliderCandidate | null} the one that is believed */
    #slider = null;
    /** After a jump it has to be seen again. */
    #lifted = false;
    #element;
    #known;
    /** Whether the length moves: nobody knows how long the film is. */
    growing = false;
    /** Seconds that the film's time is ahead of the medium's. */
    ahead = 0;
    /** Whether a slider tells the time. */
    paged = false;
    /** Whether there was a slider that the site's rule names. Its time holds once it is believed. */
    #ruled = false;

    /**
     * @param {HTMLMediaElement} element
     * @param {(length: number) => boolean} known whether a film of that length has played on this page
     */
    constructor(element, known) {
      this.#element = element;
      this.#known = known;
      this.#length = this.#stood = element.duration;
    }

    /** @returns {number} seconds of the film; NaN while nobody knows */
    get length() {
      return this.paged || (this.#honest() && !this.growing) ? this.#length : NaN;
    }

    /** @returns {boolean} whether the medium's time can be a film's: it has an end, and begins at nought */
    #honest() {
      if (this.#ruled && [...this.#candidates.values()].some(({ diverged }) => diverged)) return false;
      const { duration, seekable } = this.#element;
      return Number.isFinite(duration) && !endless(duration) && !(seekable?.length > 0 && seekable.start(0) > 1);
    }

    /** The medium has another length. A small correction is no growth. */
    resize() {
      const { duration } = this.#element;
      if (this.paged) return;
      if (duration > this.#stood + Math.max(1, CORRECTED * this.#stood)) this.doubt();
      this.#length = duration;
    }

    /** The length has grown, or is known to grow. */
    doubt() {
      this.growing = true;
      this.#pause = Math.max(this.#pause, this.#still);
      this.#still = 0;
    }

    /** The length stands still, or the medium has come to its end. */
    end() {
      this.growing = false;
      this.#stood = this.#length;
    }

    /** The medium jumps. */
    lift() {
      this.#lifted = true;
    }

    /**
     * @param {[number, number]} span of the medium's time that was played
     * @param {number} now milliseconds
     * @returns {[number, number][]} spans of the film's time that count now
     */
    take(span, now) {
      this.#still += span[1] - span[0];
      if (this.growing && this.#still >= Math.min(LONGEST_STILL, Math.max(STILL, PAUSES * this.#pause))) this.end();
      this.#ruled ||= named().length > 0;
      if (!this.paged && !this.#ruled && !this.growing && this.#honest()) return [span];
      for (const { cover } of this.#candidates.values()) cover.add(...span);
      if (now - this.#lookedAt >= LOOK_EVERY) {
        this.#lookedAt = now;
        this.#look(span[1]);
      }
      const candidate = this.#slider;
      if (!candidate || this.#lifted) return !this.paged && this.#honest() ? [span] : [];
      const spans = candidate.cover.spans;
      candidate.cover = new Cover();
      return spans.map((/** @type {[number, number]} */ [from, to]) => [Math.max(0, from + this.ahead), Math.min(candidate.length, to + this.ahead)]);
    }

    /** @param {number} position of the medium */
    #look(position) {
      const late = LATE * Math.max(1, this.#element.playbackRate);
      for (const [length, value] of values(this.#ruled ? named() : all())) {
        const ahead = value - position;
        const candidate = this.#candidates.get(length);
        if (!candidate || Math.abs(candidate.ahead - ahead) > late) this.#consider({ length, ahead, cover: new Cover() });
        else if (candidate === this.#slider) this.#lifted = false;
        else if (Math.abs(candidate.ahead - ahead) <= late / 2 && ahead > late && !candidate.diverged) candidate.diverged = true;
        else if (candidate.cover.seconds >= Math.max(3 * late, this.#ruled || this.#known(length) ? STEP_AGAIN : STEP)) this.#believe(candidate, late);
      }
    }

    /** @param {SliderCandidate} candidate */
    #consider(candidate) {
      if (this.#candidates.size >= MOST_CANDIDATES) this.#candidates.clear();
      this.#candidates.set(candidate.length, candidate);
    }

    /** Of several the longest: a chapter is no film. @param {SliderCandidate} candidate @param {number} late seconds */
    #believe(candidate, late) {
      if (this.#slider && this.#slider.length > candidate.length) return;
      this.#slider = candidate;
      this.#lifted = false;
      this.#length = candidate.length;
      this.ahead = Math.abs(candidate.ahead) > late ? candidate.ahead : 0;
      this.growing = false;
      this.paged = true;
    }
  }

  own.clock = { Clock };
})();
