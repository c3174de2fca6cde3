/**
 * Sends the events of the outbox to the daemon, in order, with a limited number
 * of them unacknowledged. An event is removed only after the acknowledgement,
 * which says that the daemon has it on disk. After any failure it is sent again
 * with the same id.
 *
 * The browser may end the background worker at any time. An alarm wakes it
 * every minute while events wait.
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
 * Milliseconds after which an idle socket is closed, and after which a missing answer counts as a lost connection.
 * @typedef {{idle: number, answer: number}} Times
 */

/**
 * @typedef {object} Options
 * @property {Outbox} outbox
 * @property {Link} link
 * @property {() => Promise<void>} wakeLater sets the alarm, if it is not set
 * @property {() => Promise<void>} sleep clears the alarm
 * @property {() => void} changed
 * @property {() => Promise<string[]>} unread returns the sites whose rules find nothing any more
 * @property {Backoff} [backoff]
 * @property {Times} [times]
 */

const FIRST = 1000;
const LAST = 60_000;

/**
 * Computes the back-off between attempts to connect: 1 s, doubling up to 60 s,
 * with a jitter of 25 %, so that several browsers do not reconnect at once.
 */
export class Backoff {
  #tries = 0;
  #until = 0;
  #random;

  /** @param {() => number} [random] as Math.random */
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
   * @returns {number} milliseconds left to wait, or 0
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
  /** Ids of the events that were sent on this socket and are not acknowledged. @type {Set<string>} */
  #inFlight = new Set();
  /** Ids that were answered since the outbox was last read: that list may still contain them. */
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
   * Stores an event in the outbox, then sends it.
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
   * Sends a message that is not stored: it is lost when the daemon is not reachable.
   * @param {Message} message
   */
  async tell(message) {
    await this.wake();
    this.#link.send(message);
  }

  /**
   * Runs a change that may add an event to the outbox. The alarm is set before
   * the change, so that it wakes the worker even if that ends in between.
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

  /** Sends what waits, or clears the alarm if nothing does. Called by the alarm and at the start of the browser. */
  async tick() {
    await ((await this.#due()) ? this.wake() : this.#drained());
  }

  /** Reports whether events wait. */
  async #due() {
    return (await this.#outbox.count()).waiting > 0;
  }

  /** Asks the daemon for its status, and reports the sites whose rules find nothing any more. */
  async report() {
    if (!this.#link.connected) return; // the next connection reports it
    const unread = await this.#options.unread();
    this.#link.send({ type: "status", id: "status", ...(unread.length > 0 && { unread }) });
  }

  /**
   * Connects and sends what waits. Resolves when the attempt to connect is
   * over; never rejects.
   * @param {{force?: boolean}} [how] force: at the user's request; ignores the back-off, and tries a revoked pairing again
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

  /** @param {boolean} again even if the pairing was revoked */
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
   * Schedules the next attempt after a failure with a timer. If the worker ends
   * before that, the alarm starts it again.
   * @param {string} [state]
   */
  async #failed(state) {
    clearTimeout(this.#retry);
    const wait = this.#backoff.fail(performance.now());
    if (state === "unpaired" || state === "revoked" || !(await this.#due())) return;
    this.#retry = setTimeout(() => void this.wake(), wait + 1);
  }

  /** Sends as many events as the window allows. Calls during a round lead to one more round, even if it fails. */
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

  /** Clears the alarm if nothing waits. */
  #drained() {
    return this.#exclusively(async () => {
      if (!(await this.#due())) await this.#options.sleep();
    });
  }

  /**
   * Runs one change at a time, so that no event is stored between the check that
   * the outbox is empty and the clearing of the alarm.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #exclusively(work) {
    const mine = this.#changing.then(work, work);
    this.#changing = mine.catch(() => {});
    return mine;
  }

  /** Starts the timer that ends a silent socket: as lost while acknowledgements are missing, as idle otherwise. */
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
   * Handles a message of the daemon. Answers to events that were not sent on this socket are ignored.
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
      // Errors for several events of the window count as one failure.
      if (this.#backoff.left(performance.now()) === 0) await this.#failed();
      this.#keepWatch();
    }
  }

  /**
   * Marks an event as answered, and sends the next one.
   * @param {string} id
   */
  async #settled(id) {
    this.#answered.add(id);
    this.#inFlight.delete(id);
    this.#options.changed();
    await this.#pump();
  }

  /** Handles the end of the socket. */
  async #lost() {
    clearTimeout(this.#watch);
    this.#inFlight.clear();
    await this.#failed(this.#link.info.state);
  }
}

/** The failure of our own database; what was not removed from the outbox will be sent again. */
const broken = () => new LinkProblem("lost", "INTERNAL");
