/** The link and the outbox against the real program. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { WebSocketServer } from "ws";
import { Database } from "../source/background/database.js";
import { Delivery } from "../source/background/deliver.js";
import { wished } from "../source/background/events.js";
import { Link } from "../source/background/link.js";
import { Outbox } from "../source/background/outbox.js";
import { edges, until } from "./fake-daemon.js";
import { RealDaemon } from "./real-daemon.js";

globalThis.IDBKeyRange = IDBKeyRange;

/** @type {RealDaemon} */
let daemon;
const around = { pairing: undefined };

before(async () => {
  daemon = await RealDaemon.make();
  await daemon.start();
});
after(() => daemon.remove());

/** A worker on the browser's disk, which hangs up after so many idle milliseconds. */
function worker(factory = new IDBFactory(), idle = 500) {
  const outbox = new Outbox(new Database(factory));
  const link = new Link({
    ...edges(daemon),
    load: async () => around.pairing,
    save: async (pairing) => {
      around.pairing = pairing;
    },
  });
  /** @type {string[]} */
  const unread = [];
  const delivery = new Delivery({ outbox, link, unread: async () => unread, changed: () => {}, wakeLater: async () => {}, sleep: async () => {}, times: { idle, answer: 20_000 } });
  return { outbox, link, delivery, unread };
}

/** A viewing of the outbox. */
const added = (media, watchedAt = "2026-03-01T20:15:00+01:00") => {
  const id = crypto.randomUUID();
  return { id, state: "waiting", title: "", at: watchedAt, message: { type: "viewing", id, media, watchedAt } };
};
const film = (n) => added({ type: "movie", ids: { tmdb: 600 + n }, title: `Film ${n}` });
const empty = (outbox) => async () => (await outbox.count()).waiting === 0;

test("a wrong code is refused, in words", async () => {
  const { link } = worker();
  await daemon.pairingCode();
  const problem = await link.pair({ code: "AAAA-AAAA", label: "Desk", address: daemon.address }).catch((error) => error);
  assert.equal(problem.code, "PAIRING_CODE_INVALID");
  assert.match(problem.message, /code/);
});

test("pairing, and every kind of event acknowledged", async () => {
  const { link, delivery, outbox } = worker(undefined, 30_000); // what is pushed may come late
  await link.pair({ code: (await daemon.pairingCode()).toLowerCase(), label: "Desk", address: daemon.address });
  const [client] = await daemon.command("sources", "programs", "list", "--json");
  assert.equal(client.label, "Desk");
  assert.equal(client.browser, "chromium");
  assert.equal(around.pairing.clientId, client.id);
  const now = new Date().toISOString();
  const events = [
    film(1),
    added({ type: "episode", show: { ids: { tmdb: 1396 }, title: "Breaking Bad" }, season: 0, episode: 4 }, now),
    wished(crypto.randomUUID(), now, { type: "tv", ids: { tmdb: 1396 } }),
  ];
  for (const event of events) assert.equal(await delivery.put(event), "kept");
  await until(empty(outbox));
  assert.equal((await outbox.count()).rejected, 0);
  assert.deepEqual(await daemon.queued(), events.map(({ id }) => id).sort());
  assert.equal(link.info.state, "connected");
  await until(() => delivery.status?.pending === 3, "the daemon's count is pushed");
  link.rest();
});

test("a site that cannot be read stands in the real program's status, until it can", async () => {
  const { link, delivery, unread } = worker();
  const shown = async () => (await daemon.status()).sources[0].unread;
  unread.push("Nordlicht");
  await delivery.wake();
  await until(async () => (await shown())?.[0] === "Nordlicht");
  unread.length = 0;
  await delivery.report();
  await until(async () => (await shown()) === undefined);
  link.rest();
});

test("stopped: kept; started: delivered; killed while sending: once", async () => {
  const { link, delivery, outbox } = worker();
  const before = (await daemon.queued()).length;
  await daemon.stop();
  const events = Array.from({ length: 60 }, (_, n) => film(n));
  for (const event of events) await delivery.put(event);
  await until(() => link.info.state === "offline");
  assert.equal((await outbox.count()).waiting, 60);
  await daemon.start();
  await delivery.wake({ force: true });
  await until(async () => (await outbox.count()).waiting < 50);
  await daemon.stop("SIGKILL");
  await until(() => !link.connected);
  await daemon.start();
  await delivery.wake({ force: true });
  await until(empty(outbox));
  const queued = await daemon.queued();
  assert.equal(queued.length, before + 60);
  for (const { id } of events) assert.equal(queued.filter((each) => each === id).length, 1);
  link.rest();
});

test("the worker is killed after sending: the next one sends again, and the queue has it once", async () => {
  const factory = new IDBFactory();
  const first = worker(factory);
  await first.link.connect();
  const event = film(7);
  first.outbox.remove = () => new Promise(() => {}); // killed before it could write down the acknowledgement
  await first.delivery.put(event);
  await until(async () => (await daemon.queued()).includes(event.id));
  first.link.rest();
  const second = worker(factory);
  await second.delivery.tick();
  await until(empty(second.outbox));
  assert.equal((await daemon.queued()).filter((id) => id === event.id).length, 1);
  assert.equal((await second.outbox.count()).rejected, 0);
  second.link.rest();
});

test("an event that the daemon will never take is kept apart", async () => {
  const { link, delivery, outbox } = worker();
  const event = film(8);
  await delivery.put(event);
  await until(empty(outbox));
  const other = worker();
  await other.delivery.put({ ...event, message: { ...event.message, watchedAt: "2026-03-02T20:15:00Z" } });
  await other.delivery.put(added({ type: "movie", ids: { imdb: "nm1" } }));
  await until(empty(other.outbox));
  const codes = (await other.outbox.list("rejected")).map(({ error }) => error.code);
  assert.deepEqual(codes, ["CONFLICT", "BAD_MESSAGE"]);
  link.rest();
  other.link.rest();
});

test("a program squatting on the port learns nothing", async () => {
  await daemon.stop();
  const heard = [];
  const [host, port] = daemon.address.split(":");
  const http = createServer((_, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end('{"service":"filmspool","version":"9.9.9","protocol":[1]}');
  });
  const sockets = new WebSocketServer({ server: http, handleProtocols: () => "filmspool.v1" });
  sockets.on("connection", (socket) => {
    socket.on("message", (text) => {
      heard.push(String(text));
      const proof = "0".repeat(64);
      socket.send(JSON.stringify({ type: "welcome", v: 1, server: {}, paired: true, proof, limits: { maxMessageBytes: 65536, maxInFlight: 32 }, features: [] }));
      socket.send(JSON.stringify({ type: "error", code: "PAIRING_REQUIRED", message: "say your token again", retryable: true }));
    });
  });
  await new Promise((resolve) => http.listen(Number(port), host, resolve));
  const { link, delivery, outbox } = worker();
  const event = film(9);
  await delivery.put(event);
  await until(() => link.info.state === "stranger");
  assert.equal(heard.length, 1, "one hello and nothing else");
  assert.equal(heard.join().includes(around.pairing.token), false);
  assert.equal(heard.join().includes(event.id), false);
  for (const socket of sockets.clients) socket.terminate();
  await new Promise((resolve) => http.close(resolve));
  await daemon.start();
  await delivery.wake({ force: true });
  await until(empty(outbox));
  link.rest();
});

test("revoked while connected: told at once, the rest is kept; paired again: delivered", async () => {
  const { link, delivery, outbox } = worker();
  await link.connect();
  await daemon.stop();
  await until(() => !link.connected);
  assert.notEqual(link.info.state, "revoked", "a daemon that is gone has revoked nothing");
  assert.ok(around.pairing.token);
  await daemon.start();
  await delivery.wake({ force: true });
  assert.equal(link.info.state, "connected");
  await daemon.command("sources", "programs", "remove", around.pairing.clientId).catch(() => null); // prints words, not JSON
  await until(() => link.info.state === "revoked");
  assert.equal(around.pairing.revoked, true);
  await delivery.put(film(10));
  await delivery.wake({ force: true });
  assert.equal(link.info.state, "revoked");
  assert.equal((await outbox.count()).waiting, 1);
  await link.pair({ code: await daemon.pairingCode(), label: "Desk again", address: daemon.address });
  await delivery.wake({ force: true });
  await until(empty(outbox));
  assert.equal(link.info.state, "connected");
  link.rest();
});
