/** How the daemon hears what the user has said. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { fakeBrowser } from "./fake-browser.js";
import { until } from "./fake-daemon.js";

let api = fakeBrowser();
globalThis.chrome = new Proxy({}, { get: (_, name) => api[name] });
const { Corrections } = await import("../source/background/corrections.js");

const told = { type: "episode", show: { title: "The Wire" } };
const is = { type: "tv", tmdb: 1438, title: "The Wire" };
const answer = { kind: "tv", tmdb: 1438, title: "The Wire", told };
const offline = { type: "error", code: "OFFLINE", retryable: true };

const was = { type: "tv", tmdb: 1438 };

/** Workers on one disk, and what the daemon has heard; answers come one after the other. A function is run for its answer. */
function household(...answers) {
  const disk = new Map();
  const heard = [];
  let away = false;
  const database = { read: async (name) => structuredClone(disk.get(name)), write: async (name, value) => void disk.set(name, structuredClone(value)) };
  const delivery = {
    ask: async (message, { mayGo }) => {
      if (away) return offline;
      if (!(await mayGo())) return { type: "error", code: "WITHDRAWN", retryable: false };
      heard.push(message);
      const next = answers.shift();
      return (typeof next === "function" ? await next() : next) ?? { type: "corrected", changed: 0 };
    },
  };
  return { heard, worker: (grace = 0) => new Corrections(database, delivery, grace), kept: () => disk.get("corrections") ?? [], leaves: () => (away = true), returns: () => (away = false) };
}

beforeEach(() => {
  api = fakeBrowser();
});

test("an answer is remembered here, told by itself after its moment, and not told twice", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const { heard, worker, kept } = household();
  const corrections = worker(30);
  await corrections.remember("films.example|the wire", answer);
  assert.deepEqual(api.storage.local.kept().known["films.example|the wire"], answer);
  await corrections.run();
  assert.deepEqual(heard, [], "not before its time");
  t.mock.timers.tick(31);
  t.mock.timers.reset();
  await until(() => heard.length > 0);
  await until(() => kept().length === 0);
  await corrections.run();
  assert.deepEqual(heard, [{ type: "correct", media: told, is }]);
});

test("an answer about one page alone is told to nobody", async () => {
  const { heard, worker } = household();
  const corrections = worker();
  await corrections.remember("films.example|page|/x|1", { kind: "movie", tmdb: 603, title: "", duration: 60 });
  await corrections.forget("films.example|page|/x|1");
  await corrections.run();
  assert.deepEqual(heard, []);
});

for (const [what, trouble] of Object.entries({ "no daemon": offline, "an older daemon": { type: "error", code: "UNKNOWN_TYPE", retryable: false }, "a full disk": { type: "error", code: "STORAGE", retryable: true } })) {
  test(`${what}: it is told later, by the next worker if need be`, async () => {
    const { heard, worker, kept } = household(trouble);
    await worker().remember("k", answer);
    await until(() => heard.length === 1);
    assert.equal(kept().length, 1);
    await worker().run();
    assert.deepEqual(heard[1], { type: "correct", media: told, is });
    assert.equal(kept().length, 0);
  });
}

test("what the daemon will never take is let go, and the next is told", async () => {
  const { heard, worker, kept } = household(offline, { type: "error", code: "BAD_MESSAGE", retryable: false });
  const corrections = worker();
  await corrections.remember("k", answer);
  await until(() => heard.length === 1);
  await corrections.remember("l", { ...answer, told: { type: "movie", title: "Dune", year: 2021 }, kind: "movie" });
  await until(() => kept().length === 0);
  assert.deepEqual(heard.map(({ media }) => media.type), ["episode", "episode", "movie"]);
});

test("taken back before it was told: it is forgotten here, and nothing leaves", async () => {
  const { heard, worker, kept } = household();
  const corrections = worker(1000);
  await corrections.remember("k", answer);
  const { type, show } = told;
  await api.storage.local.set({ known: { k: { ...answer, told: { show, type } } } }); // as Chromium orders it
  await corrections.forget("k");
  assert.deepEqual(kept(), []);
  await corrections.run();
  assert.deepEqual(heard, []);
  assert.deepEqual(api.storage.local.kept().known, {});
});

test("taken back while no daemon was there: nothing leaves, of the next worker neither", async () => {
  const { heard, worker, kept, leaves, returns } = household();
  const corrections = worker();
  leaves();
  await corrections.remember("k", answer);
  await corrections.run();
  assert.equal(kept().length, 1);
  await corrections.forget("k");
  assert.deepEqual(kept(), []);
  returns();
  await worker().run();
  assert.deepEqual(heard, []);
});

for (const [what, first] of Object.entries({ told: undefined, "told, but the answer was lost": offline })) {
  test(`taken back after it was ${what}: the daemon is to forget this answer, and no other`, async () => {
    const { heard, worker, kept } = household(first);
    const corrections = worker();
    await corrections.remember("k", answer);
    await until(() => heard.length === 1);
    await corrections.run();
    await corrections.forget("k");
    await until(() => heard.length > 1 && kept().length === 0);
    assert.deepEqual(heard.at(-1), { type: "correct", media: told, was });
    assert.deepEqual(api.storage.local.kept().known, {});
  });
}

test("taken back while another is told: the wrong answer does not leave after it", async () => {
  let corrections;
  const { heard, worker, kept } = household(() => corrections.forget("l"));
  corrections = worker(60_000);
  await corrections.remember("k", answer);
  await corrections.remember("l", { ...answer, told: { type: "episode", show: { title: "Treme" } }, tmdb: 31132 });
  const later = Date.now() + 60_001;
  const { now } = Date;
  Date.now = () => later;
  try {
    await corrections.run();
  } finally {
    Date.now = now;
  }
  assert.deepEqual(heard, [{ type: "correct", media: told, is }]);
  assert.deepEqual(kept(), []);
});

test("another answer does not take the place of a forgetting that is not told yet", async () => {
  const { heard, worker, kept, leaves, returns } = household();
  const corrections = worker();
  await corrections.remember("k", answer);
  await until(() => heard.length === 1 && kept().length === 0);
  leaves();
  await corrections.forget("k");
  await corrections.remember("k", { ...answer, tmdb: 5 });
  await corrections.forget("k");
  returns();
  await corrections.run();
  await until(() => kept().length === 0);
  assert.deepEqual(heard.slice(1), [{ type: "correct", media: told, was }]);
});

test("the latest answer counts, and not more are kept than 200", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { worker, kept } = household();
  const corrections = worker(60_000);
  for (let n = 0; n < 3; n++) await corrections.remember("k", { ...answer, tmdb: n + 1 });
  assert.deepEqual(kept().map(({ is }) => is.tmdb), [3]);
  for (let n = 0; n < 205; n++) await corrections.remember("k", { ...answer, told: { type: "episode", show: { title: `Show ${n}` } } });
  assert.deepEqual([kept().length, kept()[0].media.show.title], [200, "Show 5"]);
});
