/**
 * What was left half way: who watches half a film today and the rest tomorrow
 * has watched it, though the page was loaded anew in between. Kept for a
 * month, and by a hash: the list does not tell where its user has been.
 */

/** @typedef {import("../messages.js").Halfway} Halfway */
/** @typedef {{page: string, duration: number, id: string, startedAt: string, spans: [number, number][], at: number}} Entry */

const NAME = "halfway";
const MOST = 200;
const MOST_SPANS = 500;
const MOST_PAGE = 8000;
const KEPT = 30 * 24 * 3600 * 1000; // milliseconds
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @param {string} page */
async function hash(page) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(page.slice(0, MOST_PAGE)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

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
  return UUID.test(id) && typeof page === "string" && duration > 0 && Number.isFinite(duration) && typeof startedAt === "string"
    && startedAt.length <= 40 && Array.isArray(spans) && spans.length <= MOST_SPANS && spans.every(isSpan);
}

export class HalfwayBook {
  #database;
  #now;
  /** @type {Promise<unknown>} changes happen one after the other */
  #last = Promise.resolve();

  /**
   * @param {{read(name: string): Promise<any>, write(name: string, value: any): Promise<void>}} database
   * @param {() => number} [now] milliseconds since 1970
   */
  constructor(database, now = Date.now) {
    this.#database = database;
    this.#now = now;
  }

  /** @returns {Promise<Entry[]>} */
  async #all() {
    const entries = (await this.#database.read(NAME)) ?? [];
    return entries.filter((/** @type {Entry} */ entry) => this.#now() - entry.at < KEPT);
  }

  /** @param {(entries: Entry[]) => Entry[]} change */
  #change(change) {
    const done = this.#last.then(async () => this.#database.write(NAME, change(await this.#all())));
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * @param {unknown} page its name
   * @param {number} duration seconds
   * @returns {Promise<{id: string, startedAt: string, spans: [number, number][]} | null>}
   */
  async find(page, duration) {
    if (typeof page !== "string" || page === "") return null;
    await this.#last;
    const name = await hash(page);
    const found = (await this.#all()).findLast((entry) => entry.page === name && sameLength(entry.duration, duration));
    return found ? { id: found.id, startedAt: found.startedAt, spans: found.spans } : null;
  }

  /** @param {unknown} halfway */
  async keep(halfway) {
    if (!isHalfway(halfway)) return;
    const { id, duration, startedAt, spans } = halfway;
    const page = await hash(halfway.page);
    const entry = { id, page, duration, startedAt, spans, at: this.#now() };
    await this.#change((entries) => [...entries.filter((one) => one.id !== id), entry].slice(-MOST));
  }

  /** @param {string} id of the sitting that is now watched */
  async drop(id) {
    await this.#last;
    if ((await this.#all()).some((entry) => entry.id === id)) await this.#change((entries) => entries.filter((one) => one.id !== id));
  }
}
