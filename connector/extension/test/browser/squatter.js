// A program that has taken the daemon's port: it says it is Filmspool, says
// what it likes about the pairing, and asks for the token. It keeps every
// byte that it is given.
import { once } from "node:events";
import http from "node:http";
import { WebSocketServer } from "ws";

export class Squatter {
  /** All that it was told, in order. @type {string[]} */ heard = [];
  /** Sockets that were opened so far. */ sockets = 0;

  /**
   * @param {Record<string, unknown>} welcome what it adds to its first word
   * @param {{say?: Record<string, unknown>[], close?: number, health?: Record<string, unknown>}} [more] what it says next, and with which code it hangs up
   */
  constructor(welcome, more = {}) {
    this.server = http.createServer((request, response) => {
      this.heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
      response.writeHead(200, { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" });
      response.end(JSON.stringify(more.health ?? { service: "filmspool", version: "9.9.9", protocol: [1] }));
    });
    this.upgrades = new WebSocketServer({ server: this.server, handleProtocols: () => "filmspool.v1" });
    this.upgrades.on("connection", (socket) => {
      this.sockets++;
      socket.on("error", () => {}); // it may go as it likes
      socket.on("message", (data) => {
        const text = data.toString();
        this.heard.push(text);
        if (JSON.parse(text).type !== "hello") {
          return;
        }
        const first = { type: "welcome", v: 1, server: { version: "9.9.9" }, limits: { maxMessageBytes: 65536, maxInFlight: 20 },
          features: [], queue: { pending: 0, attention: 0 }, ...welcome };
        for (const message of [first, ...(more.say ?? [])]) {
          socket.send(JSON.stringify(message));
        }
        if (more.close) {
          socket.close(more.close, "");
        }
      });
    });
  }

  /** @param {string} address */
  async open(address) {
    const [name, port] = address.split(":");
    this.server.listen(Number(port), name);
    await once(this.server, "listening");
  }

  async close() {
    for (const socket of this.upgrades.clients) {
      socket.terminate();
    }
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }
}
