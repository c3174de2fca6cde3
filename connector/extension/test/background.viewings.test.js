/** What the background records, on which sites, and how it is sent. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { accepting, api, certainly, content, daemon, emptied, media, page, paired, settled, sitting, state, stranger, uuid } from "./background-rig.js";
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

test("who does not want to be asked sends titles as evidence", async () => {
  const { settings } = await state();
  await page({ kind: "settings", settings: { ...settings, askUnknown: false } });
  const other = { jsonld: [{ type: "Movie", name: "Nobody Knows", date: "2004-08-07" }] };
  await content({ kind: "watched", sitting: sitting({}, other) });
  await until(() => daemon.said("viewing").length === 1);
  assert.equal(daemon.said("viewing")[0].media.ids, undefined);
  assert.equal(daemon.said("viewing")[0].media.title, "Nobody Knows");
  await page({ kind: "settings", settings });
});

test("an id of another service is evidence enough", async () => {
  const other = { jsonld: [{ type: "Movie", name: "Nobody Knows", refs: ["https://www.imdb.com/title/tt0408664/"] }] };
  await content({ kind: "watched", sitting: sitting({}, other) });
  await until(() => daemon.said("viewing").length === 1);
  assert.equal(daemon.said("viewing")[0].media.ids.imdb, "tt0408664");
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

test("by hand: a viewing, a wish, a list", async () => {
  const at = "2026-03-01T21:00:00+01:00";
  assert.equal((await page({ kind: "add", media: { ...media(603), title: "" }, watchedAt: at })).ok, true);
  assert.equal((await page({ kind: "watchlist", media: { type: "tv", ids: { tmdb: 1396 } }, priority: 2 })).ok, true);
  assert.equal((await page({ kind: "list", name: "Rainy Sundays" })).ok, true);
  await until(() => daemon.said("list").length === 1);
  const [viewing] = daemon.said("viewing");
  assert.deepEqual({ ...viewing, id: "" }, { type: "viewing", id: "", media: media(603), watchedAt: at });
  assert.deepEqual({ ...daemon.said("watchlist")[0], id: "" }, { type: "watchlist", id: "", media: { type: "tv", ids: { tmdb: 1396 } }, priority: 2 });
  assert.deepEqual({ ...daemon.said("list")[0], id: "" }, { type: "list", id: "", name: "Rainy Sundays" });
  assert.deepEqual(await page({ kind: "identifyText", text: "https://www.themoviedb.org/movie/603" }), media(603));
});

test("refused: shown, sent again, dropped", async () => {
  daemon.answers = ({ id }) => ({ type: "error", id, code: "BAD_MESSAGE", message: "media.ids.tmdb is odd", retryable: false });
  const { id } = await page({ kind: "add", media: media(1), watchedAt: "2026-03-01T21:00:00Z" });
  await settled(({ outbox }) => outbox.rejected.length === 1);
  const [refused] = (await state()).outbox.rejected;
  assert.deepEqual(refused, { id, title: "TMDB 1", at: "2026-03-01T21:00:00Z", code: "BAD_MESSAGE", message: "media.ids.tmdb is odd" });
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
  for (const kind of ["state", "pair", "unpair", "settings", "retry", "add", "list", "identify", "discard", "grant"]) {
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
  const [unknown] = (await state()).outbox.unknown;
  await page({ kind: "discard", id: unknown.id });
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

test("a rule that finds nothing in ten minutes of film is told to the user and to the daemon, until it finds something", async () => {
  await emptied();
  daemon.features = ["waiting"];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  daemon.answers = (message) => (message.type === "waiting" ? null : accepting(message));
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  const site = { name: "netflix", numbers: {}, said: [] };
  const one = sitting({ url: "https://www.netflix.com/watch/80000001", host: "www.netflix.com", played: 30 }, { site });
  const lost = async () => (await state()).places.filter((place) => place.lost).map(({ label }) => label);
  await content({ kind: "sitting", sitting: one });
  await content({ kind: "left", sittingId: one.id, halfway: { id: one.id, page: one.url, duration: one.duration, startedAt: one.startedAt, spans: [[0, 400], [500, 690]] } });
  assert.deepEqual(await lost(), [], "not in 590 seconds");
  assert.deepEqual(await content({ kind: "watched", sitting: { ...one, played: 700 } }), { kept: true });
  assert.deepEqual(await lost(), ["Netflix"]);
  await until(() => daemon.said("waiting").at(-1)?.unread?.[0] === "Netflix", "the daemon is told");
  await emptied();
  await content({ kind: "sitting", sitting: { ...one, id: uuid(), evidence: { ...one.evidence, site: { ...site, said: [{ name: "Show Red" }] } } } });
  assert.deepEqual(await lost(), []);
  await until(() => daemon.said("waiting").at(-1)?.unread === undefined, "and that it is over");
});
