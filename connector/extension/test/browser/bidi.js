// WebDriver BiDi, as much of it as the scenarios need: one socket, commands
// and their answers.
import { once } from "node:events";
import WebSocket from "ws";

export class BiDi {
  #next = 0;
  /** @type {Map<number, {done: (result: any) => void, failed: (error: Error) => void}>} */ #waiting = new Map();
  /** @type {Map<string, ((params: any) => void)[]>} */ #listeners = new Map();

  /** @param {string} address */
  async open(address) {
    this.socket = new WebSocket(address);
    await once(this.socket, "open");
    this.socket.on("message", (data) => this.#take(JSON.parse(data.toString())));
    this.socket.on("close", () => {
      for (const { failed } of this.#waiting.values()) {
        failed(new Error("the browser is gone"));
      }
      this.#waiting.clear();
    });
  }

  #take(/** @type {any} */ message) {
    if (message.type === "event") {
      for (const listener of this.#listeners.get(message.method) ?? []) {
        listener(message.params);
      }
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.type === "success") {
      waiting?.done(message.result);
    } else {
      waiting?.failed(new Error(`${message.error}: ${message.message}`));
    }
  }

  /** @param {string} method @param {(params: any) => void} listener */
  on(method, listener) {
    this.#listeners.set(method, [...(this.#listeners.get(method) ?? []), listener]);
  }

  /** @param {string} method @param {object} [params] @returns {Promise<any>} */
  send(method, params = {}) {
    return new Promise((done, failed) => {
      const id = ++this.#next;
      this.#waiting.set(id, { done, failed });
      this.socket?.send(JSON.stringify({ id, method, params }));
    });
  }
}
