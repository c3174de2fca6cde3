/**
 * Asks the service, by way of the daemon, what something unknown was. What is
 * certain is sent without a question to the user; of the rest the user is
 * asked, with what the service takes it for. While nobody can be asked, the
 * event stays, and the user may answer first.
 *
 * Nothing is reported by asking, so an event stays in this database until it
 * is known what it was. When it is due is kept with it: a worker that is
 * killed goes on where it was.
 */
import { fits } from "../identify/kinds.js";
import { ordinal, positive } from "../identify/ids.js";
import { identified } from "./events.js";

/**
 * @typedef {import("./outbox.js").Event} Event
 * @typedef {import("./outbox.js").Ask} Ask
 * @typedef {import("./conversation.js").Message} Message
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Candidate} Candidate
 */

const MINUTE = 60_000;
const MOST_WAIT = 6 * 60 * MINUTE;
const MOST_CANDIDATES = 5;

/**
 * @typedef {object} Around
 * @property {import("./outbox.js").Outbox} outbox
 * @property {{ask(message: any): Promise<Message>, add<T>(change: () => Promise<T>): Promise<T>, wake(): Promise<void>}} delivery
 * @property {(when: number) => Promise<void>} wakeAt sets the alarm
 * @property {() => void} changed
 * @property {() => number} [now] milliseconds since 1970
 */

export class Asking {
  #around;
  #now;
  /** @type {Promise<void>} */
  #running = Promise.resolve();

  /** @param {Around} around */
  constructor(around) {
    this.#around = around;
    this.#now = around.now ?? Date.now;
  }

  /**
   * Keeps an event of which the service may be asked. The alarm is set first,
   * so that a worker killed in between is woken to ask.
   * @template T
   * @param {() => Promise<T>} put
   * @returns {Promise<T>}
   */
  async keep(put) {
    await this.#around.wakeAt(this.#now() + MINUTE);
    const fate = await put();
    void this.run();
    return fate;
  }

  /** Asks what is due, one after the other, and says when to come again. */
  run() {
    this.#running = this.#running.then(() => this.#all()).catch(() => {});
    return this.#running;
  }

  async #all() {
    const asks = await this.#open();
    for (const event of asks.filter(({ ask }) => ask.at <= this.#now())) {
      const answer = await this.#around.delivery.ask({ type: "resolve", media: event.ask.media });
      await this.#learn(event, answer);
      this.#around.changed();
    }
    const left = await this.#open();
    if (left.length > 0) await this.#around.wakeAt(Math.max(this.#now() + MINUTE / 2, Math.min(...left.map(({ ask }) => ask.at))));
  }

  /** @returns {Promise<(Event & {ask: Ask})[]>} */
  async #open() {
    const unknown = await this.#around.outbox.list("unknown");
    return /** @type {(Event & {ask: Ask})[]} */ (unknown.filter(({ ask }) => ask));
  }

  /**
   * @param {Event & {ask: Ask}} event
   * @param {Message} answer
   */
  async #learn(event, answer) {
    const { outbox, delivery } = this.#around;
    const sure = answer.type === "resolved" && answer.outcome === "certain" && !event.ask.open; // never of a bare name
    const media = sure ? certain(event.ask.media, answer.media) : null;
    if (media) {
      await delivery.add(() => outbox.identify(event.id, (now) => identified(now, media)));
      void delivery.wake();
    } else if (answer.outcome === "later" || (answer.type === "error" && answer.retryable)) {
      const wait = Math.min(MOST_WAIT, MINUTE * 2 ** event.ask.tries);
      const at = this.#now() + Math.max(wait, Math.min(MOST_WAIT, Number(answer.retryAfterMs) || 0));
      await outbox.learn(event.id, (now) => ({ ...now, ask: { ...event.ask, at, tries: event.ask.tries + 1 } }));
    } else {
      const evidence = event.draft?.evidence ?? {};
      const { media: named } = answer; // certain, where the name alone is not enough
      const told = answer.candidates ?? (named && [{ ...named, type: "movie", tmdb: named.ids?.tmdb }]);
      const candidates = suggested(told).filter(({ type }) => fits(evidence, { type }));
      await outbox.learn(event.id, ({ ask: _, ...now }) => ({ ...now, ...(candidates.length > 0 && { candidates }) }));
    }
  }
}

/**
 * @param {Media} asked
 * @param {any} media
 * @returns {Media | null} what was asked about, with the identifier and the place that were found
 */
function certain(asked, media) {
  const id = positive(asked.type === "movie" ? media?.ids?.tmdb : media?.show?.ids?.tmdb);
  if (media?.type !== asked.type || !id) return null;
  if (asked.type === "movie") return { ...asked, ids: { ...asked.ids, tmdb: id } };
  const [season, episode] = [ordinal(media.season, 0) ?? asked.season, ordinal(media.episode, 1) ?? asked.episode];
  return { ...asked, show: { ...asked.show, ids: { ...asked.show?.ids, tmdb: id } }, season, episode };
}

/**
 * @param {unknown} candidates as the daemon tells them
 * @param {number} [most]
 * @returns {Candidate[]}
 */
export function suggested(candidates, most = MOST_CANDIDATES) {
  if (!Array.isArray(candidates)) return [];
  return candidates.slice(0, most).flatMap(({ type, tmdb, title, year }) => {
    if ((type !== "movie" && type !== "tv") || !positive(tmdb)) return [];
    const name = typeof title === "string" && title ? { title: title.slice(0, 300) } : {};
    return [{ type, tmdb, ...name, ...(Number.isInteger(year) && { year }) }];
  });
}
