// The real program, its sandbox as the service, pages of our own and a browser with the extension: a set of its own for
// each test, all of it closed when the test ends.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { inspect, promisify } from "node:util";

/** What `npm run e2e` builds, unless somebody has built it before. */
const BINARY = process.env.FILMSPOOL_BINARY ?? path.join(import.meta.dirname, "../node_modules/.cache/filmspool");
/** The key that the sandbox accepts. */
export const KEY = "sk_browsers_0123456789abcdef";

/**
 * Reads until the value is accepted, and returns it. What `read` or `accept` throws is a fault of the test and is thrown.
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} read
 * @param {(value: Awaited<T>) => unknown} [accept] truthy values, unless given
 * @param {number} [limit] milliseconds
 * @returns {Promise<Awaited<T>>}
 */
export async function eventually(what, read, accept = Boolean, limit = 60_000) {
  const end = performance.now() + limit;
  for (;;) {
    const last = await read();
    if (accept(last)) return last;
    if (performance.now() > end) throw new Error(`${what}: not within ${limit / 1000} s; last seen: ${inspect(last, { depth: 6 })}`);
    await pause(100);
  }
}

/** @typedef {import("node:test").TestContext} Test */

/** What closes when a test ends. @type {WeakMap<Test, (() => unknown)[]>} */
const open = new WeakMap();

/** Closes something when the test ends: what was opened last goes first. @param {Test} t @param {() => unknown} close */
export function closing(t, close) {
  const all = open.get(t) ?? [];
  if (all.push(close) > 1) return;
  open.set(t, all);
  t.after(async () => {
    const faults = [];
    while (all.length > 0) await Promise.resolve().then(all.pop()).catch((fault) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  });
}

/** A folder that goes with the test. @param {Test} t */
function folder(t) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "filmspool-e2e-"));
  closing(t, () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return dir;
}

/** One running program that prints the address it serves. */
class Served {
  log = "";

  /** @param {string[]} args @param {NodeJS.ProcessEnv} env */
  constructor(args, env) {
    this.process = spawn(BINARY, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.process.stderr.on("data", (text) => (this.log += text));
    this.exit = once(this.process, "exit");
  }

  async address() {
    for await (const line of createInterface(this.process.stdout)) {
      const found = /http:\/\/([^/\s]+)/.exec(line);
      if (!found) continue;
      this.process.stdout.resume();
      return found[1];
    }
    throw new Error(`it did not start: ${this.log}`);
  }

  /** Ends it, and fails if it has ended by itself. */
  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) throw new Error(`it has ended by itself: ${this.log}`);
    this.process.kill();
    const [code] = await this.exit;
    assert.equal(code, 0, this.log);
    assert.doesNotMatch(this.log, /panic|DATA RACE/);
  }
}

/** A daemon with its state, and the service that it sends to. */
export class Filmspool {
  /** @type {Served | undefined} */ daemon;
  address = "127.0.0.1:0";
  service = "";
  /** @type {Record<string, {token: string, url: string}>} */ programs = {};

  /** @param {Test} t @param {{login?: boolean, tmdb?: string}} [options] tmdb is its address, where it is on */
  static async start(t, { login = true, tmdb = "" } = {}) {
    const home = new Filmspool(folder(t));
    if (tmdb) {
      fs.mkdirSync(path.join(home.dir, "config", "filmspool"), { recursive: true });
      fs.writeFileSync(path.join(home.dir, "config", "filmspool", "config.toml"), `[resolve.tmdb]\nenabled = true\nbase_url = "${tmdb}/3"\nimage_url = "${tmdb}/images"\n`);
      await home.run(["login", "--tmdb", "--key-stdin"], "eyJ.a.token");
    }
    const service = new Served(["sandbox", "--listen", "127.0.0.1:0", "--state-dir", path.join(home.dir, "service"),
      "--secret-key", KEY, "--public-key", KEY.replace("sk_", "pk_")], home.env);
    closing(t, () => service.stop());
    home.service = await service.address();
    await home.startDaemon();
    closing(t, () => home.stopDaemon());
    if (login) await home.run(["login", "--base-url", `http://${home.service}/api/v1`, "--key-stdin"], KEY);
    return home;
  }

  /** @param {string} dir */
  constructor(dir) {
    this.dir = dir;
    this.env = { ...process.env, HOME: dir, XDG_CONFIG_HOME: path.join(dir, "config"), FILMSPOOL_STATE_DIR: path.join(dir, "state") };
  }

  /** Always on the same port. */
  async startDaemon() {
    this.daemon = new Served(["run", "--listen", this.address, "--log-level", "debug"], this.env);
    this.address = await this.daemon.address();
  }

  async stopDaemon() {
    const { daemon } = this;
    this.daemon = undefined;
    await daemon?.stop();
  }

  /** One command to its end. @param {string[]} args @param {string} [input] */
  async run(args, input = "") {
    const running = promisify(execFile)(BINARY, args, { env: this.env });
    running.child.stdin?.on("error", () => {}).end(input); // a command may end without reading it
    return (await running).stdout;
  }

  /** @param {...string} args */
  async json(...args) {
    return JSON.parse(await this.run([...args, "--json"]));
  }

  /** @returns {Promise<string>} */
  async pairingCode() {
    return (await this.json("sources", "pair")).code;
  }

  /** An address that signs a browser in. */
  async ticket() {
    return (await this.run(["open", "--print"])).trim();
  }

  /** What the service has recorded. @returns {Promise<{history: any[], watchlist: any[]}>} */
  async records() {
    const { history, watchlist } = await (await fetch(`http://${this.service}/_sandbox/records`)).json();
    return { history: history ?? [], watchlist: watchlist ?? [] };
  }

  /** Everything in the queue. @returns {Promise<Record<string, any>[]>} */
  async queue() {
    return (await this.control("list")) ?? [];
  }

  /** The paired browsers. @returns {Promise<{id: string, origin: string, browser: string}[]>} */
  async clients() {
    return (await this.control("clients")) ?? [];
  }

  /** Asks the daemon as the command line does. @param {string} question */
  async control(question) {
    return this.#ask(`http://filmspool/v1/${question}`, { method: "POST", socketPath: path.join(this.dir, "state", "control.sock") });
  }

  /** Not fetch, which names itself as a browser does. @param {string} url @param {http.RequestOptions} options @param {string} [body] */
  async #ask(url, options, body) {
    const request = http.request(url, options);
    request.end(body);
    const [answer] = await once(request, "response");
    let text = "";
    for await (const part of answer) text += part;
    assert.equal(answer.statusCode, 200, text);
    return JSON.parse(text);
  }

  /** A program reports viewings, of now unless they say when. @param {...Record<string, unknown>} all */
  post(...all) {
    return this.postAs("player", ...all);
  }

  /** @param {string} program its name @param {...Record<string, unknown>} all */
  async postAs(program, ...all) {
    const { token, url } = (this.programs[program] ??= await this.json("sources", "programs", "add", program));
    const messages = all.map(({ at, ...media }) => ({ type: "viewing", id: crypto.randomUUID(), watchedAt: at ?? new Date().toISOString(), media }));
    await this.#ask(url, { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" } }, JSON.stringify(messages));
  }

  /** Waits for the service to have these films, then makes sure that nothing is there twice. @param {...number} wanted numbers of TMDB */
  async delivered(...wanted) {
    await eventually(`${wanted} recorded`, () => this.records(), ({ history }) => history.length >= wanted.length);
    const films = (all) => all.map(({ id }) => id).sort();
    assert.deepEqual(films((await this.records()).history), [...wanted].sort());
    const viewings = (await this.queue()).filter(({ kind }) => kind === "viewing");
    assert.equal(viewings.length, wanted.length, inspect(viewings));
  }
}

/** A server of this test; its port. @param {Test} t @param {http.RequestListener} answer */
async function serve(t, answer) {
  const server = http.createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

/** A TMDB that has a title and a picture for every number, and two films of every title; its address. @param {Test} t @param {Map<number, {title: string, year: number, picture: Buffer}>} [known] works of its own */
export async function tmdb(t, known = new Map()) {
  const work = (id) => {
    const { title, year = 1999 } = known.get(Number(id)) ?? {};
    return { id: Number(id), title: title ?? `Film ${id}`, name: title ?? `Series ${id}`, release_date: `${year}-03-31`, poster_path: `/${id}.png` };
  };
  const picture = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const episodes = Array.from({ length: 20 }, (_, i) => ({ id: i + 1, episode_number: i + 1, name: `Episode ${i + 1}` }));
  return `http://127.0.0.1:${await serve(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://tmdb");
    const [, id] = /(\d+)(?:\.png)?$/.exec(pathname) ?? [];
    const [season] = /season\/\d+/.exec(searchParams.get("append_to_response") ?? "") ?? [];
    const results = [1, 2].map((id) => ({ ...work(id), title: searchParams.get("query") }));
    if (pathname.startsWith("/images/")) response.end(known.get(Number(id))?.picture ?? picture);
    else if (pathname.includes("/search/")) response.end(JSON.stringify({ page: 1, total_pages: 1, total_results: 2, results }));
    else response.end(JSON.stringify({ success: true, ...work(id), ...(season && { [season]: { episodes } }) }));
  })}`;
}

/** Serves pages under any name. Returns what puts a page there and gives its address. @param {Test} t */
export async function site(t) {
  /** @type {Map<string, string>} */
  const pages = new Map();
  const port = await serve(t, (request, response) => {
    const html = pages.get(request.url ?? "");
    response.writeHead(html === undefined ? 404 : 200, { "Content-Type": "text/html; charset=utf-8" }).end(html);
  });
  return (/** @type {string} */ html, host = "films.example") => {
    const where = `/${pages.size + 1}`;
    pages.set(where, html);
    return `http://${host}:${port}${where}`;
  };
}
