// Whether the rules of the sites still find what they look for.
import assert from "node:assert/strict";
import { test } from "node:test";
import "fake-indexeddb/auto";
import { Database } from "../source/background/database.js";
import { HealthBook } from "../source/background/health.js";

const HOUR = 3_600_000;
let databases = 0;

/** A book of its own, with its clock, and how often it has told that things have changed. */
function open() {
  const clock = { now: Date.UTC(2026, 2, 1), told: 0 };
  const database = new Database(indexedDB, `health-${databases++}`);
  const again = () => new HealthBook(database, () => void clock.told++, () => clock.now);
  return { clock, database, again, book: again() };
}

const uuid = (/** @type {number} */ n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const silence = { name: "netflix", numbers: { title: "80000001" }, said: [] };
const words = { ...silence, said: [{ name: "Show Red", place: "S1:E3" }] };
/** @param {any} site what its rule has read @param {any} [more] @returns {any} */
const sitting = (site, { n = 1, played = 0, ...more } = {}) => ({
  id: uuid(n), url: "https://www.netflix.com/watch/80000001", duration: 3000, played, evidence: { ...(site && { site }) }, ...more,
});
const lost = async (/** @type {HealthBook} */ book) => (await book.all()).netflix?.lost;

test("ten minutes without a word are told, once, and with the parts", async () => {
  const { book, clock } = open();
  await book.note(sitting(silence), false);
  await book.go(uuid(1), 599);
  assert.equal(await lost(book), undefined);
  await book.go(uuid(1), 600);
  assert.deepEqual(await lost(book), { minutes: 10, parts: ["say.0", "say.1", "say.2"] });
  await book.note(sitting(silence, { played: 780 }), false);
  assert.deepEqual([(await lost(book))?.minutes, clock.told], [13, 1]);
});

test("it is counted over several films and over the end of the background, the same film once", async () => {
  const { book, again } = open();
  for (const n of [1, 2]) await book.note(sitting(silence, { n, played: 200 }), false);
  await again().go(uuid(2), 399);
  await again().note(sitting(silence, { n: 1, played: 200 }), false);
  assert.equal(await lost(again()), undefined);
  await again().go(uuid(2), 400);
  assert.equal((await lost(again()))?.minutes, 10);
});

test("it ends when the rule finds something, and what plays on by itself is not counted that evening", async () => {
  const { book, clock } = open();
  await book.note(sitting(silence, { played: 900 }), false);
  await book.note(sitting(words, { n: 2 }), false);
  assert.deepEqual(await book.all(), { netflix: { held: "2026-03-01" } });
  assert.equal(clock.told, 2);
  clock.now += 11 * HOUR;
  await book.note(sitting(silence, { n: 3, played: 900 }), false);
  assert.equal(await lost(book), undefined);
  clock.now += HOUR;
  await book.note(sitting(silence, { n: 4, played: 900 }), false);
  assert.equal((await lost(book))?.minutes, 15);
});

test("a page that the rule does not take for a player's is silence, too", async () => {
  const { book } = open();
  await book.note(sitting(null, { url: "https://www.netflix.com/play/80000001", played: 700 }), false);
  assert.deepEqual((await lost(book))?.parts, ["watch"]);
});

/** @type {[string, any, boolean][]} */
const UNCOUNTED = [
  ["a site without a rule", sitting(null, { url: "https://films.example/watch/1", played: 900 }), false],
  ["a page where nothing is a film", sitting(null, { url: "https://www.netflix.com/browse", played: 900 }), false],
  ["a trailer", sitting(silence, { duration: 200, played: 900 }), false],
  ["a short video on a page that is no player's", sitting(null, { duration: 1100, played: 900 }), false],
  ["a length that nobody knows", sitting(silence, { duration: NaN, played: 900 }), false],
  ["a player in a page of another site", sitting(silence, { frameUrl: "https://www.netflix.com/watch/1", played: 900 }), false],
  ["what is known without the rule", sitting(silence, { played: 900 }), true],
  ["nonsense", sitting(silence, { played: "900" }), false],
];
for (const [what, one, certain] of UNCOUNTED) {
  test(`not counted: ${what}`, async () => {
    const { book, clock } = open();
    await book.note(one, certain);
    await book.go(one.id, 900);
    assert.equal(await lost(book), undefined);
    assert.equal(clock.told, 0);
  });
}

test("what a page tells of itself is looked at", async () => {
  const { book } = open();
  for (const said of [undefined, "x", { length: 5 }]) await book.note(sitting({ ...silence, said }, { played: 700 }), false);
  assert.equal((await lost(book))?.minutes, 11);
  await book.go("__proto__", 5);
  await book.go(undefined, 5);
});

test("what is kept is bounded, and names no film", async () => {
  const { book, database } = open();
  for (let n = 1; n <= 40; n++) await book.note(sitting(silence, { n, played: 1 }), false);
  const kept = await database.read("health");
  assert.equal(Object.keys(kept.netflix.seconds).length, 20);
  assert.ok(!JSON.stringify(kept).includes("80000001"));
});
