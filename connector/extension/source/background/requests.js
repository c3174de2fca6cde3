/**
 * Questions to the daemon that have one answer each. Nothing of them is kept:
 * one whose socket is lost is answered by null, and may be asked again.
 */

/** @typedef {import("./conversation.js").Message} Message */

export class Requests {
  /** @type {Map<string, (answer: Message | null) => void>} */
  #open = new Map();

  /** How many have no answer yet. */
  get size() {
    return this.#open.size;
  }

  /**
   * @param {(message: Message) => void} say
   * @param {Message} message without id
   * @returns {Promise<Message | null>} null when the socket was lost
   */
  ask(say, message) {
    const id = crypto.randomUUID();
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      say({ ...message, id });
    });
  }

  /**
   * @param {Message} message of the daemon
   * @returns {boolean} whether it was the answer to one
   */
  hear(message) {
    const resolve = this.#open.get(message.id);
    if (!resolve) return false;
    this.#open.delete(message.id);
    resolve(message);
    return true;
  }

  /** The socket is gone, and with it the answers. */
  lose() {
    const all = [...this.#open.values()];
    this.#open.clear();
    for (const resolve of all) resolve(null);
  }
}
