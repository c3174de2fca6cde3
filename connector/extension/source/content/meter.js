/**
 * How much of a film was really played.
 *
 * A track follows one medium and turns its clock into stretches that were
 * played; a cover is the sum of such stretches, each second of the film
 * counted once. Jumps are never counted: a stretch must be explained by the
 * time that has passed, at the medium's own speed.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Longest time between two samples that still counts, in milliseconds. */
  const LONGEST_GAP = 10_000;
  /** What the two clocks may differ, in seconds, over a whole track. */
  const SLACK = 0.5;
  /** A busy page reads an old position; what it lags behind may be caught up with, in seconds. */
  const LAG = 5;
  /** Stretches kept; one who jumps more often gains no more seconds. */
  const MOST_SPANS = 500;
  /** Stretches closer than this are one. */
  const JOINT = 0.01;

  /** @typedef {[number, number]} Span */

  class Track {
    /** @type {number | null} */
    #position = null;
    #at = 0;
    #rate = 1;
    /** Seconds that may be played without more time passing. */
    #bank = SLACK;

    /**
     * Takes a sample while the medium plays.
     * @param {number} position seconds of the film
     * @param {number} rate its speed; 2 is twice as fast
     * @param {number} now milliseconds of a clock that nobody sets
     * @returns {Span | null} what was played since the last sample
     */
    sample(position, rate, now) {
      const before = this.#position;
      const elapsed = Math.min(now - this.#at, LONGEST_GAP) / 1000;
      const speed = Math.max(this.#rate, rate);
      this.#position = Number.isFinite(position) ? position : null;
      this.#at = now;
      this.#rate = Number.isFinite(rate) ? rate : 1;
      if (before === null || this.#position === null) return null;
      if (elapsed > 0 && speed > 0) this.#bank = Math.min(this.#bank, LAG) + elapsed * speed;
      const played = position - before;
      if (!(played > 0) || played > this.#bank) return null;
      this.#bank -= played;
      return [before, position];
    }

    /** Forgets where it was: the medium jumps, waits or was paused. */
    lift() {
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
