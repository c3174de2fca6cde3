/** What the background records, on which sites, and how it is sent. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { api, certainly, content, daemon, page, paired, settled, sitting, state, stranger, uuid, watch } from "./background-rig.js";
import { until } from "./fake-daemon.js";

before(paired);

test("a viewing as it is sent: no query, no fragment, times as they were", async () => {
  const one = sitting({}, certainly);
  const begun = await content({ kind: "sitting", sitting: one });
  assert.equal(begun.record, true);
  assert.equal(begun.certain, true);
  assert.deepEqual(begun.rule.movie, { played: 0.5, position: 0.8, minimum: 300 });
  await content({ kind: "watched", sitting: one });
  await content({ kind: "watched", sitting: one });
  await settled(({ outbox }) => outbox.waiting === 0);
  const sent = daemon.said("viewing");
  assert.equal(sent.length, 1, "one sitting is one event");
  assert.deepEqual(sent[0], {
    type: "viewing", id: one.id, media: { type: "movie", ids: { tmdb: 603 }, title: "The Matrix" }, watchedAt: one.at,
    progress: { position: 3000, duration: 3600, played: 2900.1 }, source: { site: "films.example", url: "https://films.example/watch/1" },
  });
});

test("what is not certain is sent as it was seen, without a question", async () => {
  await content({ kind: "watched", sitting: sitting({}, { jsonld: [{ type: "Movie", name: "Nobody Knows", date: "2004-08-07" }] }) });
  await content({ kind: "watched", sitting: sitting({ title: "Part 2" }) });
  await until(() => daemon.said("viewing").length === 2);
  assert.deepEqual(daemon.said("viewing").map(({ media }) => media), [{ type: "movie", title: "Nobody Knows", year: 2004 }, { type: "movie", title: "Part 2" }]);
});

test("paused and private: nothing is recorded, except what the user says in the popup", async () => {
  const { settings } = await state();
  for (const change of [{ private: true }, { pausedUntil: Date.now() + 3_600_000 }]) {
    await page({ kind: "settings", settings: { ...settings, ...change } });
    assert.equal((await state()).paused, true);
    assert.equal((await content({ kind: "sitting", sitting: sitting({}, certainly) })).record, false);
    assert.deepEqual(await content({ kind: "watched", sitting: sitting({}, certainly) }), { kept: false, reason: "paused" });
    assert.deepEqual(await page({ kind: "watched", sitting: sitting({}, certainly) }), { kept: true });
  }
  await until(() => api.alarms.set.has("resume"), "the end of a pause wakes the worker");
  await page({ kind: "settings", settings: { ...settings, pausedUntil: Date.now() - 1 } });
  assert.equal((await state()).paused, false);
});

test("settings are checked", async () => {
  const { settings } = await state();
  const wrong = [
    { address: "evil.example:43456" }, { rule: { ...settings.rule, last: -1 } }, { rule: { ...settings.rule, movie: { played: 2, position: 0.8, minimum: 300 } } },
    { private: "yes" }, { pausedUntil: NaN }, { rule: null },
  ];
  for (const change of wrong) assert.equal((await page({ kind: "settings", settings: { ...settings, ...change } })).code, "SETTINGS", JSON.stringify(change));
  await page({ kind: "settings", settings: { ...settings, extra: "x" } });
  assert.deepEqual((await state()).settings, settings);
});

test("a wish for the watchlist", async () => {
  assert.deepEqual(await page({ kind: "watchlist", media: { type: "tv", ids: { tmdb: 1396 }, title: "" } }), { ok: true });
  await until(() => daemon.said("watchlist").length === 1);
  assert.deepEqual({ ...daemon.said("watchlist")[0], id: "" }, { type: "watchlist", id: "", media: { type: "tv", ids: { tmdb: 1396 } } });
});

test("refused: shown, sent again, dropped", async () => {
  daemon.answers = ({ id }) => ({ type: "error", id, code: "BAD_MESSAGE", message: "media.ids.tmdb is odd", retryable: false });
  const { id, at } = await watch();
  await settled(({ outbox }) => outbox.rejected.length === 1);
  const [refused] = (await state()).outbox.rejected;
  assert.deepEqual(refused, { id, title: "The Matrix", at, code: "BAD_MESSAGE", message: "media.ids.tmdb is odd" });
  await until(() => api.badge.text === "!");
  await page({ kind: "again", id });
  await until(() => daemon.said("viewing").length === 2);
  await settled(({ outbox }) => outbox.rejected.length === 1);
  assert.deepEqual(await page({ kind: "discard", id }), { ok: true });
  assert.equal((await page({ kind: "discard", id })).code, "NOT_FOUND");
  assert.equal((await state()).outbox.rejected.length, 0);
});

test("strangers and content scripts may ask for nothing", async () => {
  assert.equal(await stranger({ kind: "state" }), null);
  for (const kind of ["state", "pair", "unpair", "settings", "retry", "watchlist", "again", "discard", "grant"]) {
    assert.equal(await content({ kind, id: uuid(), origin: "https://films.example/*" }), null, kind);
  }
  for (const odd of [{}, { id: "x" }, sitting({ id: "no" }), sitting({ at: "yesterday" }), sitting({ at: `2026-03-01T20:00:00.${"0".repeat(40)}Z` }), sitting({ evidence: null })]) {
    assert.deepEqual(await content({ kind: "watched", sitting: odd }), { kept: false, reason: "malformed" });
  }
  assert.equal((await page({ kind: "nonsense" })).ok, false);
});

test("a player in a frame of another site is named by the page around it", async () => {
  api.answerOfTab = async (tab, message, where) => {
    assert.deepEqual([tab, message.kind, where], [7, "page", { frameId: 0 }]);
    return { url: "https://films.example/watch/1", host: "films.example", title: "The Matrix", evidence: sitting({}, certainly).evidence };
  };
  const inner = sitting({ url: "https://player.example/embed/9", host: "player.example", title: "" });
  const answer = await content({ kind: "watched", sitting: inner }, { frameId: 3, url: inner.url });
  assert.deepEqual(answer, { kept: true });
  await until(() => daemon.said("viewing").length === 1);
  assert.equal(daemon.said("viewing")[0].source.site, "films.example");
  assert.equal(daemon.said("viewing")[0].media.ids.tmdb, 603);
  api.answerOfTab = async () => {
    throw new Error("gone");
  };
  assert.deepEqual(await content({ kind: "watched", sitting: { ...inner, id: uuid() } }, { frameId: 3, url: inner.url }), { kept: true });
});

test("sites: registered when granted, and only then", async () => {
  const origin = "https://films.example/*";
  const { scripts } = api.scripting;
  assert.equal((await page({ kind: "grant", origins: [origin] })).ok, false, "the browser has not allowed it");
  for (const origins of [["<all_urls>"], [], origin, [7], undefined]) assert.equal((await page({ kind: "grant", origins })).ok, false);
  assert.equal(scripts.size, 0);
  api.granted = [origin];
  api.tabsOpen = [7, 8];
  assert.deepEqual(await page({ kind: "grant", origins: [origin] }), { ok: true });
  const [script] = scripts.values();
  assert.deepEqual([script.matches, script.allFrames, script.matchOriginAsFallback, script.runAt, script.persistAcrossSessions], [[origin], true, true, "document_start", true]);
  assert.deepEqual(api.injected, [7, 8]);
  assert.deepEqual((await state()).sites, [{ origin, granted: true }]);
  api.granted = [];
  api.permissions.onRemoved.fire({ origins: [origin] });
  await until(() => scripts.size === 0);
  assert.deepEqual((await state()).sites, [{ origin, granted: false }]);
  assert.deepEqual(await page({ kind: "ungrant", origins: [origin] }), { ok: true });
  assert.deepEqual((await state()).sites, []);
});

test("the popup hears the name that the page around a frame tells", async () => {
  api.addressOfTab = "https://films.example/watch/1";
  api.answerOfTab = async () => ({ url: "https://films.example/watch/1", host: "films.example", title: "The Matrix (1999)", evidence: sitting().evidence });
  const inner = sitting({ url: "https://player.example/embed/9", host: "player.example", title: "embed" });
  const answer = await page({ kind: "sitting", sitting: inner, tab: 7 });
  assert.deepEqual(answer.seen, { title: "The Matrix (1999)", host: "films.example" });
  assert.equal((await content({ kind: "sitting", sitting: inner })).seen, undefined, "which is the popup's business only");
  api.addressOfTab = undefined;
  assert.deepEqual((await page({ kind: "sitting", sitting: inner, tab: 7 })).seen, { title: "embed", host: "player.example" });
});

test("a player's site begins in the frames that show it, and nothing begins twice", async () => {
  const origins = ["https://player.example/*"];
  Object.assign(api, { granted: origins, tabsOpen: [9], framesOfTab: [{ frameId: 0, result: true }, { frameId: 4, result: false }] });
  api.entered.length = 0;
  api.permissions.onAdded.fire({ origins });
  await until(() => api.entered.length > 0);
  assert.deepEqual(api.entered, [4]);
  Object.assign(api, { granted: [], framesOfTab: [{ frameId: 0, result: false }] });
  assert.deepEqual(await page({ kind: "ungrant", origins }), { ok: true });
});

test("a site that the browser has allowed begins, though the page that asked is gone", async () => {
  const origins = ["https://tube.example/*", "https://www.tube.example/*"];
  api.granted = origins;
  api.injected.length = 0;
  api.tabsOpen = [9];
  api.permissions.onAdded.fire({ origins });
  await until(() => api.injected.length === 1);
  assert.deepEqual((await state()).sites, origins.map((origin) => ({ origin, granted: true })));
  assert.deepEqual(await page({ kind: "grant", origins }), { ok: true });
  assert.deepEqual(api.injected, [9], "once");
  api.granted = [];
  assert.deepEqual(await page({ kind: "ungrant", origins }), { ok: true });
  assert.deepEqual((await state()).sites, []);
  assert.equal(api.scripting.scripts.size, 0);
});

test("a site whose rule finds nothing any more is reported to the daemon", async () => {
  const site = { name: "netflix", numbers: {}, said: [] };
  const one = sitting({ url: "https://www.netflix.com/watch/80000001", host: "www.netflix.com", played: 700 }, { site });
  assert.deepEqual(await content({ kind: "watched", sitting: one }), { kept: true });
  await until(() => daemon.said("status").at(-1)?.unread?.[0] === "Netflix");
});
