/** How events reach the daemon: in order, at last, and not lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../source/background/deliver.js";
import { empty, event, uuid, worker } from "./delivery-worker.js";
import { FakeDaemon, until } from "./fake-daemon.js";

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
    await outbox.remove(uuid(n), "waiting");
    await delivery.tick();
    assert.equal(disk.alarm.on, false);
  }
});

test("refused for good: out of the way, the rest goes on", async () => {
  const daemon = new FakeDaemon();
  daemon.answers = ({ id }) =>
    id === uuid(1) ? { type: "error", id, code: "CONFLICT", field: "id", retryable: false } : { type: "ack", id, status: "queued" };
  const { delivery, outbox } = worker(daemon);
  for (const n of [0, 1, 2]) await delivery.put(event(n));
  await until(empty(outbox));
  const [refused] = await outbox.list("rejected");
  assert.deepEqual([refused.id, refused.error], [uuid(1), { code: "CONFLICT", field: "id" }]);
});

test("refused for now: again after back-off, on the same socket", async () => {
  const daemon = new FakeDaemon();
  const codes = ["RATE_LIMITED", "STORAGE", "INTERNAL"];
  daemon.answers = ({ id }) => (codes.length > 0 ? { type: "error", id, code: codes.pop(), retryable: true } : { type: "ack", id, status: "queued" });
  const { delivery, outbox } = worker(daemon, undefined, { idle: 1000, answer: 1000 });
  await delivery.put(event(1));
  await until(empty(outbox));
  assert.deepEqual([(await outbox.list("rejected")).length, daemon.said("viewing").length, daemon.sockets.length], [0, 4, 1]);
});

test("not paired any more is not the event's fault", async () => {
  const daemon = new FakeDaemon();
  daemon.answers = ({ id }) => ({ type: "error", id, code: "PAIRING_REQUIRED", retryable: false });
  const { delivery, outbox, link } = worker(daemon);
  await delivery.put(event(1));
  await until(() => link.info.state === "revoked");
  assert.deepEqual(await outbox.count(), { waiting: 1, full: false });
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

test("back-off doubles from 1 s to 60 s, with jitter, and ends", () => {
  for (const random of [() => 0, () => 0.5, () => 0.999]) {
    const backoff = new Backoff(random);
    const waits = Array.from({ length: 9 }, () => backoff.fail(0));
    for (const wait of waits) assert.ok(wait >= 1000 && wait <= 60_000, String(wait));
    assert.ok(waits[3] >= 6000 && waits[3] <= 10_000 && waits[8] >= 45_000, String(waits));
    assert.ok(backoff.left(1000) > 0);
    assert.equal(backoff.left(60_000), 0);
    backoff.fail(0);
    backoff.reset();
    assert.equal(backoff.left(0), 0);
    assert.ok(backoff.fail(0) < 1300);
  }
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

for (const [call, sent] of /** @type {["remove" | "list", number][]} */ ([["remove", 2], ["list", 1]])) {
  test(`a database that fails once to ${call} loses nothing`, async () => {
    const daemon = new FakeDaemon();
    const { delivery, outbox } = worker(daemon);
    const real = outbox[call];
    let failures = 1;
    outbox[call] = (...what) => (failures-- > 0 ? Promise.reject(new Error("disk")) : real.apply(outbox, what));
    await delivery.put(event(1));
    await until(empty(outbox));
    assert.equal(daemon.said("viewing").length, sent);
  });
}
