import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { Backoff } from "../source/background/backoff.js";
import { Database } from "../source/background/database.js";
import { Delivery } from "../source/background/deliver.js";
import { Link } from "../source/background/link.js";
import { Outbox } from "../source/background/outbox.js";
import { LinkProblem } from "../source/background/problem.js";
import { takeBack } from "../source/background/undo.js";
import { FakeDaemon, edges, pairing, until } from "./fake-daemon.js";

globalThis.IDBKeyRange = IDBKeyRange;

const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const event = (n, more = {}) => ({
  id: uuid(n), state: "waiting", title: `Film ${n}`, at: "2026-03-01T20:15:00Z", message: { type: "viewing", id: uuid(n), ...more },
});

/** Waits a hundredth of the real time. */
class Hasty extends Backoff {
  fail(now, atLeast) {
    this.last = super.fail(now, atLeast);
    this.ends = now + this.last / 100;
    return this.last / 100;
  }
  left(now) {
    return super.left(now) > 0 ? Math.max(0, (this.ends ?? 0) - now) : 0;
  }
}

/** A worker: what lives in memory. Kill it, and build another on the same disk. */
function worker(daemon, disk = { factory: new IDBFactory(), around: edges(daemon), alarm: { set: 0, on: false } }, times = { idle: 40, answer: 60 }, backoff = new Hasty(() => 0.5)) {
  const outbox = new Outbox(new Database(disk.factory));
  const link = new Link(disk.around);
  const delivery = new Delivery({
    outbox, link, backoff, times, changed: () => {},
    wakeLater: async () => {
      disk.alarm.set++;
      disk.alarm.on = true;
    },
    sleep: async () => {
      disk.alarm.on = false;
    },
  });
  const kill = () => {
    link.listen(() => {}, () => {});
    link.rest();
    disk.around = { ...disk.around };
  };
  return { disk, outbox, link, delivery, backoff, kill };
}
const empty = (outbox) => async () => (await outbox.count()).waiting === 0;

test("an event is sent, and gone only when it is acknowledged", async () => {
  const daemon = new FakeDaemon();
  const answers = daemon.answers;
  daemon.answers = () => null;
  const { delivery, outbox, disk } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  assert.equal(await delivery.put(event(1)), "kept");
  await until(() => daemon.said("viewing").length === 1);
  assert.equal((await outbox.count()).waiting, 1, "sent is not delivered");
  assert.equal(disk.alarm.on, true);
  daemon.socket.tell(answers(event(1).message));
  await until(empty(outbox));
  await until(() => !disk.alarm.on, "the alarm is taken away");
});

test("in order, and never more than the window unanswered", async () => {
  const daemon = new FakeDaemon();
  const open = [];
  let most = 0;
  daemon.answers = ({ id }) => {
    most = Math.max(most, open.push(id));
    // It answers once the window is full, or when nothing more can come.
    if (open.length === 4 || id === uuid(49)) setImmediate(() => open.splice(0).forEach((one) => daemon.socket.tell({ type: "ack", id: one, status: "queued" })));
    return null;
  };
  const { delivery, outbox } = worker(daemon, undefined, { idle: 500, answer: 60_000 });
  daemon.listens = false;
  for (let n = 0; n < 50; n++) await delivery.put(event(n));
  daemon.listens = true;
  await delivery.wake({ force: true });
  await until(empty(outbox));
  assert.deepEqual(daemon.said("viewing").map(({ id }) => id), Array.from({ length: 50 }, (_, n) => uuid(n)));
  assert.equal(most, 4);
});

test("the daemon is down: kept; it comes back: delivered, without the user", async () => {
  const daemon = new FakeDaemon();
  daemon.listens = false;
  const { delivery, outbox, link } = worker(daemon);
  await delivery.put(event(1));
  await until(() => link.info.state === "offline");
  assert.equal((await outbox.count()).waiting, 1);
  daemon.listens = true;
  await until(empty(outbox));
});

test("the worker is killed between sending and the answer: sent again, same id", async () => {
  const daemon = new FakeDaemon();
  const answers = daemon.answers;
  daemon.answers = () => null;
  const first = worker(daemon);
  await first.delivery.put(event(1));
  await until(() => daemon.said("viewing").length === 1);
  first.kill();
  daemon.answers = (message) => ({ ...answers(message), status: "duplicate" });
  const second = worker(daemon, first.disk);
  await second.delivery.tick();
  await until(empty(second.outbox));
  const [one, two] = daemon.said("viewing");
  assert.deepEqual(one, two);
});

test("the worker is killed at every step of a put", async () => {
  const daemon = new FakeDaemon();
  const { disk, outbox } = worker(daemon);
  // Killed after the alarm was set and before anything was written.
  await worker(daemon, disk).delivery.add(async () => {});
  assert.equal(disk.alarm.on, true);
  await worker(daemon, disk).delivery.tick();
  assert.equal(disk.alarm.on, false, "an alarm for nothing takes itself away");
  // Killed after the write: the alarm is on, and finds it.
  await worker(daemon, disk).delivery.add(() => outbox.put(event(1)));
  assert.equal(disk.alarm.on, true);
  await worker(daemon, disk).delivery.tick();
  await until(empty(outbox));
});

test("no event slips in between the last look and the end of the alarm", async () => {
  const daemon = new FakeDaemon();
  const { delivery, disk, outbox } = worker(daemon);
  daemon.listens = false;
  for (let n = 0; n < 20; n++) {
    await Promise.all([delivery.tick(), delivery.add(() => outbox.put(event(n))), delivery.tick()]);
    assert.equal(disk.alarm.on, true);
    await outbox.remove(uuid(n));
    await delivery.tick();
    assert.equal(disk.alarm.on, false);
  }
});

test("refused for good: out of the way, the rest goes on", async () => {
  const daemon = new FakeDaemon();
  daemon.answers = ({ id }) =>
    id === uuid(1) ? { type: "error", id, code: "CONFLICT", message: "the id was used before", retryable: false } : { type: "ack", id, status: "queued" };
  const { delivery, outbox } = worker(daemon);
  for (const n of [0, 1, 2]) await delivery.put(event(n));
  await until(empty(outbox));
  const [refused] = await outbox.list("rejected");
  assert.deepEqual([refused.id, refused.error], [uuid(1), { code: "CONFLICT", message: "the id was used before" }]);
});

test("refused for now: again after back-off, on the same socket", async (t) => {
  for (const code of ["RATE_LIMITED", "QUEUE_FULL", "STORAGE", "INTERNAL"]) {
    await t.test(code, async () => {
      const daemon = new FakeDaemon();
      let refusals = 3;
      daemon.answers = ({ id }) =>
        refusals-- > 0 ? { type: "error", id, code, message: "later", retryable: true, retryAfterMs: 1500 } : { type: "ack", id, status: "queued" };
      const { delivery, outbox, backoff } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
      await delivery.put(event(1));
      await until(empty(outbox));
      assert.equal((await outbox.count()).rejected, 0);
      assert.equal(daemon.said("viewing").length, 4);
      assert.equal(daemon.sockets.length, 1);
      assert.ok(backoff.last >= 1500, `waited ${backoff.last}`);
    });
  }
});

test("too large for this daemon: refused here, never sent", async () => {
  const daemon = new FakeDaemon();
  daemon.limits.maxMessageBytes = 2000;
  const { delivery, outbox } = worker(daemon);
  await delivery.put(event(1, { media: { title: "ü".repeat(1500) } }));
  await delivery.put(event(2));
  await until(empty(outbox));
  assert.equal((await outbox.list("rejected"))[0].error.code, "TOO_LARGE");
  assert.deepEqual(daemon.said("viewing").map(({ id }) => id), [uuid(2)]);
});

test("not paired any more is not the event's fault", async () => {
  const daemon = new FakeDaemon();
  daemon.answers = ({ id }) => ({ type: "error", id, code: "PAIRING_REQUIRED", message: "not paired", retryable: false });
  const { delivery, outbox, link } = worker(daemon);
  await delivery.put(event(1));
  await until(() => link.info.state === "revoked");
  assert.deepEqual(await outbox.count(), { waiting: 1, rejected: 0, unknown: 0, full: false });
});

test("acknowledgements for what was not sent on this socket are ignored", async () => {
  const daemon = new FakeDaemon();
  const { answers } = daemon;
  daemon.answers = () => null;
  const { delivery, outbox } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  await delivery.put(event(1));
  await until(() => daemon.said("viewing").length === 1);
  await outbox.put(event(2));
  daemon.socket.tell({ type: "ack", id: uuid(2), status: "queued" });
  daemon.socket.tell({ type: "ack", id: uuid(1), status: "queued" });
  await until(async () => !(await outbox.list("waiting")).some(({ id }) => id === uuid(1)));
  assert.equal((await outbox.list("waiting"))[0].id, uuid(2));
  daemon.answers = answers;
  await delivery.wake();
  await until(empty(outbox));
});

test("a daemon that falls silent is left, and asked again", async () => {
  const daemon = new FakeDaemon();
  const answers = daemon.answers;
  daemon.answers = () => null;
  const { delivery, outbox } = worker(daemon);
  await delivery.put(event(1));
  await until(() => daemon.sockets[0]?.closed === true, "the silent socket is closed");
  daemon.answers = answers;
  await until(empty(outbox));
  assert.ok(daemon.sockets.length >= 2);
});

test("an idle socket is closed, and the state stays good", async () => {
  const daemon = new FakeDaemon();
  const { delivery, link } = worker(daemon);
  await delivery.put(event(1));
  await until(() => daemon.sockets[0]?.closed === true);
  assert.equal(link.info.state, "connected");
  assert.equal(daemon.sockets.length, 1);
});

test("the daemon's status is kept for the pages", async () => {
  const daemon = new FakeDaemon();
  const { delivery } = worker(daemon);
  await delivery.wake();
  await until(() => delivery.status !== null);
  assert.deepEqual(delivery.status, { online: true, pending: 2, attention: 1, lastDelivered: null });
});

test("the daemon's problems are kept as texts, three at most", async () => {
  const daemon = new FakeDaemon();
  const problem = { code: "disk-full", severity: "needs you", text: "The disk is full.", act: "Make room." };
  daemon.problems = [problem, { ...problem, text: 7 }, problem, problem];
  const { delivery } = worker(daemon);
  await delivery.wake();
  await until(() => delivery.status !== null);
  const kept = { severity: "needs you", text: "The disk is full.", act: "Make room." };
  assert.deepEqual(delivery.status.problems, [kept, { ...kept, text: "7" }, kept]);
});

test("back-off: a daemon that is down is not hammered; the user's word overrides", async () => {
  const daemon = new FakeDaemon();
  daemon.listens = false;
  const { delivery } = worker(daemon, undefined, undefined, new Backoff());
  for (let n = 0; n < 20; n++) await delivery.wake();
  assert.equal(daemon.probes, 1);
  await delivery.wake({ force: true });
  assert.equal(daemon.probes, 2);
});

test("a database that fails is not an acknowledgement", async () => {
  const daemon = new FakeDaemon();
  const { delivery, outbox } = worker(daemon);
  const { remove } = outbox;
  let failures = 1;
  outbox.remove = (...what) => (failures-- > 0 ? Promise.reject(new Error("disk")) : remove.apply(outbox, what));
  await delivery.put(event(1));
  await until(empty(outbox));
  assert.equal(daemon.said("viewing").length, 2);
});

test("pairing anew while something is unanswered loses nothing", async () => {
  const daemon = new FakeDaemon();
  const answers = daemon.answers;
  daemon.answers = () => null;
  const { delivery, outbox, link, disk } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  await delivery.put(event(1));
  await until(() => daemon.said("viewing").length === 1);
  await link.pair({ code: daemon.code, label: "", address: pairing().address });
  daemon.token = disk.around.store.pairing.token;
  daemon.answers = answers;
  await delivery.wake({ force: true });
  await until(empty(outbox));
  assert.equal(daemon.said("viewing").length, 2);
});

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
