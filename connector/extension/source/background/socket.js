/** Wraps a WebSocket to the daemon: sends and receives messages and reports its end. link.js interprets the messages. */

const SUBPROTOCOL = "filmspool.v1";
const TIMEOUT = 10_000;
const MAX_CHARACTERS = 65_536;

/** @typedef {Record<string, any> & {type: string}} Message */

/** The reason why there is no link to the daemon. */
export class LinkProblem extends Error {
  /**
   * @param {import("../messages.js").LinkState} state
   * @param {string} [code] of the protocol; by default the state in capitals
   */
  constructor(state, code = state.toUpperCase()) {
    super(code);
    this.state = state;
    this.code = code;
  }
}

/** Link states by the close code of the daemon. @type {Record<number, [import("../messages.js").LinkState, string?]>} */
const CLOSED = {
  1001: ["offline"],
  4401: ["revoked"],
  4403: ["revoked"],
  4426: ["old", "UNSUPPORTED_VERSION"],
  4429: ["lost", "RATE_LIMITED"],
};

/**
 * @param {unknown} data of one frame
 * @returns {Message | null} null when it is not a message
 */
function parse(data) {
  if (typeof data !== "string" || data.length > MAX_CHARACTERS) return null;
  try {
    const message = JSON.parse(data);
    return typeof message?.type === "string" ? message : null;
  } catch {
    return null;
  }
}

export class Socket {
  #socket;
  /** @type {Message[]} */
  #unread = [];
  /** @type {((message: Message) => void) | null} */
  #onMessage = null;
  /** @type {((why: LinkProblem) => void) | null} */
  #onEnd = null;
  /** @type {LinkProblem | null} */
  #end = null;

  /** @param {WebSocket} socket */
  constructor(socket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(parse(data));
    socket.onclose = ({ code }) => this.#finish(new LinkProblem(...(CLOSED[code] ?? ["lost"])));
  }

  /**
   * Opens a socket.
   * @param {typeof globalThis.WebSocket} WebSocket
   * @param {string} address host:port
   * @returns {Promise<Socket>} rejected with a LinkProblem
   */
  static open(WebSocket, address) {
    const raw = new WebSocket(`ws://${address}/v1/connector`, [SUBPROTOCOL]);
    const socket = new Socket(raw);
    return socket.#until(new LinkProblem("lost"), (done) => {
      raw.onopen = () => (raw.protocol === SUBPROTOCOL ? done(socket) : socket.close(new LinkProblem("stranger")));
    });
  }

  /** @param {Message | null} message */
  #receive(message) {
    if (!message) this.close(new LinkProblem("stranger"));
    else if (this.#onMessage) this.#onMessage(message);
    else if (this.#unread.length < 100) this.#unread.push(message);
  }

  /** @param {LinkProblem} why */
  #finish(why) {
    if (this.#end) return;
    this.#end = why;
    this.#onEnd?.(why);
  }

  /** @param {LinkProblem} why */
  close(why) {
    this.#finish(why);
    this.#socket.onmessage = null;
    this.#socket.close(1000);
  }

  /** @param {Message} message */
  send(message) {
    if (!this.#end) this.#socket.send(JSON.stringify(message));
  }

  /**
   * Sets the listeners, and passes on the messages that came before.
   * @param {(message: Message) => void} onMessage
   * @param {(why: LinkProblem) => void} onEnd
   */
  listen(onMessage, onEnd) {
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
    while (this.#onMessage === onMessage && this.#unread.length > 0) onMessage(/** @type {Message} */ (this.#unread.shift()));
    if (this.#end && this.#onEnd === onEnd) onEnd(this.#end);
  }

  /**
   * Waits for a message of a type, and ignores other types.
   * @param {string} type
   * @returns {Promise<Message>} rejected with a LinkProblem, also for an error message
   */
  expect(type) {
    return this.#until(new LinkProblem("stranger"), (done, fail) =>
      this.listen((message) => {
        if (message.type === type) done(message);
        else if (message.type === "error") fail(refusal(message.code));
      }, fail));
  }

  /**
   * Waits until begin calls done or fail, or the socket ends. Closes the socket after a timeout.
   * @template T
   * @param {LinkProblem} late the reason in that case
   * @param {(done: (value: T) => void, fail: (why: LinkProblem) => void) => void} begin
   * @returns {Promise<T>}
   */
  #until(late, begin) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.close(late), TIMEOUT);
      /** @type {<V>(settle: (value: V) => void) => (value: V) => void} */
      const ending = (settle) => (value) => {
        clearTimeout(timer);
        this.#onMessage = null;
        this.#onEnd = null;
        settle(value);
      };
      this.#onEnd = ending(reject);
      begin(ending(resolve), this.#onEnd);
    });
  }
}

/**
 * Converts the code of an error message.
 * @param {string} code
 */
export function refusal(code) {
  const state = code === "UNSUPPORTED_VERSION" ? "old" : code === "PAIRING_REQUIRED" ? "revoked" : "lost";
  return new LinkProblem(state, code);
}
