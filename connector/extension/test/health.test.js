// Whether the rules of the sites still find what they look for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HealthBook } from "../source/background/health.js";

const HOUR = 3_600_000;
const silence = { name: "netflix", numbers: { title: "80000001" }, said: [] };
const words = { ...silence, said: [{ name: "Show Red", place: "S1:E3" }] };
const film = (/** @type {any} */ site, played = 400) => /** @type {any} */ ({ url: "https://www.netflix.com/watch/80000001", played, evidence: { site } });

function book() {
  const kept = /** @type {Record<string, any>} */ ({});
  const clock = { now: Date.UTC(2026, 2, 1), changes: 0 };
  const database = { read: async (/** @type {string} */ name) => kept[name], write: async (/** @type {string} */ name, /** @type {any} */ value) => void (kept[name] = value) };
  return { clock, book: () => new HealthBook(database, () => clock.changes++, () => clock.now) };
}

test("ten minutes of counted films without a word make a site unread, also over the end of the background", async () => {
  const { clock, book: open } = book();
  await open().note(film(silence), false);
  assert.deepEqual(await open().unread(), []);
  await open().note(film(silence), false);
  await open().note(film(silence), false);
  assert.deepEqual([await open().unread(), clock.changes], [["Netflix"], 1]);
  await open().note(film(words), false);
  assert.deepEqual([await open().unread(), clock.changes], [[], 2]);
});

test("a rule that has just found something is trusted for twelve hours", async () => {
  const { clock, book: open } = book();
  await open().note(film(words), false);
  clock.now += 11 * HOUR;
  await open().note(film(silence, 900), false);
  assert.deepEqual(await open().unread(), []);
  clock.now += 2 * HOUR;
  await open().note(film(silence, 900), false);
  assert.deepEqual(await open().unread(), ["Netflix"]);
});

test("what is certain without the rule, plays in another site's frame, or is no player's page says nothing of a rule", async () => {
  const { book: open } = book();
  await open().note(film(silence, 900), true);
  await open().note({ ...film(silence, 900), frameUrl: "https://player.example/" }, false);
  await open().note(film(undefined, 900), false);
  await open().note({ ...film(silence, 900), url: "https://films.example/" }, false);
  assert.deepEqual(await open().unread(), []);
});
