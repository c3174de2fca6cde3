/** What becomes of a question to the service. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { Asking } from "../source/background/asking.js";
import { Database } from "../source/background/database.js";
import { Outbox } from "../source/background/outbox.js";

globalThis.IDBKeyRange = IDBKeyRange;

const MINUTE = 60_000;
const id = "00000000-0000-4000-8000-000000000001";
const media = { type: "movie", title: "Dune", year: 2021 };
const evidence = { kind: "movie", title: "Dune", year: 2021 };
const draft = { watchedAt: "2026-03-01T20:15:00Z", progress: { position: 1, duration: 1, played: 1 }, source: { site: "films.example" }, evidence };

/** A worker that asks, with a clock of its own; answers come one after the other. */
const asker = (...answers) => askerOf({ media, at: 0, tries: 0 }, ...answers);

async function askerOf(ask, ...answers) {
  const outbox = new Outbox(new Database(new IDBFactory()));
  const seen = { now: 1_000_000, asked: [], alarm: 0, woken: 0 };
  const delivery = {
    ask: async (message) => {
      seen.asked.push(message);
      return answers.shift();
    },
    add: (change) => change(),
    wake: async () => void seen.woken++,
  };
  const asking = new Asking({ outbox, delivery, changed: () => {}, now: () => seen.now, wakeAt: async (when) => void (seen.alarm = when) });
  const event = { id, state: "unknown", title: "Dune", at: draft.watchedAt, draft, ask };
  await asking.keep(() => outbox.put(event));
  await asking.run();
  return { outbox, asking, seen };
}

test("certain: it is what was asked about, with the number, and goes its way", async () => {
  const { outbox, seen } = await asker({ type: "resolved", outcome: "certain", media: { type: "movie", ids: { tmdb: 438631 }, title: "<b>" } });
  const [event] = await outbox.list("waiting");
  assert.deepEqual(event.message.media, { ...media, ids: { tmdb: 438631 } });
  assert.deepEqual([event.ask, event.after, seen.woken], [undefined, undefined, 1]);
  assert.deepEqual(seen.asked, [{ type: "resolve", media }]);
});

for (const [what, told] of Object.entries({
  "of another kind": { type: "episode", show: { ids: { tmdb: 1 } }, season: 1, episode: 1 }, "without a number": { type: "movie" }, "nothing": undefined, "an odd number": { type: "movie", ids: { tmdb: -1 } },
})) {
  test(`certain, but ${what}: the user is asked`, async () => {
    const { outbox } = await asker({ type: "resolved", outcome: "certain", media: told });
    const [event] = await outbox.list("unknown");
    assert.deepEqual([event.ask, event.candidates], [undefined, undefined]);
  });
}

test("certain of a name alone: the user is asked, and nothing is sent", async () => {
  const answer = { type: "resolved", outcome: "certain", media: { type: "movie", ids: { tmdb: 438631 } }, candidates: [{ type: "movie", tmdb: 438631 }] };
  const { outbox, seen } = await askerOf({ media: { type: "movie", title: "Dune" }, at: 0, tries: 0, open: true }, answer);
  const [event] = await outbox.list("unknown");
  assert.deepEqual([event.ask, event.candidates, seen.woken], [undefined, answer.candidates, 0]);
  assert.equal((await outbox.list("waiting")).length, 0);
});

test("certain of a name alone, with nothing besides: it is what is suggested", async () => {
  const answer = { type: "resolved", outcome: "certain", media: { type: "movie", ids: { tmdb: 438631 }, title: "Dune", year: 2021 } };
  const { outbox, seen } = await askerOf({ media: { type: "movie", title: "Dune" }, at: 0, tries: 0, open: true }, answer);
  const [event] = await outbox.list("unknown");
  assert.deepEqual([event.candidates, seen.woken], [[{ type: "movie", tmdb: 438631, title: "Dune", year: 2021 }], 0]);
});

test("certain, and counted otherwise: the episode goes as the daemon counts it", async () => {
  const asked = { type: "episode", show: { title: "Dark" }, season: 1, episode: 14 };
  const { outbox } = await askerOf({ media: asked, at: 0, tries: 0 }, { type: "resolved", outcome: "certain", media: { ...asked, show: { ids: { tmdb: 70523 } }, season: 2, episode: 4 } });
  const [event] = await outbox.list("waiting");
  assert.deepEqual(event.message.media, { ...asked, show: { title: "Dark", ids: { tmdb: 70523 } }, season: 2, episode: 4 });
});

test("open: what may be of the page's kind is suggested", async () => {
  const candidates = [{ type: "tv", tmdb: 5 }, { type: "movie", tmdb: 841, title: "Dune", year: 1984, secret: 1 }, { type: "movie", tmdb: "x" }, { type: "movie", tmdb: 7, title: 5 }];
  const { outbox } = await asker({ type: "resolved", outcome: "open", candidates });
  const [event] = await outbox.list("unknown");
  assert.deepEqual(event.candidates, [{ type: "movie", tmdb: 841, title: "Dune", year: 1984 }, { type: "movie", tmdb: 7 }]);
});

for (const [what, answer] of Object.entries({ "an older daemon": { type: "error", code: "UNKNOWN_TYPE", retryable: false }, "a refusal": { type: "error", code: "BAD_MESSAGE", retryable: false } })) {
  test(`${what}: the user is asked, and nobody else again`, async () => {
    const { outbox } = await asker(answer);
    assert.equal((await outbox.list("unknown"))[0].ask, undefined);
  });
}

test("not now: asked again, less and less often, and never sooner than it was said", async () => {
  const offline = { type: "error", code: "OFFLINE", retryable: true };
  const later = { type: "resolved", outcome: "later", retryAfterMs: 10 * MINUTE };
  const { outbox, asking, seen } = await asker(offline, later, ...Array(12).fill(offline), { type: "resolved", outcome: "open" });
  const waits = [];
  for (let n = 0; n < 14; n++) {
    const [{ ask }] = await outbox.list("unknown");
    assert.equal(seen.alarm, ask.at);
    waits.push((ask.at - seen.now) / MINUTE);
    seen.now = ask.at - 1;
    await asking.run();
    assert.equal(seen.asked.length, n + 1, "not before its time");
    seen.now = ask.at;
    await asking.run();
  }
  assert.deepEqual(waits, [1, 10, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360, 360]);
  assert.equal((await outbox.list("unknown"))[0].ask, undefined);
});

test("the user's own answer comes first: what the service says later changes nothing", async () => {
  const { outbox, asking, seen } = await asker({ type: "error", code: "OFFLINE", retryable: true });
  await outbox.identify(id, (event) => ({ ...event, message: { type: "viewing", id, media: { type: "movie", ids: { tmdb: 1 } } } }));
  seen.now += MINUTE;
  await asking.run();
  assert.equal(seen.asked.length, 1);
  assert.equal((await outbox.list("waiting"))[0].message.media.ids.tmdb, 1);
});
