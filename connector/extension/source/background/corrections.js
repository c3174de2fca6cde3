/**
 * What the user has said of a film or series goes to the daemon, which
 * remembers it for every browser of the household. It is on disk here until the
 * daemon has it. It leaves as late as the viewing that was asked about, so that
 * it can be taken back with it.
 */
import { forgetAnswer, loadKnown, remember } from "./settings.js";

/**
 * @typedef {import("../messages.js").Remembered} Remembered
 * @typedef {import("../messages.js").Media} Media
 * @typedef {import("../messages.js").Candidate} Candidate
 */

/**
 * @typedef {object} Correction
 * @property {Media} media what was seen
 * @property {Candidate} [is] what it is; none: what was said is forgotten
 * @property {number} after milliseconds since 1970: not to be told before
 */

const NAME = "corrections";
const MOST = 200;

export class Corrections {
  #database;
  #delivery;
  #grace;
  /** @type {Promise<unknown>} changes happen one after the other */
  #changing = Promise.resolve();
  /** @type {Promise<void>} */
  #running = Promise.resolve();

  /**
   * @param {{read(name: string): Promise<any>, write(name: string, value: any): Promise<void>}} database
   * @param {{ask(message: any): Promise<import("./conversation.js").Message>}} delivery
   * @param {number} grace milliseconds
   */
  constructor(database, delivery, grace) {
    this.#database = database;
    this.#delivery = delivery;
    this.#grace = grace;
  }

  /**
   * Remembers an answer here, and has it told where it is one for every site.
   * @param {string} key
   * @param {Remembered} answer
   */
  async remember(key, answer) {
    const { told, kind, tmdb, title } = answer;
    if (told) await this.#keep({ media: told, is: { type: kind, tmdb, ...(title && { title }) }, after: Date.now() + this.#grace });
    await remember(key, answer);
  }

  /**
   * Forgets it in both places.
   * @param {string} key
   */
  async forget(key) {
    const answer = (await loadKnown())[key];
    if (answer?.told) await this.#keep({ media: answer.told, after: 0 });
    await forgetAnswer(key);
  }

  /** @param {Correction} one takes the place of what was said of the same and is not told yet */
  async #keep(one) {
    const about = JSON.stringify(one.media);
    await this.#change((all) => [...all.filter(({ media }) => JSON.stringify(media) !== about), one].slice(-MOST));
    setTimeout(() => void this.run(), Math.max(0, one.after - Date.now()) + 1);
  }

  /** @param {(all: Correction[]) => Correction[]} to */
  #change(to) {
    const mine = this.#changing.then(async () => this.#database.write(NAME, to(await this.#all())));
    this.#changing = mine.catch(() => {});
    return mine;
  }

  /** @returns {Promise<Correction[]>} */
  async #all() {
    return (await this.#database.read(NAME)) ?? [];
  }

  /** Tells what is due, in order. What the daemon cannot take now, or is too old for, stays. */
  run() {
    this.#running = this.#running.then(() => this.#tell()).catch(() => {}); // the next run tries again
    return this.#running;
  }

  async #tell() {
    for (const one of (await this.#all()).filter(({ after }) => after <= Date.now())) {
      const { media, is } = one;
      const answer = await this.#delivery.ask({ type: "correct", media, ...(is && { is }) });
      if (answer.type !== "corrected" && (answer.retryable || answer.code === "UNKNOWN_TYPE")) return;
      await this.#change((all) => all.filter((other) => JSON.stringify(other) !== JSON.stringify(one)));
    }
  }
}
