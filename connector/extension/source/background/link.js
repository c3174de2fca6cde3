/**
 * Connects to the daemon. The token is sent only after the daemon has proved
 * that it knows it, so another program on the port does not get it. A pairing
 * is never removed because the daemon cannot be reached.
 */
import { PROTOCOL, probe, proofOf } from "./probe.js";
import { LinkProblem, Socket } from "./socket.js";

/**
 * @typedef {import("../messages.js").Pairing} Pairing
 * @typedef {import("../messages.js").LinkState} LinkState
 * @typedef {import("./socket.js").Message} Message
 */

/**
 * @typedef {object} Options
 * @property {typeof globalThis.WebSocket} WebSocket
 * @property {typeof globalThis.fetch} fetch
 * @property {{name: string, version: string, browser: string}} client
 * @property {string} [language] of the user, for the texts of the daemon
 * @property {() => Promise<string>} address host:port
 * @property {() => Promise<Pairing | undefined>} load
 * @property {(pairing: Pairing) => Promise<void>} save
 * @property {() => void} changed
 */

/** @typedef {{state: LinkState, daemonVersion: string | null}} Info */

export class Link {
  #options;
  /** @type {Socket | null} */
  #socket = null;
  /** @type {Promise<unknown>} */
  #busy = Promise.resolve();
  /** Counts the calls of drop(). */
  #drops = 0;
  /** @type {(message: Message) => void} */
  #onMessage = () => {};
  /** @type {(why: LinkProblem) => void} */
  #onLost = () => {};

  /** @type {Info} */
  info = { state: "ready", daemonVersion: null };
  /** The number of events that may be unacknowledged. */
  window = 1;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * Sets the listeners.
   * @param {(message: Message) => void} onMessage
   * @param {(why: LinkProblem) => void} onLost called when a connected socket has ended
   */
  listen(onMessage, onLost) {
    this.#onMessage = onMessage;
    this.#onLost = onLost;
  }

  get connected() {
    return this.#socket !== null;
  }

  /** @param {Message} message */
  send(message) {
    this.#socket?.send(message);
  }

  /** Closes the idle socket. The state stays as it was. */
  rest() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.listen(() => {}, () => {});
    socket?.close(new LinkProblem("connected"));
  }

  /**
   * Closes the socket at once. A running attempt to connect starts over, because
   * address or pairing may have changed.
   * @param {LinkProblem} why
   */
  drop(why) {
    this.#drops++;
    this.#socket?.close(why);
  }

  /**
   * Connects, unless a socket is open.
   * @param {{again?: boolean}} [how] again: even if the daemon has revoked the pairing
   * @throws {LinkProblem}
   */
  connect({ again = false } = {}) {
    return this.#exclusively(async () => {
      while (!this.#socket) {
        const drops = this.#drops;
        try {
          await this.#open(again, drops);
        } catch (error) {
          if (drops !== this.#drops) continue;
          const why = asProblem(error);
          this.#set(why.state);
          throw why;
        }
      }
    });
  }

  /**
   * Opens a socket and keeps it, unless drop() was called meanwhile.
   * @param {boolean} again even if the pairing is revoked
   * @param {number} drops their number when the attempt began
   */
  async #open(again, drops) {
    const pairing = await this.#options.load();
    if (!pairing) throw new LinkProblem("unpaired");
    if (pairing.revoked && !again) throw new LinkProblem("revoked");
    const { limits, version, socket } = await this.#greet(await this.#options.address(), (one) => this.#enter(one, pairing));
    if (drops !== this.#drops) {
      socket.close(new LinkProblem("lost"));
      return;
    }
    this.window = limits?.maxInFlight ?? 1;
    this.#socket = socket;
    this.info.daemonVersion = version;
    this.#set("connected");
    socket.listen(this.#onMessage, (why) => void this.#ended(socket, pairing, why));
    if (pairing.revoked) await this.#markRevoked(pairing, false);
  }

  /**
   * Opens a socket for a first exchange of messages, and closes it if that fails.
   * @template T
   * @param {string} address
   * @param {(socket: Socket) => Promise<T>} work
   * @returns {Promise<T & {socket: Socket, version: string}>}
   */
  async #greet(address, work) {
    const version = await probe(this.#options.fetch, address);
    const socket = await Socket.open(this.#options.WebSocket, address);
    try {
      return { ...(await work(socket)), socket, version };
    } catch (error) {
      socket.close(asProblem(error));
      throw error;
    }
  }

  /**
   * Lets the daemon prove that it knows the token, then sends the token.
   * @param {Socket} socket
   * @param {Pairing} pairing
   * @returns {Promise<Message>} the welcome of a paired connection
   */
  async #enter(socket, pairing) {
    const nonce = crypto.randomUUID();
    socket.send({ type: "hello", v: PROTOCOL, client: this.#options.client, clientId: pairing.clientId, nonce, language: this.#options.language });
    const { proof } = await socket.expect("welcome");
    if (proof === undefined) throw new LinkProblem("revoked"); // without a proof, so the stored pairing is not changed
    if (proof !== (await proofOf(pairing.token, nonce))) throw new LinkProblem("stranger");
    try {
      socket.send({ type: "auth", token: pairing.token });
      return await socket.expect("welcome");
    } catch (error) {
      if (asProblem(error).state === "revoked") await this.#markRevoked(pairing, true);
      throw error;
    }
  }

  /**
   * Handles the end of a connected socket.
   * @param {Socket} socket
   * @param {Pairing} pairing
   * @param {LinkProblem} why
   */
  async #ended(socket, pairing, why) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#set(why.state);
    this.#onLost(why);
    if (why.state === "revoked") await this.#markRevoked(pairing, true);
  }

  /**
   * Stores that a proven daemon has revoked or accepted the pairing, unless the user has paired again meanwhile.
   * @param {Pairing} pairing
   * @param {boolean} revoked
   */
  async #markRevoked(pairing, revoked) {
    const now = await this.#options.load();
    if (now?.clientId === pairing.clientId) await this.#options.save({ ...now, revoked });
  }

  /**
   * Pairs with a code. If it fails, an earlier pairing stays.
   * @param {{code: string, label: string, address: string}} how
   * @throws {LinkProblem}
   */
  pair({ code, label, address }) {
    return this.#exclusively(async () => {
      this.drop(new LinkProblem("lost"));
      const { clientId, token, socket, version } = await this.#greet(address, async (one) => {
        one.send({ type: "hello", v: PROTOCOL, client: this.#options.client });
        await one.expect("welcome");
        one.send({ type: "pair", id: crypto.randomUUID(), code, ...(label && { label }) });
        return one.expect("paired");
      });
      await this.#options.save({ clientId, token, address, label });
      socket.close(new LinkProblem("ready"));
      this.info.daemonVersion = version;
      this.#set("ready");
    });
  }

  /** Disconnects after the user has removed the pairing in this browser. */
  unpaired() {
    this.drop(new LinkProblem("unpaired"));
    this.info.daemonVersion = null;
    this.#set("unpaired");
  }

  /**
   * Runs one operation at a time.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  #exclusively(work) {
    const mine = this.#busy.then(work, work);
    this.#busy = mine.catch(() => {});
    return mine;
  }

  /** @param {LinkState} state */
  #set(state) {
    if (state === this.info.state) return;
    this.info = { ...this.info, state };
    this.#options.changed();
  }
}

/** @param {unknown} error @returns {LinkProblem} */
const asProblem = (error) => (error instanceof LinkProblem ? error : new LinkProblem("lost", "INTERNAL"));
