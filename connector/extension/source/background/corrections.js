/**
 * What the user has said of a film or series goes to the daemon, which
 * remembers it for every browser of the household. It is on disk here until the
 * daemon has it. It leaves as late as the viewing that was asked about, so that
 * it can be taken back with it. An answer that never left is forgotten here
 * alone: what others have said is not this browser's to forget.
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
 * @property {Candidate} [is] what it is
 * @property {Pick<Candidate, "type" | "tmdb">} [was] or else the answer that is taken back
 * @property {number} after milliseconds since 1970: not to be told before
 * @property {true} [tried] it may have been told
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
   * @param {{ask(message: any, how: {mayGo: () => Promise<boolean>}): Promise<import("./conversation.js").Message>}} delivery
   * @param {number} grace milliseconds
   */
  constructor(database, delivery, grace) {
    this.#database = database;
    this.#delivery = delivery;
    this.#grace = grace;
  }

  /**
   * Remembers an answer here, and has it told where it is one for every site. It
   * takes the place of one about the same that is not told yet.
   * @param {string} key
   * @param {Remembered} answer
   */
  async remember(key, answer) {
    const { told, kind, tmdb, title } = answer;
    if (told) {
      const one = { media: told, is: { type: kind, tmdb, ...(title && { title }) }, after: Date.now() + this.#grace };
      await this.#change((all) => [...all.filter(({ media, is }) => !is || !same(media, told)), one]);
      this.#rouse(one);
    }
    await remember(key, answer);
  }

  /**
   * Forgets it here, and has it forgotten by the daemon if it may have been told.
   * @param {string} key
   */
  async forget(key) {
    const answer = (await loadKnown())[key];
    if (answer?.told) await this.#takeBack(answer.told, { type: answer.kind, tmdb: answer.tmdb });
    await forgetAnswer(key);
  }

  /**
   * @param {Media} told
   * @param {Pick<Candidate, "type" | "tmdb">} was
   */
  async #takeBack(told, was) {
    const one = { media: told, was, after: 0 };
    await this.#change((all) => {
      const mine = all.find(({ media, is }) => same(media, told) && is?.type === was.type && is.tmdb === was.tmdb);
      const others = all.filter((other) => other !== mine && !same(other, one));
      return mine && !mine.tried ? others : [...others, one];
    });
    this.#rouse(one);
  }

  /** @param {Correction} one */
  #rouse({ after }) {
    setTimeout(() => void this.run(), Math.max(0, after - Date.now()) + 1);
  }

  /** @param {(all: Correction[]) => Correction[]} to */
  #change(to) {
    const mine = this.#changing.then(async () => this.#database.write(NAME, to(await this.#all()).slice(-MOST)));
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
      const { media, is, was } = one;
      const answer = await this.#delivery.ask({ type: "correct", media, ...(is ? { is } : { was }) }, { mayGo: () => this.#mayGo(one) });
      if (answer.type !== "corrected" && (answer.retryable || answer.code === "UNKNOWN_TYPE")) return;
      await this.#change((all) => all.filter((other) => !same(other, { ...one, tried: true })));
    }
  }

  /**
   * Notes that one leaves now.
   * @param {Correction} one
   * @returns {Promise<boolean>} false: it has been taken back meanwhile
   */
  async #mayGo(one) {
    let here = false;
    await this.#change((all) =>
      all.map((other) => {
        if (!same(other, one)) return other;
        here = true;
        return { ...other, tried: true };
      }),
    );
    return here;
  }
}

/**
 * Whether two hold the same, in whatever order of their keys: the storage of a
 * browser may change that.
 * @param {unknown} one
 * @param {unknown} other
 */
const same = (one, other) => JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder);

/**
 * @param {string} _
 * @param {unknown} value
 */
const inOrder = (_, value) => (value instanceof Object ? Object.fromEntries(Object.entries(value).sort()) : value);
