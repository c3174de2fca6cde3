import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { Database } from "../source/background/database.js";
import { Outbox } from "../source/background/outbox.js";

globalThis.IDBKeyRange = IDBKeyRange;

const event = (n, more = {}) => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  state: "waiting",
  title: `Film ${n}`,
  at: "2026-03-01T20:15:00Z",
  message: { type: "viewing", id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}` },
  ...more,
});
const titles = async (outbox, state) => (await outbox.list(state)).map(({ title }) => title);

test("events stay in order until they are removed", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  for (const n of [3, 1, 2]) assert.equal(await outbox.put(event(n)), "kept");
  assert.deepEqual(await titles(outbox, "waiting"), ["Film 3", "Film 1", "Film 2"]);
  assert.equal(await outbox.remove(event(1).id), true);
  assert.equal(await outbox.remove(event(1).id), false);
  assert.deepEqual(await titles(outbox, "waiting"), ["Film 3", "Film 2"]);
  assert.deepEqual((await outbox.list("waiting", 1)).length, 1);
});

test("one id is taken once, even after it was delivered", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  assert.equal(await outbox.put(event(1)), "kept");
  assert.equal(await outbox.put(event(1, { title: "Other" })), "known");
  await outbox.remove(event(1).id);
  assert.equal(await outbox.put(event(1)), "known");
  assert.deepEqual(await outbox.all(), []);
});

test("what was put is there for the next worker", async () => {
  const factory = new IDBFactory();
  await new Outbox(new Database(factory)).put(event(1));
  // The first worker is dead: nobody closed its database.
  assert.deepEqual(await titles(new Outbox(new Database(factory)), "waiting"), ["Film 1"]);
});

test("refused for good: out of the way until it is sent again", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  await outbox.put(event(1));
  assert.equal(await outbox.reject(event(1).id, { code: "CONFLICT", message: "no" }), true);
  assert.equal(await outbox.reject(event(1).id, { code: "CONFLICT", message: "no" }), false, "only what waits can be refused");
  assert.deepEqual((await outbox.list("rejected"))[0].error, { code: "CONFLICT", message: "no" });
  assert.deepEqual(await outbox.count(), { waiting: 0, rejected: 1, full: false });
  await outbox.again(event(1).id);
  assert.equal("error" in (await outbox.list("waiting"))[0], false);
});

test("remove heeds the state that is meant", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  await outbox.put(event(1));
  assert.equal(await outbox.remove(event(1).id, ["rejected"]), false);
  assert.equal((await outbox.count()).waiting, 1);
});

test("a full outbox says so and loses nothing", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()), 3);
  await outbox.put(event(1));
  await outbox.put(event(2, { state: "rejected" }));
  await outbox.put(event(3));
  assert.equal((await outbox.count()).full, true);
  assert.equal(await outbox.put(event(4)), "full");
  assert.equal(await outbox.put(event(3)), "known", "what is here is not refused");
  await outbox.remove(event(1).id);
  assert.equal(await outbox.put(event(4)), "kept");
});

test("what throws within a transaction changes nothing", async () => {
  const db = new Database(new IDBFactory());
  const outbox = new Outbox(db);
  await assert.rejects(db.run("readwrite", ["events"], async (tx) => {
    tx.objectStore("events").add(event(1));
    throw new Error("no");
  }), /no/);
  assert.deepEqual(await outbox.all(), []);
});

test("remembered ids have a bound", async () => {
  const db = new Database(new IDBFactory());
  const outbox = new Outbox(db);
  for (let n = 0; n < 1005; n++) {
    await outbox.put(event(n));
    await outbox.remove(event(n).id);
  }
  const kept = await db.run("readonly", ["done"], (tx) => new Promise((resolve) => {
    tx.objectStore("done").count().onsuccess = ({ target }) => resolve(target.result);
  }));
  assert.equal(kept, 1000);
  assert.equal(await outbox.put(event(1004)), "known");
});

test("a database that was closed is opened again; values are kept by name", async () => {
  const db = new Database(new IDBFactory());
  await db.write("pairing", { clientId: "a" });
  await db.close();
  assert.deepEqual(await db.read("pairing"), { clientId: "a" });
  await db.write("pairing", undefined);
  assert.equal(await db.read("pairing"), undefined);
});
