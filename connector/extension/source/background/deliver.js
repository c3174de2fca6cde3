/**
 * Brings what waits in the outbox to the daemon, in order, at most a window
 * of it unanswered. An event is removed only when the daemon has it on
 * disk; whatever else happens, it is sent again with the same id.
 *
 * Nothing here outlives the worker, and nothing has to: an alarm wakes it
 * each minute while something waits.
 */
import { LinkProblem, refusal } from "./socket.js";

/**
 * @typedef {import("./outbox.js").Outbox} Outbox
 * @typedef {import("./outbox.js").Event} Event
 * @typedef {import("./link.js").Link} Link
 * @typedef {import("./socket.js").Message} Message
 * @typedef {import("../messages.js").DaemonStatus} DaemonStatus
 */

/**
 * How long a socket may be idle, and how long an answer may take, in milliseconds.
 * @typedef {{idle: number, answer: number}} Times
 */

/**
 * @typedef {object} Options
 * @property {Outbox} outbox
 * @property {Link} link
 * @property {() => Promise<void>} wakeLater makes sure that the alarm is set
 * @property {() => Promise<void>} sleep takes the alarm away
 * @property {() => void} changed
 * @property {() => Promise<string[]>} unread the sites whose rules find nothing any more
 * @property {Backoff} [backoff]
 * @property {Times} [times]
 */

const FIRST = 1000;
const LAST = 60_000;

/**
 * Back-off: 1 s, doubling to 60 s, each with a quarter of jitter either way,
 * so that browsers that lost the daemon together do not return together.
 */
export class Backoff {
  #tries = 0;
  #until = 0;
  #random;

  /** @param {() => number} [random] from 0 up to, not including, 1 */
  constructor(random = Math.random) {
    this.#random = random;
  }

  /**
   * Counts a failure.
   * @param {number} now milliseconds of performance.now()
   * @returns {number} milliseconds to wait
   */
  fail(now) {
    const wait = Math.min(LAST, Math.max(FIRST, FIRST * 2 ** this.#tries * (0.75 + 0.5 * this.#random())));
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

export class Delivery {
  #options;
  #outbox;
  #link;
  #times;
  #backoff;
  /** Ids of events that were sent on this socket and have no answer. @type {Set<string>} */
  #inFlight = new Set();
  /** Answered while the outbox is being read, and so maybe still in that reading. */
  #answered = new Set();
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

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#outbox = options.outbox;
    this.#link = options.link;
    this.#times = options.times ?? { idle: 15_000, answer: 20_000 };
    this.#backoff = options.backoff ?? new Backoff();
    this.#link.listen(
      (message) => void this.#receive(message).catch(() => this.#link.drop(broken())),
      () => void this.#lost().catch(() => {}),
    );
  }

  /**
   * Puts an event on disk and then sends it.
   * @param {Event} event
   * @returns {Promise<"kept" | "known" | "full">}
   */
  async put(event) {
    const result = await this.add(() => this.#outbox.put(event));
    this.#options.changed();
    void this.wake();
    return result;
  }

  /**
   * Sends what is not kept, if the daemon is there.
   * @param {Message} message
   */
  async tell(message) {
    await this.wake();
    this.#link.send(message);
  }

  /**
   * Runs a change after which something may be waiting. The alarm is set
   * before, so that a worker killed in between is woken to send.
   * @template T
   * @param {() => Promise<T>} change
   * @returns {Promise<T>}
   */
  add(change) {
    return this.#exclusively(async () => {
      await this.#options.wakeLater();
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
    const unread = await this.#options.unread();
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
      await this.#failed(/** @type {LinkProblem} */ (error).state);
    }
  }

  /**
   * After trouble: again later, by a timer if the worker lives that long, by
   * the alarm if not.
   * @param {string} [state]
   */
  async #failed(state) {
    clearTimeout(this.#retry);
    const wait = this.#backoff.fail(performance.now());
    if (state === "unpaired" || state === "revoked" || !(await this.#due())) return;
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
    if (!this.#link.connected || this.#backoff.left(performance.now()) > 0) return;
    this.#answered.clear();
    const events = await this.#outbox.list("waiting", this.#link.window);
    if (!this.#link.connected) return;
    if (events.length === 0) await this.#drained();
    for (const { id, message } of events) {
      if (this.#inFlight.has(id) || this.#answered.has(id) || this.#inFlight.size >= this.#link.window || !this.#link.connected) continue;
      this.#inFlight.add(id);
      this.#link.send(/** @type {Message} */ (message));
    }
    this.#keepWatch();
  }

  /** Takes the alarm away if nothing waits. */
  #drained() {
    return this.#exclusively(async () => {
      if (!(await this.#due())) await this.#options.sleep();
    });
  }

  /**
   * Runs one change at a time, so that no event arrives between a look at the
   * outbox and the end of its alarm.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #exclusively(work) {
    const mine = this.#changing.then(work, work);
    this.#changing = mine.catch(() => {});
    return mine;
  }

  /** Silence is a lost daemon while answers are due, and time to rest when none are. */
  #keepWatch() {
    clearTimeout(this.#watch);
    if (!this.#link.connected) return;
    if (this.#inFlight.size > 0) {
      this.#watch = setTimeout(() => this.#link.drop(new LinkProblem("lost")), this.#times.answer);
    } else {
      this.#watch = setTimeout(() => this.#link.rest(), this.#times.idle);
    }
  }

  /**
   * Only an event that went out on this socket can be answered on it.
   * @param {Message} message
   */
  async #receive(message) {
    const { type, id, code } = message;
    if (type === "status") {
      const { online, pending, attention, lastDelivered = null, problems = [], page = "" } = message;
      this.status = { online, pending, attention, lastDelivered, problems, page };
      this.#options.changed();
    } else if (!this.#inFlight.has(id)) {
      return;
    } else if (type === "ack") {
      await this.#outbox.remove(id, "waiting");
      await this.#settled(id);
    } else if (type === "error" && refusal(code).state !== "lost") {
      this.#link.drop(refusal(code)); // not the event's fault
    } else if (type === "error" && !message.retryable) {
      await this.#outbox.reject(id, { code, field: message.field });
      await this.#settled(id);
    } else if (type === "error") {
      this.#inFlight.delete(id);
      // The answers to the rest of the window often come together; they are one trouble.
      if (this.#backoff.left(performance.now()) === 0) await this.#failed();
      this.#keepWatch();
    }
  }

  /**
   * An event has left the waiting ones: another one can be sent.
   * @param {string} id
   */
  async #settled(id) {
    this.#answered.add(id);
    this.#inFlight.delete(id);
    this.#options.changed();
    await this.#pump();
  }

  async #lost() {
    clearTimeout(this.#watch);
    this.#inFlight.clear();
    await this.#failed(this.#link.info.state);
  }
}

/** Our own database has failed; what is left will be sent again. */
const broken = () => new LinkProblem("lost", "INTERNAL");
