/** The whole background, from message to message, in a browser of paper. */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import "fake-indexeddb/auto";
import { fakeBrowser, sender } from "./fake-browser.js";
import { FakeDaemon, until } from "./fake-daemon.js";

const api = (globalThis.chrome = fakeBrowser());
const daemon = new FakeDaemon();
globalThis.WebSocket = daemon.WebSocket;
globalThis.fetch = daemon.fetch;
await import("../source/background/main.js");
const { page, content, stranger } = sender(api);

const state = () => page({ kind: "state" });
const settled = (condition, what) => until(async () => condition(await state()), what);
const uuid = () => crypto.randomUUID();
const session = (more = {}, evidence = {}) => ({
  id: uuid(), url: "https://films.example/watch/1?token=secret#x", host: "films.example", title: "The Wire", startedAt: "2026-03-01T20:00:00+01:00",
  at: "2026-03-01T21:00:00+01:00", duration: 3600, position: 3000, played: 2900.123,
  evidence: { jsonld: [], mediaSession: null, links: [], attributes: {}, provider: null, ...evidence }, ...more,
});
const certainly = { jsonld: [{ type: "Movie", name: "The Matrix", refs: ["https://www.themoviedb.org/movie/603"] }] };
/** A certain film is watched. */
const watch = async () => {
  const one = session({}, certainly);
  assert.deepEqual(await content({ kind: "watched", session: one }), { kept: true });
  return one;
};

const accepting = daemon.answers;
beforeEach(() => {
  daemon.answers = accepting;
  daemon.heard.length = 0;
});
after(() => daemon.socket?.shut(1001)); // else it would stay open until it has been idle for long enough

test("first start: options open, the storage is closed to content scripts", async () => {
  api.runtime.onInstalled.fire({ reason: "install" });
  await until(() => api.optionsOpened === 1 && api.badge.text === "…", "a step to be taken, and no alarm");
  assert.equal(api.storage.local.kept()["access level"], "TRUSTED_CONTEXTS");
  const now = await state();
  assert.deepEqual([now.link.state, now.link.address], ["unpaired", "127.0.0.1:43456"]);
  assert.equal(daemon.probes, 0, "nobody is asked before there is something to say");
  api.runtime.onInstalled.fire({ reason: "update" });
  assert.equal(api.optionsOpened, 1);
});

test("pairing: a wrong code, a foreign address, then right; what was kept before goes", async () => {
  await watch();
  assert.equal((await state()).outbox.waiting, 1);
  assert.ok(api.alarms.set.has("flush"));
  assert.equal((await page({ kind: "pair", code: "WRONG", label: "", address: "127.0.0.1:43456" })).code, "PAIRING_CODE_INVALID");
  for (const address of ["films.example:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:80/x", "user@127.0.0.1:80", "0.0.0.0:80", null]) {
    assert.equal((await page({ kind: "pair", code: daemon.code, label: "", address })).code, "ADDRESS", String(address));
  }
  daemon.token = "t".repeat(43);
  assert.deepEqual(await page({ kind: "pair", code: daemon.code, label: "Desk", address: "127.0.0.1:43456" }), { ok: true });
  await settled(({ outbox, daemon: status }) => outbox.waiting === 0 && status?.pending === 2);
  const now = await state();
  assert.deepEqual([now.link.state, now.link.pairedLabel], ["connected", "Desk"]);
  assert.equal(JSON.stringify([now, api.storage.local.kept(), api.storage.session.kept(), api.told]).includes(daemon.token), false, "the pages never see the token");
  await until(() => !api.alarms.set.has("flush"));
});

test("the daemon goes away: kept, and shown; the alarm finds it again", async () => {
  daemon.listens = false;
  daemon.socket?.shut(1001);
  await watch();
  await until(() => api.badge.text === "1" && api.alarms.set.has("flush"));
  daemon.listens = true;
  await settled(({ outbox }) => {
    if (outbox.waiting > 0) api.alarms.onAlarm.fire({ name: "flush" }); // one within the back-off does nothing
    return outbox.waiting === 0;
  });
});

test("a viewing as it is sent: no query, no fragment, times as they were, once", async () => {
  const one = session({}, certainly);
  const begun = await content({ kind: "session", session: one });
  assert.deepEqual([begun.record, begun.certain, begun.rule.movie], [true, true, { played: 0.5, position: 0.8, minimum: 300 }]);
  await content({ kind: "watched", session: one });
  await content({ kind: "watched", session: one });
  await settled(({ outbox }) => outbox.waiting === 0);
  assert.deepEqual(daemon.said("viewing"), [{
    type: "viewing", id: one.id, media: { type: "movie", ids: { tmdb: 603 }, title: "The Matrix" }, watchedAt: one.at,
    progress: { position: 3000, duration: 3600, played: 2900.1 }, source: { site: "films.example", url: "https://films.example/watch/1" },
  }]);
});

test("paused and private: nothing is recorded, except what the user says in the popup", async () => {
  const { settings } = await state();
  for (const change of [{ private: true }, { pausedUntil: Date.now() + 3_600_000 }]) {
    await page({ kind: "settings", settings: { ...settings, ...change } });
    assert.equal((await state()).paused, true);
    assert.equal((await content({ kind: "session", session: session({}, certainly) })).record, false);
    assert.deepEqual(await content({ kind: "watched", session: session({}, certainly) }), { kept: false, reason: "paused" });
    assert.deepEqual(await page({ kind: "watched", session: session({}, certainly) }), { kept: true });
  }
  await until(() => api.alarms.set.has("resume"), "the end of a pause wakes the worker");
  await page({ kind: "settings", settings: { ...settings, pausedUntil: Date.now() - 1 } });
  assert.equal((await state()).paused, false);
});

test("what goes to the watchlist is sent as it is named", async () => {
  const media = { type: "tv", ids: { tmdb: 1396 }, title: "Breaking Bad" };
  assert.deepEqual(await page({ kind: "watchlist", media }), { ok: true });
  await settled(({ outbox }) => outbox.waiting === 0);
  assert.deepEqual(daemon.said("watchlist").map((message) => message.media), [media]);
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

test("refused: shown, sent again, dropped", async () => {
  daemon.answers = ({ id }) => ({ type: "error", id, code: "BAD_MESSAGE", field: "media.ids.tmdb", retryable: false });
  const { id, at } = await watch();
  await settled(({ outbox }) => outbox.rejected.length === 1);
  assert.deepEqual((await state()).outbox.rejected, [{ id, title: "The Matrix", at, code: "BAD_MESSAGE", field: "media.ids.tmdb" }]);
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
  for (const odd of [{}, { id: "x" }, session({ id: "no" }), session({ at: "yesterday" }), session({ at: `2026-03-01T20:00:00.${"0".repeat(40)}Z` }), session({ evidence: null })]) {
    assert.deepEqual(await content({ kind: "watched", session: odd }), { kept: false, reason: "malformed" });
  }
  for (const kind of ["nonsense", "constructor"]) assert.deepEqual(await page({ kind }), { ok: false, code: "UNKNOWN_TYPE" });
});

test("a player in a frame of another site is named by the page around it, also in the popup", async () => {
  const inner = session({ url: "https://player.example/embed/9", host: "player.example", title: "embed" });
  const outer = { url: "https://films.example/watch/1", host: "films.example", title: "The Matrix (1999)", evidence: session({}, certainly).evidence };
  api.answerOfTab = async (tab, message, where) => {
    assert.deepEqual([tab, message.kind, where], [7, "page", { frameId: 0 }]);
    return outer;
  };
  assert.deepEqual(await content({ kind: "watched", session: inner }, { frameId: 3, url: inner.url }), { kept: true });
  await until(() => daemon.said("viewing").length === 1);
  const [{ source, media }] = daemon.said("viewing");
  assert.deepEqual([source.site, media.ids.tmdb], ["films.example", 603]);
  api.addressOfTab = outer.url;
  outer.evidence = session().evidence;
  assert.deepEqual((await page({ kind: "session", session: inner, tab: 7 })).seen, { title: "The Matrix (1999)", host: "films.example" });
  assert.equal((await content({ kind: "session", session: inner })).seen, undefined, "which is the popup's business only");
  api.addressOfTab = undefined;
  assert.deepEqual((await page({ kind: "session", session: inner, tab: 7 })).seen, { title: "embed", host: "player.example" });
  api.answerOfTab = async () => {
    throw new Error("gone");
  };
  assert.deepEqual(await content({ kind: "watched", session: { ...inner, id: uuid() } }, { frameId: 3, url: inner.url }), { kept: true });
});

test("sites: registered when granted, and only then", async () => {
  const origin = "https://films.example/*";
  const { scripts } = api.scripting;
  for (const origins of [[origin], ["<all_urls>"], [], origin, [7], undefined]) assert.equal((await page({ kind: "grant", origins })).ok, false, "the browser has not allowed it");
  assert.equal(scripts.size, 0);
  api.granted = [origin];
  api.tabsOpen = [7, 8];
  assert.deepEqual(await page({ kind: "grant", origins: [origin] }), { ok: true });
  const [script] = scripts.values();
  assert.deepEqual([script.matches, script.allFrames, script.matchOriginAsFallback, script.runAt, script.persistAcrossSessions], [[origin], true, true, "document_start", true]);
  assert.deepEqual([api.injected, (await state()).sites], [[7, 8], [{ origin, granted: true }]]);
  api.granted = [];
  api.permissions.onRemoved.fire({ origins: [origin] });
  await until(() => scripts.size === 0);
  assert.deepEqual((await state()).sites, [{ origin, granted: false }]);
  assert.deepEqual(await page({ kind: "ungrant", origins: [origin] }), { ok: true });
  assert.deepEqual((await state()).sites, []);
});

test("a site that the browser has allowed begins in its frames, once, though the page that asked is gone", async () => {
  const origins = ["https://player.example/*", "https://www.player.example/*"];
  Object.assign(api, { granted: origins, tabsOpen: [9], framesOfTab: [{ frameId: 0, result: true }, { frameId: 4, result: false }] });
  api.entered.length = 0;
  api.permissions.onAdded.fire({ origins });
  await until(() => api.entered.length > 0);
  assert.deepEqual(await page({ kind: "grant", origins }), { ok: true });
  assert.deepEqual([api.entered, (await state()).sites], [[4], origins.map((origin) => ({ origin, granted: true }))]);
  api.granted = [];
  assert.deepEqual(await page({ kind: "ungrant", origins }), { ok: true });
  assert.equal(api.scripting.scripts.size, 0);
});

test("a site whose rule finds nothing any more is reported to the daemon", async () => {
  const site = { name: "netflix", numbers: {}, said: [] };
  const one = session({ url: "https://www.netflix.com/watch/80000001", host: "www.netflix.com", played: 700 }, { site });
  assert.deepEqual(await content({ kind: "watched", session: one }), { kept: true });
  await until(() => daemon.said("status").at(-1)?.unread?.[0] === "Netflix");
});

test("what plays is told with its title, and kept nowhere; while paused or private only that it has ended", async () => {
  const one = session({}, certainly);
  const said = async (/** @type {any} */ message) => {
    daemon.heard.length = 0;
    await content(message);
    return daemon.said("playing");
  };
  assert.deepEqual(await said({ kind: "playing", state: "playing", session: one }), [{
    type: "playing", session: one.id, state: "playing", media: { type: "movie", ids: { tmdb: 603 }, title: "The Matrix" },
    position: 3000, duration: 3600, source: { site: "films.example" },
  }]);
  const ended = [{ type: "playing", session: one.id, state: "ended" }];
  assert.deepEqual(await said({ kind: "playing", state: "ended", session: one }), ended);
  assert.deepEqual(await said({ kind: "playing", state: "playing", session: session({ title: "films.example" }) }), [], "it has no title");
  assert.deepEqual(await said({ kind: "playing", state: "playing", session: { ...one, id: "x" } }), []);
  const { settings } = await state();
  for (const change of [{ private: true }, { pausedUntil: Date.now() + 3_600_000 }]) {
    await page({ kind: "settings", settings: { ...settings, ...change } });
    assert.deepEqual(await said({ kind: "playing", state: "playing", session: one }), ended);
  }
  await page({ kind: "settings", settings });
  daemon.listens = false;
  daemon.socket?.shut(1001);
  assert.deepEqual(await said({ kind: "playing", state: "playing", session: one }), []);
  daemon.listens = true;
  assert.equal((await state()).outbox.waiting, 0);
});
