/**
 * The outbox: every event is here, on disk, before anything else happens to
 * it, and leaves only when the daemon has it on its own disk or the user
 * drops it.
 *
 * An event is waiting (to be sent, in order) or rejected (the daemon has
 * refused it for good). A change of state is one write, so there is no moment
 * at which an event is in no state or in two.
 */
import { Database, answer } from "./database.js";

/** How many events may be here at once, in all states. */
export const CAPACITY = 5000;

/** How many ids of settled events are remembered. */
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
 * Why the daemon has refused an event for good.
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

  /** @returns {Promise<Counts>} */
  count() {
    return this.#db.run("readonly", ["events"], async (tx) => {
      const events = tx.objectStore("events");
      const waiting = await answer(events.index("state").count(inState("waiting")));
      return { waiting, full: (await answer(events.count())) >= this.#capacity };
    });
  }

  /**
   * Forgets an event that the daemon has on disk, or that the user has
   * dropped. Its id is remembered, so the same session cannot come again.
   * @param {string} id
   * @param {Event["state"]} state leave it when it is in another state
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
   * Keeps an event out of the way because it was refused for good.
   * @param {string} id
   * @param {Refusal} error
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
