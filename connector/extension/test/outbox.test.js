import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import { Database } from "../source/background/database.js";
import { Outbox } from "../source/background/outbox.js";
import { event } from "./delivery-worker.js";

const titles = async (outbox, state) => (await outbox.list(state)).map(({ title }) => title);

test("events stay in order until they are removed", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  for (const n of [3, 1, 2]) assert.equal(await outbox.put(event(n)), "kept");
  assert.deepEqual(await titles(outbox, "waiting"), ["Film 3", "Film 1", "Film 2"]);
  assert.equal(await outbox.remove(event(1).id, "waiting"), true);
  assert.equal(await outbox.remove(event(1).id, "waiting"), false);
  assert.deepEqual(await titles(outbox, "waiting"), ["Film 3", "Film 2"]);
  assert.deepEqual((await outbox.list("waiting", 1)).length, 1);
});

test("one id is taken once, even after it was delivered", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  assert.equal(await outbox.put(event(1)), "kept");
  assert.equal(await outbox.put(event(1, { title: "Other" })), "known");
  await outbox.remove(event(1).id, "waiting");
  assert.equal(await outbox.put(event(1)), "known");
  assert.deepEqual(await outbox.list("waiting"), []);
});

test("what was put is there for the next worker", async () => {
  const factory = new IDBFactory();
  await new Outbox(new Database(factory)).put(event(1));
  // The first worker is dead: nobody closed its database.
  assert.deepEqual(await titles(new Outbox(new Database(factory)), "waiting"), ["Film 1"]);
});

test("refused for good: out of the way until it is sent again", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  const error = { code: "CONFLICT", field: "id" };
  await outbox.put(event(1));
  assert.equal(await outbox.remove(event(1).id, "rejected"), false, "remove heeds the state that is meant");
  assert.equal(await outbox.reject(event(1).id, error), true);
  assert.equal(await outbox.reject(event(1).id, error), false, "only what waits can be refused");
  assert.deepEqual((await outbox.list("rejected"))[0].error, error);
  assert.deepEqual(await outbox.count(), { waiting: 0, full: false });
  await outbox.again(event(1).id);
  assert.equal("error" in (await outbox.list("waiting"))[0], false);
});

test("a full outbox says so and loses nothing", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()), 3);
  await outbox.put(event(1));
  await outbox.put(event(2, { state: "rejected" }));
  await outbox.put(event(3));
  assert.equal((await outbox.count()).full, true);
  assert.equal(await outbox.put(event(4)), "full");
  assert.equal(await outbox.put(event(3)), "known", "what is here is not refused");
  await outbox.remove(event(1).id, "waiting");
  assert.equal(await outbox.put(event(4)), "kept");
});

test("what throws within a transaction changes nothing", async () => {
  const db = new Database(new IDBFactory());
  const outbox = new Outbox(db);
  await assert.rejects(db.run("readwrite", ["events"], async (tx) => {
    tx.objectStore("events").add(event(1));
    throw new Error("no");
  }), /no/);
  assert.deepEqual(await outbox.list("waiting"), []);
});

test("remembered ids have a bound", async () => {
  const db = new Database(new IDBFactory());
  const outbox = new Outbox(db);
  for (let n = 0; n < 1005; n++) {
    await outbox.put(event(n));
    await outbox.remove(event(n).id, "waiting");
  }
  const kept = await db.run("readonly", ["done"], (tx) => new Promise((resolve) => {
    tx.objectStore("done").count().onsuccess = ({ target }) => resolve(target.result);
  }));
  assert.equal(kept, 1000);
  assert.equal(await outbox.put(event(1004)), "known");
});

test("values are kept by name, and changed one after the other", async () => {
  const db = new Database(new IDBFactory());
  await Promise.all([1, 2, 3].map(() => db.update("n", (n = 0) => n + 1)));
  assert.equal(await db.read("n"), 3);
  await db.update("n", () => undefined);
  assert.equal(await db.read("n"), undefined);
});
