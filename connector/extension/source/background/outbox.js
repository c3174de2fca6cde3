/**
 * The outbox: every event is here, on disk, before anything else happens to
 * it, and leaves only when the daemon has it on its own disk or the user
 * drops it.
 *
 * An event is waiting (to be sent, in order), rejected (the daemon has
 * refused it for good), unknown (watched, but the user has to say what it
 * was) or discarded (by the user, who may take it back for a month). A change of state is one write, so there is no moment at which an
 * event is in no state or in two.
 */
import { Database, answer } from "./database.js";

/** How many events may be here at once, in all states. */
export const CAPACITY = 5000;

/** How many discarded events are kept, and how long, in milliseconds. */
const BIN = 200;
const BIN_TIME = 30 * 24 * 3600 * 1000;

/** How many ids of settled events are remembered. */
const REMEMBERED = 1000;

/** How many of the latest settled events are remembered whole, and for how long in milliseconds. */
const RECENT = { most: 5, lasts: 24 * 3600 * 1000 };

/**
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Identified} Identified
 */

/**
 * What an unknown event lacks only its media to be sent.
 * @typedef {object} Draft
 * @property {string} watchedAt
 * @property {{position: number, duration: number, played: number}} progress
 * @property {{site: string, url?: string}} source
 * @property {Identified["evidence"]} evidence
 * @property {string} [key] of its page; see known.js
 * @property {import("../messages.js").Seen} [seen] for the user
 * @property {boolean} [mistaken] the user has said that the page itself named the wrong item, so its names are not kept
 * @property {string} [address] of its page, whole, for the user; never sent
 */

/**
 * That the service is to be asked what an unknown event was.
 * @typedef {object} Ask
 * @property {Media} media what is known of it
 * @property {number} at when it is due, in milliseconds since 1970
 * @property {number} tries how often it was in vain
 * @property {boolean} [open] a name alone is asked about, so the user has to answer in any case
 */

/**
 * @typedef {object} Event
 * @property {string} id UUID
 * @property {"waiting" | "rejected" | "unknown" | "discarded"} state
 * @property {string} title for the user
 * @property {string} at when it happened, RFC 3339
 * @property {Record<string, any>} [message] exactly as it is sent; none while unknown
 * @property {Draft} [draft] while unknown or discarded, and of one that was
 * @property {Ask} [ask] only while unknown: the service is asked first
 * @property {import("../messages.js").Candidate[]} [candidates] only while unknown: what the service takes it for
 * @property {number} [after] milliseconds since 1970: not to be sent before
 * @property {boolean} [tried] it was sent at least once
 * @property {{code: string, message: string}} [error] only when rejected
 * @property {{was: "unknown" | "rejected", at: number}} [bin] only when discarded; at in milliseconds since 1970
 * @property {number} [seq] the order of arrival
 */

/** @typedef {{waiting: number, rejected: number, unknown: number, full: boolean}} Counts */

/** @param {Event["state"]} state */
const inState = (state) => IDBKeyRange.bound([state], [state, []]);

/**
 * @param {(Event & {gone: number})[] | undefined} kept
 * @returns {(Event & {gone: number})[]}
 */
const fresh = (kept) => (kept ?? []).filter(({ gone }) => Date.now() - gone < RECENT.lasts);

export class Outbox {
  #db;
  #capacity;

  /**
   * @param {Database} db
   * @param {number} [capacity]
   */
  constructor(db, capacity = CAPACITY) {
    this.#db = db;
    this.#capacity = capacity;
  }

  /**
   * Takes an event. It is on disk when this resolves with "kept"; "known" says
   * that this id was taken before, whatever has become of it.
   * @param {Event} event
   * @returns {Promise<"kept" | "known" | "full">}
   */
  put(event) {
    return this.#db.run("readwrite", ["events", "done"], async (tx) => {
      const events = tx.objectStore("events");
      const here = await answer(events.index("id").count(event.id));
      const gone = await answer(tx.objectStore("done").index("id").count(event.id));
      if (here + gone > 0) return "known";
      if ((await answer(events.count())) >= this.#capacity) return "full";
      await answer(events.add(event));
      return "kept";
    });
  }

  /**
   * Events of a state, oldest first.
   * @param {Event["state"]} state
   * @param {number} [limit]
   * @returns {Promise<Event[]>}
   */
  list(state, limit) {
    return this.#db.run("readonly", ["events"], (tx) =>
      answer(tx.objectStore("events").index("state").getAll(inState(state), limit)),
    );
  }

  /** @returns {Promise<Event[]>} everything, oldest first */
  all() {
    return this.#db.run("readonly", ["events"], (tx) => answer(tx.objectStore("events").getAll()));
  }

  /** @returns {Promise<Counts>} */
  count() {
    return this.#db.run("readonly", ["events"], async (tx) => {
      const states = tx.objectStore("events").index("state");
      const waiting = await answer(states.count(inState("waiting")));
      const rejected = await answer(states.count(inState("rejected")));
      const unknown = await answer(states.count(inState("unknown")));
      const all = await answer(tx.objectStore("events").count());
      return { waiting, rejected, unknown, full: all >= this.#capacity };
    });
  }

  /**
   * The event of an id, waiting for whatever.
   * @param {string} id
   * @returns {Promise<Event | undefined>}
   */
  get(id) {
    return this.#db.run("readonly", ["events"], (tx) => answer(tx.objectStore("events").index("id").get(id)));
  }

  /**
   * The latest events of a state, the latest first.
   * @param {Event["state"]} state
   * @param {number} limit
   * @returns {Promise<Event[]>}
   */
  latest(state, limit) {
    return this.#db.run("readonly", ["events"], async (tx) => {
      const request = tx.objectStore("events").index("state").openCursor(inState(state), "prev");
      const found = [];
      for (let cursor = await answer(request); cursor && found.length < limit; cursor = await answer(request)) {
        found.push(cursor.value);
        cursor.continue();
      }
      return found;
    });
  }

  /** @returns {Promise<(Event & {gone: number})[]>} what was settled last and can be taken back, oldest first */
  async recent() {
    const kept = await this.#db.run("readonly", ["kept"], (tx) => answer(tx.objectStore("kept").get("recent")));
    return fresh(kept);
  }

  /**
   * Notes that an event is about to be sent: from now on the daemon may have it.
   * @param {string} id
   */
  tried(id) {
    return this.#change(id, "waiting", (event) => ({ ...event, tried: true }));
  }

  /**
   * Changes an unknown event that stays one.
   * @param {string} id
   * @param {(event: Event) => Event} to
   */
  learn(id, to) {
    return this.#change(id, "unknown", to);
  }

  /**
   * Puts another event in the place of one that the daemon has no more.
   * @param {string} id
   * @param {Event | null} instead
   */
  replace(id, instead) {
    return this.#db.run("readwrite", ["events", "done", "kept"], async (tx) => {
      const events = tx.objectStore("events");
      /** @type {Event | undefined} */
      const event = await answer(events.index("id").get(id));
      if (event) await answer(events.delete(/** @type {number} */ (event.seq)));
      if (event) await answer(tx.objectStore("done").add({ id }));
      const kept = tx.objectStore("kept");
      await answer(kept.put(fresh(await answer(kept.get("recent"))).filter((one) => one.id !== id), "recent"));
      if (instead) await answer(events.add(instead));
    });
  }

  /**
   * Forgets an event that the daemon has on disk, or that the user has
   * dropped. Its id is remembered, so the same sitting cannot come again; a
   * viewing that the daemon has is remembered whole for a while.
   * @param {string} id
   * @param {Event["state"][]} [only] leave it when it is in another state
   * @param {{recent?: boolean}} [how]
   * @returns {Promise<boolean>} whether it was there
   */
  remove(id, only, { recent = false } = {}) {
    return this.#db.run("readwrite", ["events", "done", "kept"], async (tx) => {
      const events = tx.objectStore("events");
      /** @type {Event | undefined} */
      const event = await answer(events.index("id").get(id));
      if (!event || (only && !only.includes(event.state))) return false;
      await answer(events.delete(/** @type {number} */ (event.seq)));
      const done = tx.objectStore("done");
      const seq = await answer(done.add({ id }));
      await answer(done.delete(IDBKeyRange.upperBound(/** @type {number} */ (seq) - REMEMBERED)));
      if (recent && event.message?.type === "viewing") {
        const kept = tx.objectStore("kept");
        const all = [...fresh(await answer(kept.get("recent"))), { ...event, gone: Date.now() }];
        await answer(kept.put(all.slice(-RECENT.most), "recent"));
      }
      return true;
    });
  }

  /**
   * Puts what the user has discarded into the bin. It never leaves from there
   * by itself but into nothing: when the bin is full, or after a month.
   * @param {string[]} ids
   * @param {number} [now] milliseconds since 1970
   * @returns {Promise<number>} how many were there
   */
  async discard(ids, now = Date.now()) {
    let n = 0;
    for (const id of ids) {
      const was = /** @type {const} */ (["unknown", "rejected"]);
      for (const from of was) n += Number(await this.#change(id, from, (event) => ({ ...event, state: "discarded", bin: { was: from, at: now } })));
    }
    await this.#sweep(now);
    return n;
  }

  /**
   * Takes an event out of the bin.
   * @param {string} id
   */
  restore(id) {
    return this.#change(id, "discarded", ({ bin, ...event }) => ({ ...event, state: bin?.was ?? "unknown" }));
  }

  /**
   * What is in the bin, the latest first.
   * @param {number} [now] milliseconds since 1970
   * @returns {Promise<Event[]>}
   */
  async bin(now = Date.now()) {
    const all = await this.list("discarded");
    const fresh = all.filter((event) => now - (event.bin?.at ?? 0) < BIN_TIME);
    return fresh.sort((one, other) => (other.bin?.at ?? 0) - (one.bin?.at ?? 0)).slice(0, BIN);
  }

  /** Forgets what is in the bin. */
  async emptyBin() {
    for (const { id } of await this.list("discarded")) await this.remove(id, ["discarded"]);
  }

  /** @param {number} now */
  async #sweep(now) {
    const kept = new Set((await this.bin(now)).map(({ id }) => id));
    for (const { id } of await this.list("discarded")) if (!kept.has(id)) await this.remove(id, ["discarded"]);
  }

  /**
   * Keeps an event out of the way because it was refused for good.
   * @param {string} id
   * @param {{code: string, message: string}} error
   */
  reject(id, error) {
    return this.#change(id, "waiting", (event) => ({ ...event, state: "rejected", error }));
  }

  /**
   * Sends what was rejected once more.
   * @param {string} id
   */
  again(id) {
    return this.#change(id, "rejected", ({ error: _, ...event }) => ({ ...event, state: "waiting" }));
  }

  /**
   * Says what an unknown event was.
   * @param {string} id
   * @param {(event: Event) => Event} as
   */
  identify(id, as) {
    return this.#change(id, "unknown", (event) => {
      const { ask: _, candidates: __, ...rest } = as(event);
      return { ...rest, state: "waiting" };
    });
  }

  /**
   * @param {string} id
   * @param {Event["state"]} from
   * @param {(event: Event) => Event} to
   * @returns {Promise<boolean>} whether it was there, in that state
   */
  #change(id, from, to) {
    return this.#db.run("readwrite", ["events"], async (tx) => {
      const events = tx.objectStore("events");
      /** @type {Event | undefined} */
      const event = await answer(events.index("id").get(id));
      if (event?.state !== from) return false;
      await answer(events.put(to(event)));
      return true;
    });
  }
}
