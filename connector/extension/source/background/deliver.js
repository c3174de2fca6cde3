/**
 * Brings what waits in the outbox to the daemon, in order, at most a window
 * of it unanswered. An event is removed only on the daemon's word that it is
 * on disk; whatever else happens, it is sent again with the same id.
 *
 * Nothing here outlives the worker, and nothing has to: an alarm wakes it
 * each minute while something waits.
 */
import { Backoff } from "./backoff.js";
import { LinkProblem } from "./problem.js";

/**
 * @typedef {import("./outbox.js").Outbox} Outbox
 * @typedef {import("./outbox.js").Event} Event
 * @typedef {import("./link.js").Link} Link
 * @typedef {import("./conversation.js").Message} Message
 * @typedef {import("../messages.js").DaemonStatus} DaemonStatus
 */

/**
 * The two watches that a delivery keeps, in milliseconds.
 * @typedef {{idle: number, answer: number}} Times
 */

/**
 * @typedef {object} Around
 * @property {Outbox} outbox
 * @property {Link} link
 * @property {() => Promise<void>} wakeLater makes sure that the alarm is set
 * @property {() => Promise<void>} sleep takes the alarm away
 * @property {() => void} changed
 * @property {() => Promise<string[]>} [unread] the sites whose rules find nothing any more
 * @property {Backoff} [backoff]
 * @property {Times} [times]
 */

const text = new TextEncoder();

/** Not the event's fault: the link has to be mended first. */
const LINK_CODES = ["PAIRING_REQUIRED", "UNSUPPORTED_VERSION"];

export class Delivery {
  #outbox;
  #link;
  #around;
  #times;
  #backoff;
  /** @type {Map<string, Event>} */
  #inFlight = new Map();
  /** Settled while the outbox is being read, and so maybe still in that reading. */
  #settled = new Set();
  /** @type {Promise<void> | null} */
  #connecting = null;
  /** @type {Promise<void>} */
  #pumping = Promise.resolve();
  #pumps = 0;
  /** @type {Promise<unknown>} */
  #changing = Promise.resolve();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #watch;

  /** @type {DaemonStatus | null} */
  status = null;

  /** @param {Around} around */
  constructor(around) {
    this.#around = around;
    this.#outbox = around.outbox;
    this.#link = around.link;
    this.#times = around.times ?? { idle: 15_000, answer: 20_000 };
    this.#backoff = around.backoff ?? new Backoff();
    this.#link.listen(
      (message) => void this.#hear(message).catch(() => this.#link.drop(broken())),
      (why) => void this.#lost(why).catch(() => {}),
    );
  }

  /**
   * Puts an event on disk and then sends it.
   * @param {Event} event
   * @returns {Promise<"kept" | "known" | "full">}
   */
  async put(event) {
    const fate = await this.add(() => this.#outbox.put(event));
    this.#around.changed();
    void this.wake();
    return fate;
  }

  /**
   * Runs a change after which something may be waiting. The alarm is set
   * before, so that a worker killed in between is woken to send.
   * @template T
   * @param {() => Promise<T>} change
   * @returns {Promise<T>}
   */
  add(change) {
    return this.#alone(async () => {
      await this.#around.wakeLater();
      return change();
    });
  }

  /** What the alarm does, and the browser's start. */
  async tick() {
    await ((await this.#due()) ? this.wake() : this.#drained());
  }

  /** Whether something waits. */
  async #due() {
    return (await this.#outbox.count()).waiting > 0;
  }

  /** Asks how the daemon is, and reports which sites cannot be read any more. */
  async report() {
    if (!this.#link.connected) return; // it is reported with the next connection
    const unread = (await this.#around.unread?.()) ?? [];
    this.#link.send({ type: "status", id: "status", ...(unread.length > 0 && { unread }) });
  }

  /**
   * Connects and sends what waits. Resolves when the attempt to connect is
   * over; never rejects.
   * @param {{force?: boolean}} [how] force: the user asks, so no back-off and no giving up on a revoked pairing
   */
  async wake({ force = false } = {}) {
    if (force) this.#backoff.reset();
    if (this.#backoff.left(performance.now()) > 0) return;
    try {
      if (!this.#link.connected) {
        this.#connecting ??= this.#connect(force).finally(() => {
          this.#connecting = null;
        });
        await this.#connecting;
      }
      await this.#pump();
    } catch {
      this.#link.drop(broken());
    }
  }

  /** @param {boolean} again */
  async #connect(again) {
    try {
      await this.#link.connect({ again });
      this.#backoff.reset();
      await this.report();
    } catch (error) {
      await this.#failed(/** @type {LinkProblem} */ (error));
    }
  }

  /**
   * After trouble: again later, by a timer if the worker lives that long, by
   * the alarm if not.
   * @param {{state: string, retryAfter: number}} why
   */
  async #failed({ state, retryAfter }) {
    clearTimeout(this.#retry);
    if (state === "unpaired" || state === "revoked") {
      this.#backoff.fail(performance.now(), retryAfter);
      return;
    }
    const wait = this.#backoff.fail(performance.now(), retryAfter);
    if (!(await this.#due())) return;
    this.#retry = setTimeout(() => void this.wake(), wait + 1);
  }

  /** Sends as much as the window takes, one round at a time. Late calls are one more, even after one has failed. */
  #pump() {
    if (this.#pumps > 1) return this.#pumping;
    this.#pumps++;
    this.#pumping = this.#pumping.catch(() => {}).then(() => this.#fill()).finally(() => {
      this.#pumps--;
    });
    return this.#pumping;
  }

  async #fill() {
    while (this.#link.connected && this.#backoff.left(performance.now()) === 0) {
      this.#settled.clear();
      const events = await this.#outbox.list("waiting", this.#link.window);
      const fresh = events.filter(({ id }) => !this.#inFlight.has(id) && !this.#settled.has(id));
      if (!this.#link.connected) return;
      const next = fresh.slice(0, this.#link.window - this.#inFlight.size);
      if (events.length === 0) await this.#drained();
      for (const event of next) await this.#send(event);
      this.#keepWatch();
      if (next.length === 0 || this.#inFlight.size >= this.#link.window) return;
    }
  }

  /** @param {Event} event */
  async #send(event) {
    const message = /** @type {Message} */ (event.message);
    if (text.encode(JSON.stringify(message)).length > this.#link.maxBytes) {
      await this.#reject(event.id, "TOO_LARGE", "It is too large for Filmspool.");
      return;
    }
    if (!this.#link.connected) return;
    this.#inFlight.set(event.id, event);
    this.#link.send(message);
  }

  /** Takes the alarm away if nothing waits. */
  #drained() {
    return this.#alone(async () => {
      if (!(await this.#due())) await this.#around.sleep();
    });
  }

  /**
   * One at a time, so that no event arrives between a look at the outbox and
   * the end of its alarm.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #alone(work) {
    const mine = this.#changing.then(work, work);
    this.#changing = mine.catch(() => {});
    return mine;
  }

  /** Silence is a lost daemon while answers are due, and time to rest when none are. */
  #keepWatch() {
    clearTimeout(this.#watch);
    if (!this.#link.connected) return;
    if (this.#inFlight.size > 0) {
      this.#watch = setTimeout(() => this.#link.drop(new LinkProblem("waiting", "LOST", "Filmspool does not answer.")), this.#times.answer);
    } else {
      this.#watch = setTimeout(() => this.#link.rest(), this.#times.idle);
    }
  }

  /** @param {Message} message */
  async #hear(message) {
    switch (message.type) {
      case "ack":
        await this.#acknowledged(message.id);
        break;
      case "error":
        await this.#refused(message);
        break;
      case "status":
        this.#told(message);
        break;
    }
  }

  /**
   * Only an event that went out on this socket can be acknowledged on it.
   * @param {string} id
   */
  async #acknowledged(id) {
    if (!this.#inFlight.has(id)) return;
    await this.#outbox.remove(id, ["waiting"]);
    this.#settle(id);
    this.#around.changed();
    await this.#pump();
  }

  /** @param {Message} error */
  async #refused({ id, code, message, retryable, retryAfterMs }) {
    if (!this.#inFlight.has(id)) return;
    if (LINK_CODES.includes(code)) {
      this.#link.drop(new LinkProblem(code === "PAIRING_REQUIRED" ? "revoked" : "old", code, String(message).slice(0, 300)));
      return;
    }
    if (retryable !== true) {
      await this.#reject(id, String(code).slice(0, 40), String(message).slice(0, 300));
      await this.#pump();
      return;
    }
    this.#inFlight.delete(id);
    // The answers to the rest of the window often come together; they are one trouble.
    if (this.#backoff.left(performance.now()) === 0) await this.#failed({ state: "waiting", retryAfter: Number(retryAfterMs) || 0 });
    this.#keepWatch();
  }

  /**
   * @param {string} id
   * @param {string} code
   * @param {string} message
   */
  async #reject(id, code, message) {
    await this.#outbox.reject(id, { code, message });
    this.#settle(id);
    this.#around.changed();
  }

  /** @param {string} id */
  #settle(id) {
    this.#settled.add(id);
    this.#inFlight.delete(id);
  }

  /** @param {Message} status */
  #told({ online, pending, attention, lastDelivered, problems }) {
    this.status = {
      online: online === true,
      pending: Number(pending) || 0, attention: Number(attention) || 0,
      lastDelivered: typeof lastDelivered === "string" ? lastDelivered : null,
      ...(Array.isArray(problems) && { problems: problems.slice(0, 3).map(({ severity, text, act }) => ({ severity: String(severity), text: String(text), act: String(act) })) }),
    };
    this.#around.changed();
  }

  /** @param {LinkProblem} why */
  async #lost(why) {
    clearTimeout(this.#watch);
    this.#inFlight.clear();
    await this.#failed(why);
  }
}

/** Our own database has failed; what is left will be sent again. */
const broken = () => new LinkProblem("waiting", "INTERNAL", "The extension's own database has failed.");
