/**
 * Pairing by two clicks. The number that a person compares is computed here,
 * so a program squatting on the port cannot choose it. What such a program
 * answers is nothing before the person has said here that the number is the same.
 */
import { Conversation } from "./conversation.js";
import { PROTOCOL, probe } from "./probe.js";
import { LinkProblem } from "./problem.js";
import { checkNumber, commitmentTo, newNonce } from "./proof.js";

/** A knock is over after so many milliseconds, whatever the daemon says. */
const MOST_TIME = 120_000;

/** How often it knocks in an hour without a click: half of what the daemon takes of one browser. */
const MOST_ALONE = 5;
const HOUR = 3_600_000;

/**
 * @typedef {import("../messages.js").Knock} Shown
 * @typedef {import("./conversation.js").Message} Message
 * @typedef {{address: string, label: string}} Wish
 */

/**
 * @typedef {object} Edges
 * @property {typeof globalThis.WebSocket} WebSocket
 * @property {typeof globalThis.fetch} fetch
 * @property {{name: string, version: string, browser: string}} client
 * @property {(pairing: import("../messages.js").Pairing) => Promise<void>} paired
 * @property {() => void} changed
 * @property {{load: () => Promise<number[]>, save: (times: number[]) => Promise<unknown>}} alone when it has knocked without a click
 */

export class Knock {
  #edges;
  /** @type {Conversation | null} */
  #conversation = null;
  #id = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Whether it is about to knock without a click. */
  #trying = false;

  /** @type {Shown | null} what the pages show of it */
  shown = null;

  /** @param {Edges} edges */
  constructor(edges) {
    this.#edges = edges;
  }

  /**
   * Knocks. The one before is over.
   * @param {Wish} wish
   * @param {boolean} [alone] nobody has clicked
   * @throws {LinkProblem}
   */
  async begin(wish, alone = false) {
    this.end();
    await probe(this.#edges.fetch, wish.address);
    const conversation = await Conversation.open(this.#edges.WebSocket, wish.address);
    this.#close(); // another click may have been faster
    this.#conversation = conversation;
    const ours = () => this.#conversation === conversation;
    try {
      const { number, time } = await this.#introduce(conversation, wish);
      if (!ours()) return;
      this.shown = { number, accepted: false, agreed: false, phase: "open", alone };
      this.#timer = setTimeout(() => this.#ends("expired"), time);
      conversation.listen((message) => ours() && void this.#hear(message, wish), () => ours() && this.#ends("lost"));
    } catch (error) {
      if (ours()) this.end();
      throw error;
    }
  }

  /**
   * Knocks without a click, unless one is open or it has done so too often. What does not answer is not counted.
   * @param {Wish} wish
   * @throws {LinkProblem}
   */
  async beginAlone(wish) {
    if (this.#trying || this.#conversation) return;
    this.#trying = true;
    try {
      const times = await this.#aloneLately();
      if (times.length >= MOST_ALONE) return;
      await this.#edges.alone.save([...times, Date.now()]);
      await this.begin(wish, true).catch(async (error) => {
        if (error.code === "OFFLINE") await this.#edges.alone.save((await this.#aloneLately()).slice(0, -1));
        throw error;
      });
    } finally {
      this.#trying = false;
    }
  }

  async #aloneLately() {
    const hour = Date.now() - HOUR;
    return (await this.#edges.alone.load()).filter((time) => time > hour);
  }

  /** A person has said what is wanted: for an hour it knocks with a click alone. */
  async wait() {
    await this.#edges.alone.save(Array(MOST_ALONE).fill(Date.now()));
  }

  /**
   * @param {Conversation} conversation
   * @param {Wish} wish
   */
  async #introduce(conversation, { address, label }) {
    conversation.say({ type: "hello", v: PROTOCOL, client: this.#edges.client });
    const { features } = await conversation.expect("welcome");
    if (!Array.isArray(features) || !features.includes("knock")) {
      throw new LinkProblem("unpaired", "KNOCK_OLD", "This Filmspool can only be paired with a code.");
    }
    const ours = newNonce();
    this.#id = crypto.randomUUID();
    conversation.say({ type: "knock", id: this.#id, commitment: await commitmentTo(ours), ...(label && { label }) });
    const { nonce, expiresInMs } = await conversation.expect("knocked");
    conversation.say({ type: "reveal", id: this.#id, nonce: ours });
    const number = await checkNumber(ours, String(nonce), address.split(":")[1]);
    return { number, time: Math.min(Number(expiresInMs) || MOST_TIME, MOST_TIME) };
  }

  /** The person says that the number is the same. */
  agree() {
    if (this.shown?.phase !== "open") return;
    this.shown.agreed = true;
    this.#confirm();
  }

  /** The person does not want it any more, or begins anew. */
  end() {
    this.#close();
    this.shown = null;
  }

  /** Asks for the token, once both sides have said yes. */
  #confirm() {
    if (this.shown?.accepted && this.shown.agreed) this.#conversation?.say({ type: "confirm", id: this.#id });
    this.#edges.changed();
  }

  /**
   * @param {Message} message
   * @param {Wish} wish
   */
  async #hear({ type, accepted, clientId, token }, { address, label }) {
    if (!this.shown) return;
    if (type === "answered" && accepted === true) {
      this.shown.accepted = true;
      this.#confirm();
    } else if (type === "answered") {
      this.#ends("refused");
      await this.wait();
    } else if (type === "paired" && this.shown.accepted && this.shown.agreed && typeof clientId === "string" && typeof token === "string") {
      this.#close();
      this.#ends(await this.#edges.paired({ clientId, token, address, label }).then(() => "paired", () => "lost"));
    } else if (type === "error") {
      this.#ends("lost");
    }
  }

  /** @param {Shown["phase"]} phase */
  #ends(phase) {
    this.#close();
    if (this.shown) this.shown.phase = phase;
    this.#edges.changed();
  }

  #close() {
    clearTimeout(this.#timer);
    const was = this.#conversation;
    this.#conversation = null;
    was?.leave(new LinkProblem("waiting", "LOST", ""));
  }
}
