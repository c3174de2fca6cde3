import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import { Database } from "../source/background/database.js";
import { Outbox } from "../source/background/outbox.js";
import { event } from "./delivery-worker.js";

const titles = async (outbox, state) => (await outbox.list(state)).map(({ title }) => title);

test("one id is taken once, even after it was delivered", async () => {
  const outbox = new Outbox(new Database(new IDBFactory()));
  assert.equal(await outbox.put(event(1)), "kept");
  assert.equal(await outbox.put(event(1, { title: "Other" })), "known");
  await outbox.remove(event(1).id, "waiting");
  assert.equal(await outbox.put(event(1)), "known");
  assert.deepEqual(await outbox.list("waiting"), []);
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
