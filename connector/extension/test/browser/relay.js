// A door between the extension and the daemon that can lose what the daemon
// says, as when the browser dies before it hears.
import net from "node:net";
import { once } from "node:events";

export class Relay {
  /** @type {Set<net.Socket>} */ #sockets = new Set();
  #holding = false;
  /** Acknowledgements that were lost so far. */
  lost = 0;
  /** WebSockets that are open now. */
  talks = 0;
  /** Events that the daemon knew already. */
  duplicates = 0;

  /** @param {string} daemon its address */
  constructor(daemon) {
    this.daemon = daemon;
    this.server = net.createServer((socket) => this.#join(socket));
    this.address = "";
  }

  async open() {
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.address = `127.0.0.1:${/** @type {net.AddressInfo} */ (this.server.address()).port}`;
  }

  /** From now on no acknowledgement comes through, nor what follows it. */
  hold() {
    this.#holding = true;
  }

  /** Cuts what stands; new sockets get everything again. */
  release() {
    this.#holding = false;
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  #join(/** @type {net.Socket} */ browser) {
    const [name, port] = this.daemon.split(":");
    const daemon = net.connect(Number(port), name);
    let deaf = false;
    for (const socket of [browser, daemon]) {
      this.#sockets.add(socket);
      socket.on("error", () => {}); // "close" follows
      socket.on("close", () => {
        this.#sockets.delete(socket);
        browser.destroy();
        daemon.destroy();
      });
    }
    // The daemon answers to its own address alone.
    browser.once("data", (bytes) => {
      if (/^Upgrade: websocket/im.test(bytes.toString("latin1"))) {
        this.talks++;
        browser.on("close", () => this.talks--);
      }
    });
    browser.on("data", (bytes) => daemon.write(bytes.toString("latin1").replaceAll(`Host: ${this.address}`, `Host: ${this.daemon}`), "latin1"));
    daemon.on("data", (bytes) => {
      if (this.#holding && bytes.includes('"type":"ack"')) { // a server's frames are not masked
        this.lost++;
        deaf = true;
      }
      if (!deaf) {
        this.duplicates += bytes.toString("latin1").split('"status":"duplicate"').length - 1;
        browser.write(bytes);
      }
    });
  }

  async close() {
    this.release();
    this.server.close();
    await once(this.server, "close");
  }
}
