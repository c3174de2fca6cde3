/** What the daemon is asked and told beside events, and how an event is taken back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import { Backoff } from "../source/background/backoff.js";
import { Database } from "../source/background/database.js";
import { Delivery } from "../source/background/deliver.js";
import { Link } from "../source/background/link.js";
import { Outbox } from "../source/background/outbox.js";
import { LinkProblem } from "../source/background/problem.js";
import { takeBack } from "../source/background/undo.js";
import { empty, event, Hasty, uuid, worker } from "./delivery-worker.js";
import { edges, FakeDaemon, until } from "./fake-daemon.js";

const allFeatures = ["resolve", "undo", "waiting"];

test("a question has one answer, and none when the socket is lost", async () => {
  const daemon = new FakeDaemon();
  daemon.features = allFeatures;
  daemon.answers = ({ id, type }) => (type === "undo" ? { type: "undone", id, removed: true } : null);
  const { delivery } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  assert.equal((await delivery.ask({ type: "undo", event: uuid(1) })).type, "undone");
  const lost = delivery.ask({ type: "resolve", media: {} });
  await until(() => daemon.said("resolve").length === 1);
  daemon.socket.shut(1001);
  assert.equal((await lost).code, "OFFLINE");
  daemon.listens = false;
  assert.equal((await delivery.ask({ type: "undo", event: uuid(1) }, { force: true })).code, "OFFLINE");
});

test("what is withdrawn until it connects is not asked; whether it is, is looked at only where it would leave", async () => {
  const daemon = new FakeDaemon();
  daemon.features = allFeatures;
  daemon.answers = ({ id, type }) => (type === "undo" ? { type: "undone", id, removed: true } : null);
  const { delivery } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  const looks = [];
  const ask = (type, may) => delivery.ask({ type, event: uuid(1) }, { force: true, mayGo: async () => (looks.push(daemon.socket !== undefined), may) });
  assert.equal((await ask("undo", false)).code, "WITHDRAWN");
  assert.equal(daemon.said("undo").length, 0);
  assert.equal((await ask("undo", true)).type, "undone");
  assert.equal((await ask("correct", true)).code, "UNKNOWN_TYPE");
  daemon.listens = false;
  daemon.socket.shut(1001);
  assert.equal((await ask("undo", true)).code, "OFFLINE");
  assert.deepEqual(looks, [true, true]);
});

test("an older daemon is asked nothing and told nothing that it does not know", async () => {
  const daemon = new FakeDaemon();
  const { delivery, outbox } = worker(daemon);
  assert.equal((await delivery.ask({ type: "undo", event: uuid(1) })).code, "UNKNOWN_TYPE");
  await delivery.put(event(1));
  await until(empty(outbox));
  assert.deepEqual([...new Set(daemon.heard.map(({ type }) => type))].sort(), ["auth", "hello", "status", "viewing"]);
});

test("what is being taken back is not sent; what is not to leave yet leaves later", async () => {
  const daemon = new FakeDaemon();
  const { delivery, outbox } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  await delivery.withdrawn(uuid(1), async () => {
    await delivery.put(event(1));
    await delivery.put(event(2));
    await until(() => daemon.said("viewing").length === 1);
    await outbox.remove(uuid(1));
  });
  await until(empty(outbox));
  assert.deepEqual(daemon.said("viewing").map(({ id }) => id), [uuid(2)]);
  const from = Date.now();
  await delivery.put({ ...event(3), after: from + 50 });
  await until(empty(outbox));
  assert.ok(Date.now() >= from + 50);
});

test("how many viewings wait is told at each connect, and when it changes", async () => {
  const daemon = new FakeDaemon();
  daemon.features = allFeatures;
  daemon.answers = ({ id, type }) => (type === "waiting" ? null : { type: "ack", id, status: "queued" });
  const disk = { factory: new IDBFactory(), around: edges(daemon), alarm: { set: 0, on: false } };
  let [now, told] = [3, /** @type {any} */ (null)];
  const outbox = new Outbox(new Database(disk.factory));
  const link = new Link(disk.around);
  const delivery = new Delivery({
    outbox, link, backoff: new Hasty(() => 0.5), times: { idle: 1000, answer: 1000 }, changed: () => {},
    wakeLater: async () => void (disk.alarm.on = true), sleep: async () => void (disk.alarm.on = false),
    owes: async () => (told?.viewings === now ? null : { viewings: now, ...(now === 2 && { unread: ["Nordlicht"] }) }), told: async (what) => void (told = what),
  });
  const said = () => daemon.said("waiting").map(({ viewings, unread }) => [viewings, unread].flat().filter((one) => one !== undefined));
  daemon.listens = false;
  await delivery.tell();
  assert.equal(disk.alarm.on, true, "it is told later");
  daemon.listens = true;
  await until(() => said().length === 1);
  now = 2;
  await delivery.tell();
  await delivery.tell();
  assert.deepEqual(said(), [[3], [2, "Nordlicht"]]);
  await delivery.tick();
  assert.equal(disk.alarm.on, false);
  link.drop(new LinkProblem("waiting", "LOST", ""));
  await delivery.wake({ force: true });
  await until(() => said().length === 3);
  assert.deepEqual(said(), [[3], [2, "Nordlicht"], [2, "Nordlicht"]]);
});

test("what is on its way is not taken back before it has arrived", async () => {
  const daemon = new FakeDaemon();
  daemon.features = allFeatures;
  const acknowledged = daemon.answers;
  daemon.answers = ({ id, type }) => (type === "undo" ? { type: "undone", id, removed: false } : null);
  const { delivery, outbox } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  await delivery.put(event(1));
  await until(() => daemon.said("viewing").length === 1);
  const parts = { outbox, delivery, changed: () => {} };
  assert.equal((await takeBack(parts, uuid(1))).code, "UNDO_NOW");
  daemon.socket.tell(acknowledged(event(1).message));
  await until(empty(outbox));
  assert.deepEqual(await takeBack(parts, uuid(1)), { ok: true });
  assert.equal((await takeBack(parts, uuid(1))).code, "NOT_FOUND");
});

test("what may have arrived is asked about before it is forgotten", async () => {
  const daemon = new FakeDaemon();
  daemon.features = allFeatures;
  daemon.answers = ({ id, type }) => (type === "undo" ? { type: "error", id, code: "NOT_FOUND", message: "no", retryable: false } : null);
  const { delivery, outbox } = worker(daemon, undefined, { idle: 1000, answer: 1000 }, new Backoff());
  await delivery.put(event(1));
  await until(() => daemon.said("viewing").length === 1);
  daemon.listens = false;
  daemon.socket.shut(1001);
  await until(() => !delivery.flies(uuid(1)));
  const parts = { outbox, delivery, changed: () => {} };
  assert.equal((await takeBack(parts, uuid(1))).code, "UNDO_OFFLINE");
  assert.equal((await outbox.count()).waiting, 1);
  daemon.listens = true;
  assert.deepEqual(await takeBack(parts, uuid(1)), { ok: true });
  assert.equal((await outbox.count()).waiting, 0);
  assert.deepEqual([daemon.said("viewing").length, daemon.said("undo").length], [1, 1]);
});
