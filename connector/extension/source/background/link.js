/**
 * The link to the daemon: who is there, is it ours, are we known to it. It
 * shows the token only to a daemon that has proved that it knows it already,
 * so a program squatting on the port learns nothing; and it never forgets a
 * pairing because nobody answers.
 */
import { Conversation } from "./conversation.js";
import { PROTOCOL, probe } from "./probe.js";
import { LinkProblem } from "./problem.js";
import { newNonce, proofOf } from "./proof.js";

/**
 * @typedef {import("../messages.js").Pairing} Pairing
 * @typedef {import("../messages.js").LinkState} LinkState
 * @typedef {import("./conversation.js").Message} Message
 */

/**
 * @typedef {object} Edges
 * @property {typeof globalThis.WebSocket} WebSocket
 * @property {typeof globalThis.fetch} fetch
 * @property {{name: string, version: string, browser: string}} client
 * @property {string} [language] in which the person reads
 * @property {() => Promise<string>} address host:port
 * @property {() => Promise<Pairing | undefined>} load
 * @property {(pairing: Pairing) => Promise<void>} save
 * @property {() => void} changed
 */

/** @typedef {{state: LinkState, detail: string, daemonVersion: string | null}} Info */

export class Link {
  #edges;
  /** @type {Conversation | null} */
  #conversation = null;
  /** @type {Promise<unknown>} */
  #busy = Promise.resolve();
  /** Counts the drops. */
  #turn = 0;
  /** @type {(message: Message) => void} */
  #heard = () => {};
  /** @type {(why: LinkProblem) => void} */
  #lost = () => {};

  /** @type {Info} */
  info = { state: "waiting", detail: "", daemonVersion: null };
  /** How many events may wait for their answer. */
  window = 1;
  /** How large a message may be. */
  maxBytes = 65_536;
  /** @type {string[]} what the daemon can do beyond the protocol's first messages */
  features = [];

  /** @param {Edges} edges */
  constructor(edges) {
    this.#edges = edges;
  }

  /**
   * Who is told of messages and of the end of a socket that was connected.
   * @param {(message: Message) => void} heard
   * @param {(why: LinkProblem) => void} lost
   */
  listen(heard, lost) {
    this.#heard = heard;
    this.#lost = lost;
  }

  get connected() {
    return this.#conversation !== null;
  }

  /** @param {Message} message */
  send(message) {
    this.#conversation?.say(message);
  }

  /**
   * Closes the socket because nothing is left to say. The state stays: the
   * last that was heard was good.
   */
  rest() {
    const conversation = this.#conversation;
    this.#conversation = null;
    conversation?.listen(() => {}, () => {});
    conversation?.leave(new LinkProblem("connected", "RESTS", ""));
  }

  /**
   * Closes the socket, whatever is under way on it. An attempt to connect that
   * is under way begins again: address and pairing may be others now.
   * @param {LinkProblem} why
   */
  drop(why) {
    this.#turn++;
    this.#conversation?.leave(why);
  }

  /**
   * Connects, unless it is connected.
   * @param {{again?: boolean}} [how] again: even if we were told that we are revoked
   * @throws {LinkProblem}
   */
  connect({ again = false } = {}) {
    return this.#alone(async () => {
      if (this.#conversation) return;
      try {
        await this.#connect(again);
      } catch (error) {
        const why = asProblem(error);
        this.#tell(why.state, why.message);
        throw why;
      }
    });
  }

  /** @param {boolean} again */
  async #connect(again) {
    for (;;) {
      const turn = this.#turn;
      try {
        return await this.#reach(again, turn);
      } catch (error) {
        if (turn === this.#turn) throw error;
      }
    }
  }

  /**
   * @param {boolean} again
   * @param {number} turn
   */
  async #reach(again, turn) {
    const pairing = await this.#edges.load();
    if (!pairing) throw new LinkProblem("unpaired", "UNPAIRED", "Not paired with Filmspool yet.");
    if (pairing.revoked && !again) {
      throw new LinkProblem("revoked", "REVOKED", "This browser was removed in Filmspool. Pair again to go on.");
    }
    const address = await this.#edges.address();
    const version = await probe(this.#edges.fetch, address);
    const conversation = await Conversation.open(this.#edges.WebSocket, address);
    const welcome = await this.#ended(conversation, () => this.#enter(conversation, pairing));
    this.window = within(welcome.limits?.maxInFlight, 1, 1000, 20);
    this.features = Array.isArray(welcome.features) ? welcome.features : [];
    this.maxBytes = within(welcome.limits?.maxMessageBytes, 1024, 1 << 20, 65_536);
    if (turn !== this.#turn) {
      conversation.leave(new LinkProblem("waiting", "DROPPED", ""));
      throw new LinkProblem("waiting", "DROPPED", "");
    }
    this.#conversation = conversation;
    this.info.daemonVersion = version;
    this.#tell("connected", "");
    conversation.listen(this.#heard, (why) => void this.#ends(conversation, pairing, why));
    if (pairing.revoked) await this.#revoked(pairing, false);
  }

  /**
   * Runs a part of a conversation that is left if it fails.
   * @template T
   * @param {Conversation} conversation
   * @param {() => Promise<T>} work
   */
  async #ended(conversation, work) {
    try {
      return await work();
    } catch (error) {
      conversation.leave(asProblem(error));
      throw error;
    }
  }

  /**
   * Lets the daemon prove itself, then shows the token.
   * @param {Conversation} conversation
   * @param {Pairing} pairing
   * @returns {Promise<Message>} welcome, paired
   */
  async #enter(conversation, pairing) {
    const nonce = newNonce();
    conversation.say({ type: "hello", v: PROTOCOL, client: this.#edges.client, clientId: pairing.clientId, nonce, language: this.#edges.language });
    const { proof } = await conversation.expect("welcome");
    if (proof === undefined) {
      // Nothing is proved, so this is only told: the pairing stays as it is.
      throw new LinkProblem("revoked", "UNKNOWN_CLIENT", "What answers there does not know this browser. If it was removed in Filmspool, pair again.");
    }
    if (proof !== (await proofOf(pairing.token, nonce))) {
      throw new LinkProblem("stranger", "STRANGER", "What answers there could not prove that it is your Filmspool.");
    }
    try {
      conversation.say({ type: "auth", token: pairing.token });
      const welcome = await conversation.expect("welcome");
      if (welcome.paired !== true) throw new LinkProblem("stranger", "STRANGER", "Filmspool's answer makes no sense.");
      return welcome;
    } catch (error) {
      const why = asProblem(error);
      if (why.state === "revoked") await this.#revoked(pairing);
      throw why;
    }
  }

  /**
   * @param {Conversation} conversation
   * @param {Pairing} pairing
   * @param {LinkProblem} why
   */
  async #ends(conversation, pairing, why) {
    if (this.#conversation !== conversation) return;
    this.#conversation = null;
    this.#tell(why.state, why.message);
    this.#lost(why);
    if (why.state === "revoked") await this.#revoked(pairing);
  }

  /**
   * Notes what a proven daemon has said. Not if the user has paired anew.
   * @param {Pairing} pairing
   * @param {boolean} [revoked]
   */
  async #revoked(pairing, revoked = true) {
    const now = await this.#edges.load();
    if (now?.clientId === pairing.clientId) await this.#edges.save({ ...now, revoked });
  }

  /**
   * Pairs with a code. An earlier pairing stays if this fails.
   * @param {{code: string, label: string, address: string}} wish
   * @throws {LinkProblem}
   */
  pair({ code, label, address }) {
    return this.#alone(async () => {
      this.drop(new LinkProblem("waiting", "PAIRING", ""));
      const version = await probe(this.#edges.fetch, address);
      const conversation = await Conversation.open(this.#edges.WebSocket, address);
      const { clientId, token } = await this.#ended(conversation, async () => {
        conversation.say({ type: "hello", v: PROTOCOL, client: this.#edges.client });
        await conversation.expect("welcome");
        conversation.say({ type: "pair", id: crypto.randomUUID(), code, ...(label && { label }) });
        return conversation.expect("paired");
      });
      if (typeof clientId !== "string" || typeof token !== "string") throw new LinkProblem("stranger", "STRANGER", "Filmspool's answer makes no sense.");
      await this.#edges.save({ clientId, token, address, label });
      conversation.leave(new LinkProblem("waiting", "PAIRED", ""));
      this.info.daemonVersion = version;
      this.#tell("waiting", "");
    });
  }

  /** Ends the link after the pairing was taken away here. */
  unpaired() {
    this.drop(new LinkProblem("unpaired", "UNPAIRED", ""));
    this.info.daemonVersion = null;
    this.#tell("unpaired", "");
  }

  /**
   * One at a time.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #alone(work) {
    const mine = this.#busy.then(work, work);
    this.#busy = mine.catch(() => {});
    return mine;
  }

  /**
   * @param {LinkState} state
   * @param {string} detail
   */
  #tell(state, detail) {
    if (state === this.info.state && detail === this.info.detail) return;
    this.info = { ...this.info, state, detail };
    this.#edges.changed();
  }
}

/** @param {unknown} error */
function asProblem(error) {
  if (error instanceof LinkProblem) return error;
  return new LinkProblem("waiting", "INTERNAL", error instanceof Error ? error.message : String(error));
}

/**
 * @param {unknown} n
 * @param {number} least
 * @param {number} most
 * @param {number} otherwise
 */
function within(n, least, most, otherwise) {
  return typeof n === "number" && n >= least ? Math.min(Math.floor(n), most) : otherwise;
}
