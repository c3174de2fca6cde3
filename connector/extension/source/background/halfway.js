/**
 * What was left half way: who watches half a film today and the rest tomorrow
 * has watched it, though the page was loaded again in between. Kept for a
 * month, and by a hash: the list does not tell where its user has been.
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

  /** @param {unknown} halfway */
  async keep(halfway) {
    if (!isHalfway(halfway)) return;
    const { id, duration, startedAt, spans } = halfway;
    const entry = { id, page: await nameOf(halfway.page), duration, startedAt, spans, at: this.#now() };
    await this.#change((entries) => [...entries.filter((one) => one.id !== id && entry.at - one.at < KEPT), entry].slice(-MAX_ENTRIES));
  }

  /** @param {string} id of the session that is now watched */
  async drop(id) {
    await this.#change((entries) => entries.filter((one) => one.id !== id));
  }
}
