import assert from "node:assert/strict";
import { test } from "node:test";
import "fake-indexeddb/auto";
import { Database } from "../source/background/database.js";
import { HalfwayBook } from "../source/background/halfway.js";

const DAY = 24 * 3600 * 1000;
let databases = 0;

/** A book of its own, and its clock. */
function open() {
  const clock = { now: Date.UTC(2026, 2, 1) };
  const database = new Database(indexedDB, `halfway-${databases++}`);
  return { clock, database, book: new HalfwayBook(database, () => clock.now) };
}

const uuid = (/** @type {number} */ n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const note = (n = 1, more = {}) => ({
  id: uuid(n), page: `https://films.example/${n}`, duration: 6000, startedAt: "2026-03-01T20:00:00+01:00", spans: [[0, 2700]], ...more,
});

test("what was left half way is found again on the same page, at the same length", async () => {
  const { book } = open();
  await book.keep(note());
  const { id, startedAt, spans } = note();
  assert.deepEqual(await book.find("https://films.example/1", 6001), { id, startedAt, spans });
  assert.equal(await book.find("https://films.example/1", 6020), null);
  assert.equal(await book.find("https://films.example/2", 6000), null);
  assert.equal(await book.find(undefined, 6000), null);
});

test("the newest note holds, and what was watched is forgotten", async () => {
  const { book } = open();
  await book.keep(note());
  await book.keep(note(1, { spans: [[0, 3000]] }));
  assert.deepEqual((await book.find("https://films.example/1", 6000))?.spans, [[0, 3000]]);
  await book.drop(uuid(1));
  assert.equal(await book.find("https://films.example/1", 6000), null);
});

test("it is forgotten after a month", async () => {
  const { book, clock } = open();
  await book.keep(note());
  clock.now += 29 * DAY;
  assert.ok(await book.find("https://films.example/1", 6000));
  clock.now += 2 * DAY;
  assert.equal(await book.find("https://films.example/1", 6000), null);
});

test("the list is bounded, and names no page", async () => {
  const { book, database } = open();
  for (let n = 1; n <= 210; n++) await book.keep(note(n));
  const kept = await database.read("halfway");
  assert.equal(kept.length, 200);
  assert.ok(!JSON.stringify(kept).includes("films.example"));
  assert.equal(await book.find("https://films.example/10", 6000), null);
  assert.ok(await book.find("https://films.example/11", 6000));
});

test("notes that come together are all kept", async () => {
  const { book } = open();
  await Promise.all([1, 2, 3, 4, 5].map((n) => book.keep(note(n))));
  for (const n of [1, 2, 3, 4, 5]) assert.ok(await book.find(`https://films.example/${n}`, 6000));
});

test("nonsense is not kept", async () => {
  const { book, database } = open();
  for (const odd of [null, 5, {}, note(1, { id: "x" }), note(1, { spans: [[5, 3]] }), note(1, { spans: [[0, 1e9]] }), note(1, { spans: Array(501).fill([0, 1]) }),
    note(1, { duration: Infinity }), note(1, { page: 5 }), note(1, { startedAt: "x".repeat(41) })]) await book.keep(odd);
  assert.equal(await database.read("halfway"), undefined);
});
