/**
 * Stores the progress of sessions that have not crossed the threshold, so that
 * a film watched in two parts counts although the page was loaded again. Entries
 * are kept for a month, under a hash of the page, so that the list does not show
 * which pages the user has visited.
 */
import { isUUID } from "./events.js";
import { hashOf } from "./probe.js";

/** @typedef {import("../messages.js").Halfway} Halfway */
/** @typedef {{page: string, duration: number, id: string, startedAt: string, spans: [number, number][], at: number}} Entry */

const NAME = "halfway";
const MAX_ENTRIES = 200;
const MAX_SPANS = 500;
const MAX_PAGE = 8000;
const KEPT = 30 * 24 * 3600 * 1000; // milliseconds

/** @param {string} page */
const nameOf = (page) => hashOf(page.slice(0, MAX_PAGE));

/**
 * @param {number} one seconds
 * @param {number} other seconds
 */
const sameLength = (one, other) => Math.abs(one - other) <= Math.max(1, other / 2000);

/**
 * @param {any} halfway from a content script
 * @returns {halfway is Halfway}
 */
function isHalfway(halfway) {
  const { id, page, duration, startedAt, spans } = halfway ?? {};
  const isSpan = (/** @type {any} */ span) => Array.isArray(span) && span.length === 2 && span[0] >= 0 && span[1] > span[0] && span[1] <= duration + 60;
  return isUUID(id) && typeof page === "string" && duration > 0 && Number.isFinite(duration) && typeof startedAt === "string"
    && startedAt.length <= 40 && Array.isArray(spans) && spans.length <= MAX_SPANS && spans.every(isSpan);
}

export class HalfwayBook {
  #database;
  #now;

  /**
   * @param {import("./database.js").Database} database
   * @param {() => number} [now] milliseconds since 1970
   */
  constructor(database, now = Date.now) {
    this.#database = database;
    this.#now = now;
  }

  /** @param {(entries: Entry[]) => Entry[]} change */
  #change(change) {
    return this.#database.update(NAME, (entries = []) => change(entries));
  }

  /**
   * Finds the progress that was saved for a page.
   * @param {unknown} page its name
   * @param {number} duration seconds
   * @returns {Promise<{id: string, startedAt: string, spans: [number, number][]} | null>}
   */
  async find(page, duration) {
    if (typeof page !== "string" || page === "") return null;
    const name = await nameOf(page);
    /** @type {Entry[]} */
    const entries = (await this.#database.read(NAME)) ?? [];
    const found = entries.findLast((entry) => entry.page === name && sameLength(entry.duration, duration) && this.#now() - entry.at < KEPT);
    return found ? { id: found.id, startedAt: found.startedAt, spans: found.spans } : null;
  }

  /** Saves the progress of a session, unless it is malformed. @param {unknown} halfway */
  async keep(halfway) {
    if (!isHalfway(halfway)) return;
    const { id, duration, startedAt, spans } = halfway;
    const entry = { id, page: await nameOf(halfway.page), duration, startedAt, spans, at: this.#now() };
    await this.#change((entries) => [...entries.filter((one) => one.id !== id && entry.at - one.at < KEPT), entry].slice(-MAX_ENTRIES));
  }

  /** Removes the progress of a session. @param {string} id of a session that counts as watched now */
  async drop(id) {
    await this.#change((entries) => entries.filter((one) => one.id !== id));
  }
}
