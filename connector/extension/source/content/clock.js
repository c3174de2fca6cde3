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
  const { endless } = own.rule;
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
  const MOST_HANDS = 20;

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
  const named = () => own.site.sliders(own.parts?.desk.site);

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
   * Astray: it runs ahead in step, so the medium's time began anew after a jump.
   * @typedef {{length: number, ahead: number, cover: any, astray?: boolean}} Hand
   */

  class Clock {
    #length;
    /** The length when it last stood still. */
    #stood;
    #still = 0;
    #pause = 0;
    #lookedAt = -Infinity;
    /** @type {Map<number, Hand>} by the length they tell */
    #hands = new Map();
    /** @type {Hand | null} the one that is believed */
    #hand = null;
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
      if (this.#ruled && [...this.#hands.values()].some(({ astray }) => astray)) return false;
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
      for (const { cover } of this.#hands.values()) cover.add(...span);
      if (now - this.#lookedAt >= LOOK_EVERY) {
        this.#lookedAt = now;
        this.#look(span[1]);
      }
      const hand = this.#hand;
      if (!hand || this.#lifted) return !this.paged && this.#honest() ? [span] : [];
      const spans = hand.cover.spans;
      hand.cover = new Cover();
      return spans.map((/** @type {[number, number]} */ [from, to]) => [Math.max(0, from + this.ahead), Math.min(hand.length, to + this.ahead)]);
    }

    /** @param {number} position of the medium */
    #look(position) {
      const late = LATE * Math.max(1, this.#element.playbackRate);
      for (const [length, value] of values(this.#ruled ? named() : all())) {
        const ahead = value - position;
        const hand = this.#hands.get(length);
        if (!hand || Math.abs(hand.ahead - ahead) > late) this.#meet({ length, ahead, cover: new Cover() });
        else if (hand === this.#hand) this.#lifted = false;
        else if (Math.abs(hand.ahead - ahead) <= late / 2 && ahead > late && !hand.astray) hand.astray = true;
        else if (hand.cover.seconds >= Math.max(3 * late, this.#ruled || this.#known(length) ? STEP_AGAIN : STEP)) this.#believe(hand, late);
      }
    }

    /** @param {Hand} hand */
    #meet(hand) {
      if (this.#hands.size >= MOST_HANDS) this.#hands.clear();
      this.#hands.set(hand.length, hand);
    }

    /** Of several the longest: a chapter is no film. @param {Hand} hand @param {number} late seconds */
    #believe(hand, late) {
      if (this.#hand && this.#hand.length > hand.length) return;
      this.#hand = hand;
      this.#lifted = false;
      this.#length = hand.length;
      this.ahead = Math.abs(hand.ahead) > late ? hand.ahead : 0;
      this.growing = false;
      this.paged = true;
    }
  }

  own.clock = { Clock };
})();
