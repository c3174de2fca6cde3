/**
 * A daemon of a few lines, behind a fake WebSocket and a fake fetch, that can
 * be made to misbehave. The real one is in the tests with a browser.
 */
import { proofOf } from "../source/background/probe.js";

export const pairing = () => ({ clientId: "3f2a9c0d11e4b7a6", token: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", address: "127.0.0.1:43456", label: "Desk" });

export class FakeDaemon {
  /** Whether anything listens, and whether it may be read. */
  listens = true;
  readable = true;
  health = { service: "filmspool", version: "1.2.3", protocol: [1] };
  subprotocol = "filmspool.v1";
  limits = { maxInFlight: 4 };
  /** @type {string | undefined} the token it knows */
  token = pairing().token;
  proof = async (nonce) => (this.token ? proofOf(this.token, nonce) : undefined);
  /** What it says to an event; null says nothing. */
  answers = (message) => ({ type: "ack", id: message.id, status: "queued" });
  code = "7KQMW2XD";

  /** Every message that came, of all sockets, and how often it was asked. */
  heard = [];
  probes = 0;
  sockets = [];

  fetch = async (_url, { mode } = {}) => {
    if (mode !== "no-cors") this.probes++;
    if (!this.listens || (!this.readable && mode !== "no-cors")) throw new TypeError("fetch failed");
    return new Response(this.health instanceof ReadableStream ? this.health : JSON.stringify(this.health));
  };

  get WebSocket() {
    const daemon = this;
    return class {
      protocol = daemon.subprotocol;
      constructor(url, protocols) {
        this.url = url;
        this.protocols = protocols;
        daemon.sockets.push(this);
        queueMicrotask(() => (daemon.listens ? this.onopen?.() : this.shut(1006)));
      }
      send(text) {
        if (this.closed) return;
        const message = JSON.parse(text);
        daemon.heard.push(message);
        void daemon.answer(this, message);
      }
      tell(message) {
        queueMicrotask(() => !this.closed && this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) }));
      }
      close() {
        this.shut(1000);
      }
      shut(code) {
        if (this.closed) return;
        this.closed = true;
        queueMicrotask(() => this.onclose?.({ code, reason: "" }));
      }
    };
  }

  /** The socket that is open now. */
  get socket() {
    return this.sockets.findLast(({ closed }) => !closed);
  }

  /** Messages of a type that came. */
  said(type) {
    return this.heard.filter((message) => message.type === type);
  }

  #welcome(paired, proof) {
    return { type: "welcome", v: 1, server: { version: "1.2.3" }, paired, ...(proof && { proof }), limits: this.limits };
  }

  async answer(socket, message) {
    switch (message.type) {
      case "hello":
        socket.tell(this.#welcome(false, message.nonce && (await this.proof(message.nonce))));
        break;
      case "auth":
        if (message.token === this.token) {
          socket.tell(this.#welcome(true));
        } else {
          socket.tell({ type: "error", code: "PAIRING_REQUIRED", retryable: false });
          socket.shut(4401);
        }
        break;
      case "pair":
        if (message.code === this.code) socket.tell({ type: "paired", id: message.id, clientId: "c".repeat(16), token: "t".repeat(43) });
        else socket.tell({ type: "error", id: message.id, code: "PAIRING_CODE_INVALID", retryable: false });
        break;
      case "status":
        socket.tell({ type: "status", id: message.id, online: true, pending: 2, attention: 1, ...(this.problems && { problems: this.problems }) });
        break;
      case "playing":
        break;
      default: {
        const answer = this.answers(message);
        if (answer) socket.tell(answer);
      }
    }
  }
}

/** A link to a fake or real daemon, with a pairing in memory. */
export function edges(daemon, kept = pairing()) {
  const store = { pairing: kept, changes: 0 };
  return {
    store,
    WebSocket: daemon.WebSocket,
    fetch: daemon.fetch,
    client: { name: "Filmspool", version: "0.0.1", browser: "chromium" },
    address: async () => daemon.address ?? "127.0.0.1:43456",
    load: async () => store.pairing,
    save: async (changed) => {
      store.pairing = changed;
    },
    changed: () => store.changes++,
  };
}

/** Resolves as soon as a condition holds; fails after so many milliseconds. */
export async function until(condition, what = String(condition), limit = 30_000) {
  const end = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
