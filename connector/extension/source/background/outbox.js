/**
 * Stores events on disk until the daemon has acknowledged them, which says that
 * it has them on its own disk, or until the user discards them.
 *
 * An event is waiting (to be sent, in order) or rejected (refused by the daemon
 * for good). A change of state is one transaction.
 */
import { Database, answer } from "./database.js";

/** The most events in all states. */
export const CAPACITY = 5000;

/** How many ids of finished events are remembered. */
const REMEMBERED = 1000;

/**
 * @typedef {object} Event
 * @property {string} id UUID
 * @property {"waiting" | "rejected"} state
 * @property {string} title for the user
 * @property {string} at when it happened, RFC 3339
 * @property {Record<string, any>} message exactly as it is sent
 * @property {Refusal} [error] only when rejected
 * @property {number} [seq] the order of arrival
 */

/**
 * The error with which the daemon has refused an event for good.
 * @typedef {{code: string, field?: string}} Refusal
 */

/** @typedef {{waiting: number, full: boolean}} Counts */

/** @param {Event["state"]} state */
const inState = (state) => IDBKeyRange.bound([state], [state, []]);

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
   * Stores an event. Resolves with "kept" once it is on disk, with "known" when
   * its id was stored before, even if the event is gone by now.
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
   * Lists the events of a state, oldest first.
   * @param {Event["state"]} state
   * @param {number} [limit]
   * @returns {Promise<Event[]>}
   */
  list(state, limit) {
    return this.#db.run("readonly", ["events"], (tx) =>
      answer(tx.objectStore("events").index("state").getAll(inState(state), limit)),
    );
  }

  /** @returns {Promise<Counts>} */
  count() {
    return this.#db.run("readonly", ["events"], async (tx) => {
      const events = tx.objectStore("events");
      const waiting = await answer(events.index("state").count(inState("waiting")));
      return { waiting, full: (await answer(events.count())) >= this.#capacity };
    });
  }

  /**
   * Removes an event that was acknowledged, or that the user has discarded. Its
   * id is remembered, so that the same session is not stored again.
   * @param {string} id
   * @param {Event["state"]} state the event is kept when it is in another state
   * @returns {Promise<boolean>} whether it was there
   */
  remove(id, state) {
    return this.#db.run("readwrite", ["events", "done"], async (tx) => {
      const events = tx.objectStore("events");
      /** @type {Event | undefined} */
      const event = await answer(events.index("id").get(id));
      if (event?.state !== state) return false;
      await answer(events.delete(/** @type {number} */ (event.seq)));
      const done = tx.objectStore("done");
      const seq = await answer(done.add({ id }));
      await answer(done.delete(IDBKeyRange.upperBound(/** @type {number} */ (seq) - REMEMBERED)));
      return true;
    });
  }

  /**
   * Marks a waiting event as rejected.
   * @param {string} id
   * @param {Refusal} error
   */
  reject(id, error) {
    return this.#change(id, "waiting", (event) => ({ ...event, state: "rejected", error }));
  }

  /**
   * Marks a rejected event as waiting again.
   * @param {string} id
   */
  again(id) {
    return this.#change(id, "rejected", ({ error: _, ...event }) => ({ ...event, state: "waiting" }));
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
