// What the background keeps beside events: what was left half way, and whether the rules of the sites still find anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory } from "fake-indexeddb";
import { Database } from "../source/background/database.js";
import { HalfwayBook } from "../source/background/halfway.js";
import { HealthBook } from "../source/background/health.js";
import { uuid } from "./delivery-worker.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A database of its own, and a clock. */
function disk() {
  const clock = { now: Date.UTC(2026, 2, 1), changes: 0 };
  const database = new Database(new IDBFactory());
  return {
    clock, database, halfway: new HalfwayBook(database, () => clock.now),
    /** A book of a new background. */
    health: () => new HealthBook(database, () => clock.changes++, () => clock.now),
  };
}

const half = (n = 1, more = {}) => ({
  id: uuid(n), page: `https://films.example/${n}`, duration: 6000, startedAt: "2026-03-01T20:00:00+01:00", spans: [[0, 2700]], ...more,
});

test("what was left half way is found again on the same page, at the same length, until it was watched or a month is over", async () => {
  const { halfway, clock } = disk();
  await halfway.keep(half());
  await halfway.keep(half(1, { spans: [[0, 3000]] }));
  const { id, startedAt } = half();
  assert.deepEqual(await halfway.find("https://films.example/1", 6001), { id, startedAt, spans: [[0, 3000]] });
  for (const [page, duration] of [["https://films.example/1", 6020], ["https://films.example/2", 6000], [undefined, 6000]]) assert.equal(await halfway.find(page, duration), null);
  clock.now += 29 * DAY;
  assert.ok(await halfway.find("https://films.example/1", 6000));
  clock.now += 2 * DAY;
  assert.equal(await halfway.find("https://films.example/1", 6000), null);
  await halfway.keep(half(2));
  await halfway.drop(uuid(2));
  assert.equal(await halfway.find("https://films.example/2", 6000), null);
});

test("the list of halves is bounded, names no page, and loses none of those that come together", async () => {
  const { halfway, database } = disk();
  await Promise.all(Array.from({ length: 210 }, (_, n) => halfway.keep(half(n + 1))));
  const kept = await database.read("halfway");
  assert.equal(kept.length, 200);
  assert.ok(!JSON.stringify(kept).includes("films.example"));
  assert.ok(await halfway.find("https://films.example/210", 6000));
});

test("nonsense is not kept", async () => {
  const { halfway, database } = disk();
  for (const odd of [null, 5, {}, half(1, { id: "x" }), half(1, { spans: [[5, 3]] }), half(1, { spans: [[0, 1e9]] }), half(1, { spans: Array(501).fill([0, 1]) }),
    half(1, { duration: Infinity }), half(1, { page: 5 }), half(1, { startedAt: "x".repeat(41) })]) await halfway.keep(odd);
  assert.equal(await database.read("halfway"), undefined);
});

const silence = { name: "netflix", numbers: { title: "80000001" }, said: [] };
const words = { ...silence, said: [{ name: "Show Red", place: "S1:E3" }] };
const film = (/** @type {any} */ site, played = 400) => /** @type {any} */ ({ url: "https://www.netflix.com/watch/80000001", played, evidence: { site } });

test("ten minutes of counted films without a word make a site unread, also over the end of the background", async () => {
  const { clock, health } = disk();
  await health().count(film(silence), false);
  assert.deepEqual(await health().unread(), []);
  await health().count(film(silence), false);
  await health().count(film(silence), false);
  assert.deepEqual([await health().unread(), clock.changes], [["Netflix"], 1]);
  await health().count(film(words), false);
  assert.deepEqual([await health().unread(), clock.changes], [[], 2]);
});

test("a rule that has just found something is trusted for twelve hours", async () => {
  const { clock, health } = disk();
  await health().count(film(words), false);
  for (const [hours, unread] of [[11, []], [2, ["Netflix"]]]) {
    clock.now += hours * HOUR;
    await health().count(film(silence, 900), false);
    assert.deepEqual(await health().unread(), unread);
  }
});

test("what is certain without the rule, plays in another site's frame, or is no player's page says nothing of a rule", async () => {
  const { health } = disk();
  await health().count(film(silence, 900), true);
  await health().count({ ...film(silence, 900), frameUrl: "https://player.example/" }, false);
  await health().count(film(undefined, 900), false);
  await health().count({ ...film(silence, 900), url: "https://films.example/" }, false);
  assert.deepEqual(await health().unread(), []);
});
