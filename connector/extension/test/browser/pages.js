// The pages that the browsers visit: served on loopback under made-up names,
// over http and https, each with the scenario's own HTML.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import path from "node:path";

/** A tone of so many seconds: 8 kHz, 8 bits, so it needs no codec. @param {number} seconds */
export function wav(seconds) {
  const rate = 8000;
  const length = Math.round(seconds * rate);
  const bytes = Buffer.alloc(44 + length);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(36 + length, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20); // PCM
  bytes.writeUInt16LE(1, 22); // channels
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate, 28); // bytes a second
  bytes.writeUInt16LE(1, 32); // bytes a sample
  bytes.writeUInt16LE(8, 34); // bits a sample
  bytes.write("data", 36);
  bytes.writeUInt32LE(length, 40);
  for (let i = 0; i < length; i++) {
    bytes[44 + i] = 128 + 20 * Math.sin((i * 2 * Math.PI * 220) / rate);
  }
  return bytes;
}

/** Serves a part of it, as a browser asks that wants to seek. */
function sendClip(/** @type {http.IncomingMessage} */ request, /** @type {http.ServerResponse} */ response, /** @type {Buffer} */ clip) {
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const from = range ? Number(range[1]) : 0;
  const to = range?.[2] ? Math.min(Number(range[2]), clip.length - 1) : clip.length - 1;
  const headers = { "Content-Type": "audio/wav", "Accept-Ranges": "bytes", "Content-Length": to - from + 1 };
  response.writeHead(range ? 206 : 200, range ? { ...headers, "Content-Range": `bytes ${from}-${to}/${clip.length}` } : headers);
  response.end(clip.subarray(from, to + 1));
}

export class Pages {
  /** @type {Map<string, string>} */ #html = new Map();
  /** @type {(http.Server | https.Server)[]} */ #servers = [];
  /** @type {Map<string, Buffer>} */ #clips = new Map();
  http = 0;
  https = 0;

  /** @param {string} dir for the certificate, which no browser trusts */
  async open(dir) {
    const source = path.join(execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim(), "src/crypto/tls/generate_cert.go");
    execFileSync("go", ["run", source, "--host", "127.0.0.1,films.example,evil.example", "--ecdsa-curve", "P256"], { cwd: dir, stdio: "pipe" });
    const identity = { key: fs.readFileSync(path.join(dir, "key.pem")), cert: fs.readFileSync(path.join(dir, "cert.pem")) };
    const answer = this.#answer.bind(this);
    this.http = await this.#listen(http.createServer(answer));
    this.https = await this.#listen(https.createServer(identity, answer));
  }

  async #listen(/** @type {http.Server | https.Server} */ server) {
    this.#servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
  }

  #answer(/** @type {http.IncomingMessage} */ request, /** @type {http.ServerResponse} */ response) {
    const where = (request.url ?? "/").split("?")[0];
    const clip = /^\/clip-([\d.]+)\.wav$/.exec(where);
    if (clip) {
      const bytes = this.#clips.get(clip[1]) ?? wav(Number(clip[1]));
      this.#clips.set(clip[1], bytes);
      return sendClip(request, response, bytes);
    }
    const html = this.#html.get(where);
    response.writeHead(html === undefined ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" });
    response.end(html ?? "not here");
  }

  /** Puts a page there and returns its address under that name. @param {string} where @param {string} html @param {string} [name] */
  put(where, html, name = "films.example") {
    this.#html.set(where, html);
    return `http://${name}:${this.http}${where}`;
  }

  /** The same page over https. @param {string} address */
  secure(address) {
    return address.replace("http://", "https://").replace(`:${this.http}`, `:${this.https}`);
  }

  async close() {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  }
}
