// The real program as a user runs it: the daemon, its sandbox as the service,
// and the command line, all in a folder of their own.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { until } from "./until.js";

const root = path.resolve(import.meta.dirname, "../../../..");
/** What the service takes at first. */
export const SECRET = "sk_browsers_0123456789abcdef";

/** A folder that is deleted by `remove`. @param {string} name */
export function folder(name) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `filmspool-${name}-`));
  return { dir, remove: () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}

/** Where the program is, built when FILMSPOOL_BINARY does not say. @param {string} dir */
function program(dir) {
  const given = process.env.FILMSPOOL_BINARY;
  if (given && fs.existsSync(given)) {
    return given;
  }
  const binary = path.join(dir, "filmspool");
  execFileSync("go", ["build", "-o", binary, "./cmd/filmspool"], { cwd: root, stdio: "inherit" });
  return binary;
}

/** A program in the background that prints the address it serves. */
class Served {
  log = "";

  /** @param {string} binary @param {string[]} args @param {NodeJS.ProcessEnv} env */
  constructor(binary, args, env) {
    this.process = spawn(binary, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.process.stderr.on("data", (text) => (this.log += text));
    this.ended = once(this.process, "exit");
    this.ready = this.#address();
    this.ready.catch(() => {}); // whoever waits for it hears of it
  }

  async #address() {
    for await (const line of createInterface(this.process.stdout)) {
      const found = /http:\/\/([^/\s]+)/.exec(line);
      if (found) {
        this.process.stdout.resume();
        return found[1];
      }
    }
    throw new Error(`did not start: ${this.log}`);
  }

  running() {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Returns its exit code. @param {NodeJS.Signals} [signal] */
  async stop(signal = "SIGTERM") {
    this.process.kill(signal);
    return (await this.ended)[0];
  }
}

export class Household {
  #folder = folder("household");
  /** @type {Served | undefined} */ #daemon;
  /** @type {Served | undefined} */ #sandbox;
  /** What all daemons so far have logged. */
  log = "";
  address = "127.0.0.1:0";

  constructor() {
    this.binary = program(this.#folder.dir);
    this.env = {
      ...process.env,
      HOME: this.#folder.dir,
      XDG_CONFIG_HOME: path.join(this.#folder.dir, "config"),
      FILMSPOOL_STATE_DIR: path.join(this.#folder.dir, "state"),
    };
    // The clips last for seconds, so that more of them end in a minute than films ever do.
    const config = path.join(this.#folder.dir, "config", "filmspool");
    fs.mkdirSync(config, { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(config, "config.toml"), "wave = 0\n", { mode: 0o600 });
  }

  /** Starts the service and the daemon, and logs in. @param {{login?: boolean}} [options] */
  async open({ login = true } = {}) {
    await this.serve(SECRET);
    await this.start();
    if (login) this.run(["login", "--base-url", `http://${this.service}/api/v1`, "--key-stdin"], SECRET);
  }

  /** Starts the service, or starts it again where it was: with that key alone. @param {string} key */
  async serve(key) {
    await this.#sandbox?.stop();
    this.#sandbox = new Served(this.binary, ["sandbox", "--listen", this.service ?? "127.0.0.1:0", "--state-dir", this.path("service"),
      "--secret-key", key, "--public-key", key.replace("sk_", "pk_")], this.env);
    this.service = await this.#sandbox.ready;
  }

  /** A path in the folder of the household, which is its home. @param {...string} names */
  path(...names) {
    return path.join(this.#folder.dir, ...names);
  }

  /** Starts the daemon, always on the same port once it has one. */
  async start() {
    const served = new Served(this.binary, ["run", "--listen", this.address, "--log-level", "debug"], this.env);
    this.#daemon = served;
    this.address = await served.ready;
  }

  get running() {
    return this.#daemon?.running() ?? false;
  }

  /** Stops the daemon and fails if it has crashed. */
  async stop() {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    if (!daemon) {
      return;
    }
    assert.ok(daemon.running(), `the daemon has ended by itself:\n${daemon.log}`);
    const code = await daemon.stop();
    this.log += daemon.log;
    assert.equal(code, 0, daemon.log);
    assert.doesNotMatch(daemon.log, /panic|DATA RACE/);
  }

  /** How often the daemon's log of this life has the text. @param {string} text */
  logged(text) {
    return (this.#daemon?.log.split(text).length ?? 1) - 1;
  }

  /** One command to its end. @param {string[]} args @param {string} [input] */
  run(args, input = "") {
    return execFileSync(this.binary, args, { env: this.env, input, encoding: "utf8", timeout: 20_000, stdio: "pipe" });
  }

  /** @param {string[]} args */
  json(...args) {
    return JSON.parse(this.run([...args, "--json"]));
  }

  /** An address that signs a browser in. */
  ticket() {
    return this.run(["open", "--print"]).trim();
  }

  /** Asks the control API, as the daemon's page does. @param {string} method @param {string} where @param {unknown} [body] */
  async control(method, where, body) {
    const { address, token } = JSON.parse(fs.readFileSync(path.join(this.#folder.dir, "state", "control.json"), "utf8"));
    const [host, port] = address.split(":");
    // Not fetch: that names itself as a browser does.
    const request = http.request({ host, port, method, path: `/v1/control${where}`, headers: { Authorization: `Bearer ${token}` } });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [answer] = await once(request, "response");
    let text = "";
    for await (const part of answer) text += part;
    assert.equal(answer.statusCode, 200, text);
    return JSON.parse(text);
  }

  pairingCode() {
    return /** @type {string} */ (this.json("pair").code);
  }

  /** The paired browsers. @returns {{id: string, label: string, origin: string, browser: string}[]} */
  clients() {
    return this.json("clients", "list") ?? [];
  }

  /** Everything in the queue. @returns {Record<string, any>[]} */
  queue() {
    return this.json("queue", "list", "--limit", "1000") ?? [];
  }

  /** All that the service has recorded. @returns {Promise<{history: any[], watchlist: any[], lists: any[]}>} */
  async records() {
    const { history, watchlist, lists } = await (await fetch(`http://${this.service}/_sandbox/records`)).json();
    return { history: history ?? [], watchlist: watchlist ?? [], lists: lists ?? [] };
  }

  /** A program tells of viewings, as its messages say. @param {...Record<string, unknown>} messages */
  async post(...messages) {
    const { token, url } = this.json("clients", "add", "player");
    const body = JSON.stringify(messages.map((one) => ({ type: "viewing", id: crypto.randomUUID(), watchedAt: new Date().toISOString(), ...one })));
    // fetch would say that it is a browser's, which programs are not.
    const request = http.request(url, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" } });
    request.end(body);
    const [answer] = await once(request, "response");
    answer.resume();
    assert.equal(answer.statusCode, 200);
  }

  /** Waits for the queue to be empty of work. */
  async settled() {
    await until("everything in the queue is settled",
      () => this.queue().every((entry) => ["delivered", "held", "rejected", "dropped", "merged"].includes(entry.state)));
  }

  async close() {
    try {
      await this.stop();
    } finally {
      await this.#sandbox?.stop();
      this.#folder.remove();
    }
  }
}
