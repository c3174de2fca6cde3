/**
 * Measures how much of a film was played.
 *
 * A Track turns samples of a media element's position into played stretches.
 * A Cover is the union of such stretches, so each second of the film counts
 * once. Seeks never count: a stretch may only be as long as the time that has
 * passed allows at the playback rate.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Milliseconds between two samples; of a longer time only so much counts. */
  const LONGEST_GAP = 10_000;
  /** Seconds by which the position may be ahead of the time that has passed, over a whole track. */
  const SLACK = 0.5;
  /** Seconds by which a busy page may report an old position and catch up later. */
  const LAG = 5;
  /** The most stretches that are kept; later ones that touch none of them are ignored. */
  const MOST_SPANS = 500;
  /** Stretches that are closer than this, in seconds, are joined. */
  const JOINT = 0.01;

  /** @typedef {[number, number]} Span */

  class Track {
    /** @type {number | null} */
    #position = null;
    #at = 0;
    #rate = 1;
    /** Seconds of the film that the time that has passed still allows. */
    #allowance = SLACK;

    /**
     * Takes a sample while the medium plays.
     * @param {number} position seconds of the film
     * @param {number} rate the playback rate
     * @param {number} now milliseconds of a monotonic clock
     * @returns {Span | null} the stretch played since the last sample; null after a seek
     */
    sample(position, rate, now) {
      const before = this.#position;
      const elapsed = Math.min(now - this.#at, LONGEST_GAP) / 1000;
      const speed = Math.max(this.#rate, rate);
      this.#position = Number.isFinite(position) ? position : null;
      this.#at = now;
      this.#rate = Number.isFinite(rate) ? rate : 1;
      if (before === null || this.#position === null) return null;
      if (elapsed > 0 && speed > 0) this.#allowance = Math.min(this.#allowance, LAG) + elapsed * speed;
      const played = position - before;
      if (!(played > 0) || played > this.#allowance) return null;
      this.#allowance -= played;
      return [before, position];
    }

    /** Forgets the last sample, because the element seeks, waits or is paused. */
    reset() {
      this.#position = null;
    }
  }

  class Cover {
    /** @type {Span[]} in order, never overlapping */
    #spans = [];

    /** @param {Span[]} [spans] */
    constructor(spans = []) {
      for (const [from, to] of spans) this.add(from, to);
    }

    /**
     * @param {number} from seconds
     * @param {number} to seconds
     */
    add(from, to) {
      if (!(from >= 0) || !(to > from) || !Number.isFinite(to)) return;
      const spans = this.#spans;
      let first = spans.length;
      while (first > 0 && spans[first - 1][1] >= from - JOINT) first--;
      let end = first;
      while (end < spans.length && spans[end][0] <= to + JOINT) end++;
      if (end === first) {
        if (spans.length < MOST_SPANS) spans.splice(first, 0, [from, to]);
        return;
      }
      const joined = /** @type {Span} */ ([Math.min(from, spans[first][0]), Math.max(to, spans[end - 1][1])]);
      spans.splice(first, end - first, joined);
    }

    /** @returns {number} seconds */
    get seconds() {
      return this.within(0, Infinity);
    }

    /**
     * @param {number} from seconds
     * @param {number} to seconds
     * @returns {number} seconds played between the two
     */
    within(from, to) {
      let sum = 0;
      for (const span of this.#spans) sum += Math.max(0, Math.min(to, span[1]) - Math.max(from, span[0]));
      return sum;
    }

    /**
     * @param {number} position
     * @returns {boolean} whether that moment was played
     */
    has(position) {
      return this.#spans.some((span) => span[0] <= position && position <= span[1]);
    }

    /** @returns {Span[]} */
    get spans() {
      return this.#spans.map((span) => [span[0], span[1]]);
    }
  }

  own.meter = { Track, Cover };
})();
