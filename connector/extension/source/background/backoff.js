/**
 * Back-off: 1 s, doubling to 60 s, each with a quarter of jitter either way,
 * so that browsers that lost the daemon together do not return together.
 */
const FIRST = 1000;
const LAST = 60_000;

export class Backoff {
  #tries = 0;
  #until = 0;
  #random;

  /** @param {() => number} [random] from 0 up to, not including, 1 */
  constructor(random = Math.random) {
    this.#random = random;
  }

  /**
   * Notes a failure.
   * @param {number} now milliseconds of a clock that nobody sets
   * @param {number} [atLeast] milliseconds that the daemon has asked for
   * @returns {number} milliseconds to wait
   */
  fail(now, atLeast = 0) {
    const base = Math.min(LAST, FIRST * 2 ** this.#tries);
    const spread = base * (0.75 + 0.5 * this.#random());
    const wait = Math.min(LAST, Math.max(FIRST, spread, atLeast));
    this.#tries = Math.min(this.#tries + 1, 10);
    this.#until = now + wait;
    return wait;
  }

  /**
   * @param {number} now milliseconds of the same clock
   * @returns {number} milliseconds still to wait; 0 when none
   */
  left(now) {
    return Math.max(0, this.#until - now);
  }

  reset() {
    this.#tries = 0;
    this.#until = 0;
  }
}
