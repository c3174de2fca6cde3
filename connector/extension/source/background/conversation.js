/**
 * One socket: messages out, messages in, and its end. It knows how to wait
 * for a message and nothing of what is said.
 */
import { LinkProblem, closed } from "./problem.js";

const SUBPROTOCOL = "filmspool.v1";
const OPEN_TIMEOUT = 10_000;
const ANSWER_TIMEOUT = 10_000;
const MOST_CHARACTERS = 65_536;

/** @typedef {Record<string, any> & {type: string}} Message */

/**
 * @param {unknown} data of one frame
 * @returns {Message | null} null when it is not a message
 */
function read(data) {
  if (typeof data !== "string" || data.length > MOST_CHARACTERS) return null;
  try {
    const message = JSON.parse(data);
    return typeof message?.type === "string" ? message : null;
  } catch {
    return null;
  }
}

export class Conversation {
  #socket;
  /** @type {Message[]} */
  #unread = [];
  /** @type {((message: Message) => void) | null} */
  #heard = null;
  /** @type {((why: LinkProblem) => void) | null} */
  #ended = null;
  /** @type {LinkProblem | null} */
  #end = null;

  /**
   * @param {typeof globalThis.WebSocket} WebSocket
   * @param {string} address host:port
   */
  constructor(WebSocket, address) {
    this.#socket = new WebSocket(`ws://${address}/v1/connector`, [SUBPROTOCOL]);
    this.#socket.onmessage = ({ data }) => this.#take(data);
    this.#socket.onclose = ({ code }) => this.#finish(closed(code));
  }

  /**
   * Opens a socket.
   * @param {typeof globalThis.WebSocket} WebSocket
   * @param {string} address host:port
   * @returns {Promise<Conversation>}
   * @throws {LinkProblem}
   */
  static async open(WebSocket, address) {
    const conversation = new Conversation(WebSocket, address);
    await conversation.#opened();
    return conversation;
  }

  /** @returns {Promise<void>} */
  #opened() {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.leave(new LinkProblem("waiting", "LOST", "Filmspool did not open a socket in time.")), OPEN_TIMEOUT);
      this.#ended = (why) => {
        clearTimeout(timer);
        reject(why);
      };
      this.#socket.onopen = () => {
        if (this.#socket.protocol !== SUBPROTOCOL) {
          this.leave(new LinkProblem("stranger", "STRANGER", "Another program answers there, not Filmspool."));
          return;
        }
        clearTimeout(timer);
        this.#ended = null;
        resolve();
      };
    });
  }

  /** @param {unknown} data */
  #take(data) {
    const message = read(data);
    if (!message) {
      this.leave(new LinkProblem("stranger", "STRANGER", "What answers there does not speak Filmspool's protocol."));
      return;
    }
    if (this.#heard) this.#heard(message);
    else if (this.#unread.length < 100) this.#unread.push(message);
  }

  /** @param {LinkProblem} why */
  #finish(why) {
    if (this.#end) return;
    this.#end = why;
    this.#ended?.(why);
  }

  /**
   * Closes the socket from this side.
   * @param {LinkProblem} why
   */
  leave(why) {
    this.#finish(why);
    this.#socket.onmessage = null;
    this.#socket.close(1000);
  }

  /** @param {Message} message */
  say(message) {
    if (!this.#end) this.#socket.send(JSON.stringify(message));
  }

  /**
   * From now on all messages, those that came before included, go to heard,
   * and the end goes to ended.
   * @param {(message: Message) => void} heard
   * @param {(why: LinkProblem) => void} ended
   */
  listen(heard, ended) {
    this.#heard = heard;
    this.#ended = ended;
    while (this.#heard === heard && this.#unread.length > 0) heard(/** @type {Message} */ (this.#unread.shift()));
    if (this.#end && this.#ended === ended) ended(this.#end);
  }

  /**
   * Waits for a message of a type; other types are passed over, an error is
   * thrown.
   * @param {string} type
   * @returns {Promise<Message>}
   * @throws {LinkProblem}
   */
  expect(type) {
    return new Promise((resolve, reject) => {
      /** @param {() => void} settle */
      const settled = (settle) => {
        clearTimeout(timer);
        this.#heard = null;
        this.#ended = null;
        settle();
      };
      const timer = setTimeout(
        () => this.leave(new LinkProblem("stranger", "STRANGER", "What answers there does not speak Filmspool's protocol.")),
        ANSWER_TIMEOUT,
      );
      this.listen(
        (message) => {
          if (message.type === type) settled(() => resolve(message));
          else if (message.type === "error") settled(() => reject(refusal(message)));
        },
        (why) => settled(() => reject(why)),
      );
    });
  }
}

/**
 * An error message as the reason why there is no link.
 * @param {Message} error
 */
function refusal({ code, message, retryAfterMs }) {
  const state = code === "UNSUPPORTED_VERSION" ? "old" : code === "PAIRING_REQUIRED" ? "revoked" : "waiting";
  const words = typeof message === "string" ? message.slice(0, 300) : "";
  return new LinkProblem(state, String(code).slice(0, 40), words, Number(retryAfterMs) || 0);
}
