/**
 * Sends messages to the background, which may be asleep, about to end, or gone
 * because the extension was updated.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Milliseconds between the attempts; the last one repeats. */
  const PAUSES = [2_000, 5_000, 15_000, 60_000, 300_000];
  /** Reasons after which another attempt is useless. */
  const FINAL = new Set(["paused", "malformed"]);

  /**
   * @param {any} message
   * @returns {Promise<any>} the answer; null when there was none
   */
  async function send(message) {
    try {
      const api = globalThis.browser ?? globalThis.chrome;
      return (await api.runtime.sendMessage(message)) ?? null;
    } catch {
      return null;
    }
  }

  /** @returns {boolean} false after the extension was updated or removed */
  function alive() {
    try {
      return Boolean((globalThis.browser ?? globalThis.chrome)?.runtime?.id);
    } catch {
      return false;
    }
  }

  /**
   * @param {number} tries attempts without an answer so far
   * @returns {number} milliseconds until the next attempt
   */
  function pause(tries) {
    return PAUSES[Math.min(tries, PAUSES.length - 1)];
  }

  /** Reports sessions as watched, and repeats each report until the background has stored it. */
  class Reporter {
    /** @type {Map<string, {message: any, tries: number, timer: any}>} reports by id of the session */
    #waiting = new Map();
    #send;

    /** @param {(message: any) => Promise<any>} [send] */
    constructor(send = own.reporter.send) {
      this.#send = send;
    }

    /** @param {import("../messages.js").SessionReport} session as it was when it crossed the threshold; it never changes afterwards */
    report(session) {
      if (this.#waiting.has(session.id)) return;
      this.#waiting.set(session.id, { message: { kind: "watched", session }, tries: 0, timer: null });
      void this.#try(session.id);
    }

    /** Sends all reports at once: the page is about to be closed, or was restored. */
    flush() {
      for (const id of this.#waiting.keys()) void this.#try(id);
    }

    /** @returns {number} reports that are not stored yet */
    get waiting() {
      return this.#waiting.size;
    }

    /** @param {string} id */
    async #try(id) {
      const entry = this.#waiting.get(id);
      if (!entry) return;
      clearTimeout(entry.timer);
      const answer = await this.#send(entry.message);
      if (answer?.kept === true || FINAL.has(answer?.reason) || !own.reporter.alive()) {
        clearTimeout(entry.timer);
        this.#waiting.delete(id);
        return;
      }
      if (!this.#waiting.has(id)) return;
      clearTimeout(entry.timer);
      entry.timer = setTimeout(() => void this.#try(id), pause(entry.tries++));
    }
  }

  own.reporter = { send, alive, pause, Reporter };
})();
