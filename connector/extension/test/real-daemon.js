/** The real program, on a free port, in a state folder of its own. */
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import WebSocket from "ws";

const run = promisify(execFile);
const top = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** An origin as Chromium gives one to an extension. */
export const ORIGIN = `chrome-extension://${"abcdefghijklmnop".repeat(2)}`;

/** The socket of an extension with that origin, for all that this can show outside of a browser. */
export class ExtensionSocket extends WebSocket {
  constructor(url, protocols) {
    super(url, protocols, { origin: ORIGIN });
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class RealDaemon {
  WebSocket = ExtensionSocket;
  fetch = fetch;
  #child = null;

  static async make() {
    const daemon = new RealDaemon();
    daemon.folder = await mkdtemp(join(tmpdir(), "filmspool-extension-"));
    const built = process.env.FILMSPOOL_BINARY;
    daemon.program = built && existsSync(built) ? built : join(daemon.folder, "filmspool");
    if (daemon.program !== built) await run("go", ["build", "-o", daemon.program, "./cmd/filmspool"], { cwd: top });
    daemon.config = join(daemon.folder, "config.toml");
    await writeFile(daemon.config, "");
    daemon.address = `127.0.0.1:${await freePort()}`;
    return daemon;
  }

  /** Runs a command of the program and reads its JSON. */
  async command(...args) {
    const common = ["--state-dir", this.folder, "--config", this.config];
    const { stdout } = await run(this.program, [...args, ...common]);
    return stdout ? JSON.parse(stdout) : null;
  }

  /** How things stand, whether or not anything needs the user. */
  async status() {
    const args = ["status", "--json", "--state-dir", this.folder, "--config", this.config];
    const { stdout } = await run(this.program, args).catch((error) => error); // its exit code says that something does
    return JSON.parse(stdout);
  }

  async start() {
    const args = ["run", "--listen", this.address, "--state-dir", this.folder, "--config", this.config];
    this.#child = spawn(this.program, args, { stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    this.#child.stderr.on("data", (text) => said.push(text));
    for await (const line of createInterface(this.#child.stdout)) {
      if (line.startsWith("ready on")) return;
    }
    throw new Error(`the daemon did not start: ${said.join("")}`);
  }

  /** @param {NodeJS.Signals} [signal] */
  async stop(signal = "SIGTERM") {
    const child = this.#child;
    this.#child = null;
    if (!child) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async remove() {
    await this.stop("SIGKILL");
    await rm(this.folder, { recursive: true, force: true });
  }

  async pairingCode() {
    return (await this.command("sources", "pair", "--json")).code;
  }

  /** What it has put in its queue, oldest first, by event id. */
  async queued() {
    const entries = await this.command("diary", "--json");
    return entries.map(({ eventId }) => eventId).sort();
  }
}
