/** The whole background, from message to message, in a browser of paper. */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import "fake-indexeddb/auto";
import { fakeBrowser, sender } from "./fake-browser.js";
import { Database } from "../source/background/database.js";
import { Outbox } from "../source/background/outbox.js";
import { FakeDaemon, until } from "./fake-daemon.js";

const api = (globalThis.chrome = fakeBrowser());
const daemon = new FakeDaemon();
globalThis.WebSocket = daemon.WebSocket;
globalThis.fetch = daemon.fetch;
await import("../source/background/main.js");
const { page, content, stranger } = sender(api);
const outbox = new Outbox(new Database()); // the same as the background's

const state = () => page({ kind: "state" });
const known = (key, value) => api.storage.local.set({ known: { [key]: value } });
const settled = (condition, what) => until(async () => condition(await state()), what);
const uuid = () => crypto.randomUUID();
const sitting = (more = {}, evidence = {}) => ({
  id: uuid(), url: "https://films.example/watch/1?token=secret#x", host: "films.example", title: "The Wire", startedAt: "2026-03-01T20:00:00+01:00",
  at: "2026-03-01T21:00:00+01:00", duration: 3600, position: 3000, played: 2900.123,
  evidence: { jsonld: [], mediaSession: null, links: [], attributes: {}, provider: null, ...evidence }, ...more,
});
const certainly = { jsonld: [{ type: "Movie", name: "The Matrix", refs: ["https://www.themoviedb.org/movie/603"] }] };
const episode = (n) => ({ jsonld: [{ type: "TVEpisode", name: `Part ${n}`, episode: n, season: 1, series: { name: "The Wire" } }] });
const media = (tmdb) => ({ type: "movie", ids: { tmdb } });

async function paired() {
  daemon.listens = true;
  daemon.token = "t".repeat(43);
  assert.deepEqual(await page({ kind: "pair", code: daemon.code, label: "Desk", address: "127.0.0.1:43456" }), { ok: true });
}
const accepting = daemon.answers;

beforeEach(() => {
  daemon.answers = accepting;
  daemon.heard.length = 0;
});

after(() => daemon.socket?.shut(1001)); // else it would stay open until it has been idle for long enough

test("first start: options open, the storage is closed to content scripts", async () => {
  api.runtime.onInstalled.fire({ reason: "install" });
  await until(() => api.optionsOpened === 1 && api.badge.text === "…", "a step to be taken, and no alarm");
  assert.match(api.badge.title, /not paired/);
  assert.equal(api.storage.local.kept()["access level"], "TRUSTED_CONTEXTS");
  const now = await state();
  assert.equal(now.link.state, "unpaired");
  assert.equal(now.link.address, "127.0.0.1:43456");
  assert.equal(daemon.probes, 0, "nobody is asked before there is something to say");
  api.runtime.onInstalled.fire({ reason: "update" });
  assert.equal(api.optionsOpened, 1);
});

test("a page of ours that is open has it knock without a click: at the kept address alone, and no more after a person's word", async () => {
  const { features } = daemon;
  daemon.features = ["knock"];
  const asks = () => page({ kind: "knockAlone", label: "Sofa", address: "localhost:50000" });
  assert.deepEqual(await asks(), { ok: true });
  assert.equal(daemon.socket.url, "ws://127.0.0.1:43456/v1/connector");
  assert.equal((await state()).knock.alone, true);
  await page({ kind: "knockEnd" });
  assert.deepEqual(await asks(), { ok: true });
  assert.deepEqual([daemon.said("knock").length, (await state()).knock], [1, null]);
  Object.assign(daemon, { features, probes: 0 });
});

test("before pairing, what is watched is kept", async () => {
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({}, certainly) }), { kept: true });
  assert.equal((await state()).outbox.waiting, 1);
  await until(() => api.badge.text === "!", "it waits for the pairing");
  assert.ok(api.alarms.set.has("flush"));
});

test("pairing: a wrong code, a foreign address, then right; what waited goes", async () => {
  assert.equal((await page({ kind: "pair", code: "WRONG", label: "", address: "127.0.0.1:43456" })).code, "PAIRING_CODE_INVALID");
  for (const address of ["films.example:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:80/x", "user@127.0.0.1:80", "0.0.0.0:80", null]) {
    assert.equal((await page({ kind: "pair", code: daemon.code, label: "", address })).code, "ADDRESS", String(address));
  }
  await paired();
  await settled(({ outbox }) => outbox.waiting === 0);
  await settled(({ daemon: seen }) => seen?.pending === 2);
  const now = await state();
  assert.equal(now.link.state, "connected");
  assert.equal(now.link.pairedLabel, "Desk");
  assert.equal(JSON.stringify(now).includes(daemon.token), false, "the pages never see the token");
  assert.equal(JSON.stringify([api.storage.local.kept(), api.storage.session.kept(), api.told]).includes(daemon.token), false);
  await until(() => !api.alarms.set.has("flush"));
});

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

test("not identified: asked once, remembered for the series, the others follow", async () => {
  for (const n of [1, 2]) assert.deepEqual(await content({ kind: "watched", sitting: sitting({}, episode(n)) }), { kept: true });
  await settled(({ outbox }) => outbox.unknown.length === 2);
  await until(() => api.badge.text === "2?");
  const [first] = (await state()).outbox.unknown;
  assert.deepEqual(first.evidence, { kind: "episode", title: "The Wire", season: 1, episode: 1 });
  assert.equal(first.host, "films.example");
  const said = { type: "episode", show: { ids: { tmdb: 1438 }, title: "The Wire" }, season: 1, episode: 1 };
  assert.deepEqual(await page({ kind: "identify", id: first.id, media: said, remember: true }), { ok: true });
  assert.equal(daemon.said("viewing").length, 0, "an answer stays a moment, so that it can be taken back");
  await until(async () => (await state()).outbox.waiting === 0, "both are sent", 20_000);
  assert.deepEqual(daemon.said("viewing").map(({ media: { show, season, episode: n } }) => [show.ids.tmdb, season, n]), [[1438, 1, 1], [1438, 1, 2]]);
  const third = sitting({}, episode(3));
  assert.equal((await content({ kind: "sitting", sitting: third })).certain, true);
  await content({ kind: "watched", sitting: third });
  await until(() => daemon.said("viewing").length === 3);
  assert.equal((await page({ kind: "identify", id: first.id, media: said, remember: false })).code, "NOT_FOUND");
});

test("an answer of another kind is refused, and never remembered", async () => {
  const show = { jsonld: [{ type: "TVEpisode", name: "Pilot", episode: 1, season: 1, series: { name: "Breaking Bad" } }] };
  const film = { jsonld: [{ type: "Movie", name: "Fight Club", date: "1999-10-15" }] };
  for (const [evidence, said, code] of [
    [show, media(603), "NOT_A_FILM"],
    [film, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 2 }, "NOT_AN_EPISODE"],
  ]) {
    await content({ kind: "watched", sitting: sitting({}, evidence) });
    await settled(({ outbox }) => outbox.unknown.length === 1);
    const [{ id }] = (await state()).outbox.unknown;
    assert.equal((await page({ kind: "identify", id, media: said, remember: true })).code, code);
    assert.equal((await state()).outbox.unknown.length, 1);
    assert.equal((await content({ kind: "sitting", sitting: sitting({}, evidence) })).certain, false);
    await page({ kind: "discard", id });
  }
});

test("answers of earlier versions have no kind: they are asked again, and not listed", async () => {
  await known("films.example|the wire", { tmdb: 603, title: "The Wire" });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(4)) })).certain, false);
  assert.deepEqual(await page({ kind: "answers" }), []);
});

test("answers are listed and can be forgotten", async () => {
  await known("films.example|the wire", { kind: "tv", tmdb: 1438, title: "The Wire", about: "The Wire" });
  const [answer] = await page({ kind: "answers" });
  assert.deepEqual(answer, { key: "films.example|the wire", host: "films.example", kind: "tv", tmdb: 1438, title: "The Wire", about: "The Wire" });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(4)) })).certain, true);
  assert.deepEqual(await page({ kind: "forgetAnswer", key: answer.key }), { ok: true });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(4)) })).certain, false);
});

test("not this: the answer that said so is forgotten", async () => {
  await known("films.example|the wire", { kind: "tv", tmdb: 1438, title: "The Wire", about: "The Wire" });
  const wrong = sitting({}, episode(4));
  assert.equal((await content({ kind: "sitting", sitting: wrong })).certain, true);
  assert.deepEqual(await page({ kind: "notThis", sitting: wrong }), { ok: true });
  assert.deepEqual(await page({ kind: "answers" }), []);
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(5)) })).certain, false, "nor is the next episode taken for that");
});

test("a page without a name of its film is recognised when it plays the very same again", async () => {
  const bare = (more = {}) => sitting({ title: "Player", url: "https://films.example/play?id=5", ...more });
  await content({ kind: "watched", sitting: bare() });
  await settled(({ outbox }) => outbox.unknown.length === 1);
  const [{ id }] = (await state()).outbox.unknown;
  await page({ kind: "identify", id, media: media(603), remember: true });
  const recognised = async (more) => (await content({ kind: "sitting", sitting: bare(more) })).identified?.ids?.tmdb;
  assert.equal(await recognised(), 603);
  assert.equal(await recognised({ url: "https://films.example/play?id=5&t=90" }), 603);
  assert.equal(await recognised({ url: "https://films.example/play?id=6" }), undefined);
  assert.equal(await recognised({ duration: 3700 }), undefined);
  assert.equal(await recognised({ title: "Other" }), undefined);
  assert.equal(await recognised({ evidence: { ...bare().evidence, mediaSession: { title: "Part 2", artist: "", album: "" } } }), undefined);
  assert.doesNotMatch(JSON.stringify(api.storage.local.kept().known), /id=5/, "an address may hold secrets");
  assert.deepEqual(await page({ kind: "undo", id }), { ok: true });
  assert.equal(await recognised(), undefined, "an answer that was taken back is not used");
  const [again] = (await state()).outbox.unknown;
  assert.notEqual(again.id, id, "the question is there again");
  await page({ kind: "discard", id: again.id });
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
  for (const kind of ["state", "pair", "knock", "knockAlone", "knockAgree", "unpair", "settings", "retry", "add", "list", "identify", "discard", "grant"]) {
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

test("the daemon stops: kept; the alarm finds it again", async () => {
  daemon.listens = false;
  daemon.socket?.shut(1001);
  await page({ kind: "retry" });
  await page({ kind: "add", media: media(5), watchedAt: "2026-03-01T21:00:00Z" });
  await settled(({ link, outbox }) => link.state === "offline" && outbox.waiting === 1);
  assert.ok(api.alarms.set.has("flush"));
  await until(() => api.badge.text === "1");
  daemon.listens = true;
  await settled(({ outbox }) => {
    if (outbox.waiting > 0) api.alarms.onAlarm.fire({ name: "flush" }); // one within the back-off does nothing
    return outbox.waiting === 0;
  });
});

test("revoked: told in badge and state, everything is kept; unpair and pair again", async () => {
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  await until(() => daemon.socket !== undefined);
  daemon.socket.shut(4403);
  await settled(({ link }) => link.state === "revoked");
  await until(() => /pair this browser again/.test(api.badge.title));
  await page({ kind: "add", media: media(6), watchedAt: "2026-03-01T21:00:00Z" });
  assert.deepEqual(await page({ kind: "unpair" }), { ok: true });
  assert.equal((await state()).link.state, "unpaired");
  assert.equal((await state()).outbox.waiting, 1);
  await paired();
  await settled(({ outbox }) => outbox.waiting === 0);
});

test("the service is asked first: certain is sent without a question, the rest is a card with suggestions", async () => {
  daemon.features = ["resolve", "undo", "waiting"];
  daemon.socket?.shut(1001);
  const told = new Map([
    ["Fight Club", { outcome: "certain", media: { type: "movie", ids: { tmdb: 550 }, title: "Fight Club", year: 1999 } }],
    ["Dune", { outcome: "open", candidates: [{ type: "movie", tmdb: 841, title: "Dune", year: 1984 }, { type: "tv", tmdb: 1 }, { type: "x" }] }],
    ["Solaris", { outcome: "later", retryAfterMs: 7 }],
  ]);
  daemon.answers = (message) => {
    if (message.type === "resolve") return { type: "resolved", id: message.id, ...told.get(message.media.title) };
    return message.type === "waiting" ? null : accepting(message);
  };
  const film = (name, date) => ({ jsonld: [{ type: "Movie", name, date }] });
  await until(() => daemon.socket === undefined);
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  await content({ kind: "watched", sitting: sitting({}, film("Fight Club", "1999-10-15")) });
  await until(() => daemon.said("viewing").length === 1);
  assert.deepEqual(daemon.said("resolve")[0].media, { type: "movie", title: "Fight Club", year: 1999 });
  assert.deepEqual(daemon.said("viewing")[0].media, { type: "movie", ids: { tmdb: 550 }, title: "Fight Club", year: 1999 });
  assert.deepEqual(Object.keys(daemon.said("resolve")[0]).sort(), ["id", "media", "type"], "nothing else is told by a question");
  await content({ kind: "watched", sitting: sitting({}, film("Dune")) });
  await settled(({ outbox }) => outbox.unknown.length === 1);
  const [dune] = (await state()).outbox.unknown;
  assert.deepEqual(dune.candidates, [{ type: "movie", tmdb: 841, title: "Dune", year: 1984 }]);
  await content({ kind: "watched", sitting: sitting({}, film("Solaris")) });
  await settled(({ outbox }) => outbox.unknown.length === 2);
  assert.equal((await state()).outbox.unknown[1].later, true);
  assert.ok(api.alarms.set.get("ask").when > Date.now() + 20_000, "it is asked again later");
  await until(() => daemon.said("waiting").at(-1)?.viewings === 2, "the daemon knows what waits");
  await page({ kind: "identify", id: dune.id, media: { type: "movie", ids: { tmdb: 841 } }, remember: false });
  assert.equal((await state()).recent[0].title, "Dune", "the name stays with the answer");
  for (const { id } of (await state()).outbox.unknown) await page({ kind: "discard", id });
  await until(() => daemon.said("waiting").at(-1)?.viewings === 0);
  assert.deepEqual(await page({ kind: "undo", id: dune.id }), { ok: true });
  const [again] = (await state()).outbox.unknown;
  await page({ kind: "discard", id: again.id });
  assert.equal(daemon.said("undo").length, 0, "what was never sent is nobody's to take back");
});

test("not this: asked when it counts; after it was reported it is taken back, and asked at once", async () => {
  daemon.answers = (message) => {
    if (message.type === "undo") return { type: "undone", id: message.id, removed: true };
    return message.type === "waiting" ? null : accepting(message);
  };
  const first = sitting({}, certainly);
  assert.deepEqual(await page({ kind: "notThis", sitting: first }), { ok: true });
  assert.equal((await content({ kind: "sitting", sitting: first })).identified, null);
  await content({ kind: "watched", sitting: first });
  await settled(({ outbox }) => outbox.unknown.length === 1);
  const [card] = (await state()).outbox.unknown;
  assert.equal(card.kind, null, "the page may be wrong about the kind, too");
  assert.equal(daemon.said("viewing").length, 0);
  await page({ kind: "discard", id: card.id });
  const second = sitting({}, certainly);
  await content({ kind: "watched", sitting: second });
  await until(() => daemon.said("viewing").length === 1);
  await settled(({ outbox }) => outbox.waiting === 0);
  const { ok, id } = await page({ kind: "notThis", sitting: second });
  assert.equal(ok, true);
  assert.equal(daemon.said("undo")[0].event, second.id);
  const [asked] = (await state()).outbox.unknown;
  assert.deepEqual([asked.id, asked.at], [id, second.at]);
  await page({ kind: "discard", id });
});

test("undo of what was reported: done, refused in words, or not possible with an older daemon", async () => {
  const report = async () => {
    const one = sitting({}, certainly);
    await content({ kind: "watched", sitting: one });
    await settled(({ outbox, recent }) => outbox.waiting === 0 && recent[0]?.id === one.id);
    return one.id;
  };
  daemon.answers = (message) => {
    if (message.type === "undo") return { type: "error", id: message.id, code: "REFUSED", message: "it stays", retryable: false };
    return message.type === "waiting" ? null : accepting(message);
  };
  const id = await report();
  assert.deepEqual(await page({ kind: "undo", id }), { ok: false, code: "UNDO_REFUSED", message: "it stays" });
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  assert.equal((await page({ kind: "undo", id })).code, "UNDO_OLD");
  daemon.listens = false;
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  assert.equal((await page({ kind: "undo", id })).code, "UNDO_OFFLINE");
  daemon.listens = true;
  assert.equal((await page({ kind: "undo", id: uuid() })).code, "NOT_FOUND");
  assert.equal((await state()).recent[0].id, id, "what was not taken back can still be");
});

const named = (name) => ({ mediaSession: { title: name, artist: "", album: "" }, headings: [name] });
const unknowns = async () => (await state()).outbox.unknown;

async function emptied() {
  await page({ kind: "discardAll", ids: (await unknowns()).map(({ id }) => id) });
  await page({ kind: "emptyBin" });
}

test("a question has every name, its page and its times; of all that nothing is sent but what the protocol has", async () => {
  await emptied();
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  const one = sitting({ url: "https://user:word@films.example/watch/1?v=9#/x", title: "Films" },
    { mediaSession: { title: "...And the Bag", artist: "Breaking Bad", album: "Season 1" }, headings: ["Watch now"] });
  await content({ kind: "watched", sitting: one });
  const [unknown] = await unknowns();
  assert.equal(unknown.title, "Breaking Bad: ...And the Bag");
  assert.deepEqual(unknown.names.map(({ from }) => from), ["session", "artist", "album", "heading", "title"]);
  assert.deepEqual(unknown.guess, { series: "Breaking Bad", season: 1, title: "...And the Bag" });
  assert.deepEqual([unknown.address, unknown.played, unknown.duration], ["https://films.example/watch/1?v=9#/x", 2900.1, 3600]);
  await page({ kind: "identify", id: unknown.id, media: { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 3 }, remember: false });
  await until(() => daemon.said("viewing").length === 1, "it is sent once it can no longer be taken back", 20_000);
  const [sent] = daemon.said("viewing");
  assert.deepEqual(Object.keys(sent).sort(), ["id", "media", "progress", "source", "type", "watchedAt"]);
  assert.doesNotMatch(JSON.stringify(sent), /v=9|And the Bag|Watch now|word/);
});

test("the name that was seen stays with an answer that brings none", async () => {
  const answers = [
    [named("Night Train"), media(603), { type: "movie", ids: { tmdb: 603 }, title: "Night Train" }],
    [named("Pilot"), { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 1 }, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 1, title: "Pilot" }],
    [named("Night Train"), { ...media(604), title: "Nattåg" }, { type: "movie", ids: { tmdb: 604 }, title: "Nattåg" }],
    [{ mediaSession: { title: "Pilot", artist: "Breaking Bad", album: "Season 1" } }, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 1 },
      { type: "episode", show: { ids: { tmdb: 1396 }, title: "Breaking Bad" }, season: 1, episode: 1 }],
    [{ headings: ["Films"] }, media(605), media(605)],
    [{ mentions: ["More like this"] }, media(606), media(606)],
  ];
  for (const [evidence, said, sent] of answers) {
    await emptied();
    const one = sitting({ title: "Films" }, evidence);
    await content({ kind: "watched", sitting: one });
    assert.deepEqual(await page({ kind: "identify", id: one.id, media: said, remember: false }), { ok: true });
    const { message } = await outbox.get(one.id);
    assert.deepEqual(message.media, sent);
    await page({ kind: "undo", id: one.id });
  }
  await emptied();
  const wrong = sitting({}, certainly);
  await page({ kind: "notThis", sitting: wrong });
  await content({ kind: "watched", sitting: wrong });
  await page({ kind: "identify", id: wrong.id, media: media(607), remember: false });
  assert.deepEqual((await outbox.get(wrong.id)).message.media, media(607), "nor is the name of a page that named the wrong film kept");
  await page({ kind: "undo", id: wrong.id });
  await emptied();
});

test("of a name alone the service is asked, too; its card is there meanwhile, and nothing is sent without a choice", async () => {
  await emptied();
  /** @type {(() => void)[]} */
  const hold = [];
  daemon.features = ["resolve", "undo", "waiting"];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  daemon.answers = (message) => {
    if (message.type === "waiting") return null;
    if (message.type !== "resolve") return accepting(message);
    const { socket } = daemon;
    hold.push(() => socket.tell({ type: "resolved", id: message.id, outcome: "open", candidates: [{ type: "movie", tmdb: 275, title: "Fargo", year: 1996 }, { type: "tv", tmdb: 60622, title: "Fargo", year: 2014 }] }));
    return null;
  };
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  const asked = () => daemon.said("resolve").map(({ media: about }) => about);
  await content({ kind: "watched", sitting: sitting({ title: "Films" }, named("Fargo")) });
  const [card] = await unknowns();
  assert.deepEqual([card.title, card.candidates, card.later], ["Fargo", undefined, undefined]);
  await until(() => hold.length === 1);
  assert.deepEqual(asked(), [{ type: "movie", title: "Fargo" }]);
  hold[0]();
  await until(async () => (await unknowns())[0].candidates?.length === 2);
  await content({ kind: "watched", sitting: sitting({ title: "Films" }, { jsonld: [{ type: "TVEpisode", name: "Pilot", series: { name: "Fargo" } }] }) });
  await until(() => hold.length === 2);
  hold[1]();
  await until(async () => (await unknowns())[1].candidates?.length === 1, "a film is no answer to an episode");
  assert.deepEqual(asked()[1], { type: "movie", title: "Fargo" });
  await content({ kind: "watched", sitting: sitting({ title: "Films" }) });
  await content({ kind: "watched", sitting: sitting({ title: "Player" }) });
  assert.equal((await unknowns()).length, 4);
  const asks = (await outbox.list("unknown")).map(({ ask }) => ask);
  assert.deepEqual(asks, [undefined, undefined, undefined, undefined], "a site's name is no title to ask by");
  assert.equal(daemon.said("viewing").length, 0);
  await emptied();
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
});

test("words are asked of the daemon, and of no older one", async () => {
  const seek = (more) => page({ kind: "candidates", words: ` ${"x".repeat(300)}`, ...more });
  daemon.features = ["candidates"];
  await page({ kind: "retry" });
  const found = Array.from({ length: 12 }, (_, n) => ({ type: n % 2 ? "tv" : "movie", tmdb: n + 1, title: `Found ${n}`, secret: 1 }));
  let answer = { type: "resolved", outcome: "open", candidates: found };
  daemon.answers = (message) => (message.type === "candidates" ? { ...answer, id: message.id } : accepting(message));
  const { ok, candidates } = await seek({ as: "tv" });
  assert.deepEqual([ok, candidates.length, candidates[0]], [true, 8, { type: "movie", tmdb: 1, title: "Found 0" }]);
  const [{ id: _, ...asked }] = daemon.said("candidates");
  assert.deepEqual(asked, { type: "candidates", words: "x".repeat(200), kind: "tv" });
  answer = { type: "resolved", outcome: "later" };
  assert.equal((await seek()).code, "SEEK_LATER");
  answer = { type: "error", code: "RATE_LIMITED", message: "too much", retryable: true };
  assert.equal((await seek()).code, "RATE_LIMITED");
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  assert.equal((await seek()).code, "SEEK_OLD");
  assert.equal(daemon.said("candidates").length, 3);
});

test("an answer about a series is told to the daemon when its viewing leaves; forgotten, it is forgotten there", async () => {
  await emptied();
  daemon.features = ["correct"];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  daemon.answers = (message) => (message.type === "correct" ? { type: "corrected", id: message.id, changed: 0 } : accepting(message));
  const series = (n) => ({ jsonld: [{ type: "TVEpisode", episode: n, season: 1, series: { name: "Treme" } }] });
  await content({ kind: "watched", sitting: sitting({}, series(1)) });
  const [card] = (await state()).outbox.unknown;
  const said = { type: "episode", show: { ids: { tmdb: 31132 }, title: "Treme" }, season: 1, episode: 1 };
  await page({ kind: "identify", id: card.id, media: said, remember: true });
  const about = () => daemon.said("correct").filter(({ media: { show } }) => show?.title === "Treme").map(({ media, is, was }) => ({ media, ...(is && { is }), ...(was && { was }) }));
  assert.equal(about().length, 0);
  await until(() => about().length === 1 && daemon.said("viewing").length === 1, "both leave", 20_000);
  const told = { type: "episode", show: { title: "Treme" } };
  assert.deepEqual(about()[0], { media: told, is: { type: "tv", tmdb: 31132, title: "Treme" } });
  const [{ key }] = (await page({ kind: "answers" })).filter(({ title }) => title === "Treme");
  await page({ kind: "forgetAnswer", key });
  await until(() => about().length === 2);
  assert.deepEqual(about()[1], { media: told, was: { type: "tv", tmdb: 31132 } });
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
});

test("discarded: gone from the questions, taken back out of the bin, forgotten", async () => {
  await emptied();
  for (const name of ["One", "Two", "Three"]) await content({ kind: "watched", sitting: sitting({}, named(name)) });
  const [one, two, three] = await unknowns();
  assert.equal((await page({ kind: "discardAll", ids: [] })).code, "NOT_FOUND");
  assert.equal((await page({ kind: "discardAll", ids: "x" })).code, "NOT_FOUND");
  assert.deepEqual(await page({ kind: "discardAll", ids: [one.id, two.id] }), { ok: true });
  assert.deepEqual((await unknowns()).map(({ id }) => id), [three.id]);
  const { discarded } = (await state()).ignored;
  assert.deepEqual(discarded.map(({ title, host }) => `${title} ${host}`).sort(), ["One films.example", "Two films.example"]);
  assert.deepEqual(await page({ kind: "restore", id: one.id }), { ok: true });
  assert.equal((await page({ kind: "restore", id: one.id })).code, "NOT_FOUND");
  assert.deepEqual((await unknowns()).find(({ id }) => id === one.id), one, "as it was");
  assert.deepEqual(await page({ kind: "emptyBin" }), { ok: true });
  assert.deepEqual((await state()).ignored.discarded, []);
  await emptied();
});

test("Not a film: this video is not asked about again, others are; taken back, it is", async () => {
  await emptied();
  const talk = (more = {}, name = "A long talk") => sitting({ title: `(2) ${name} - Films`, ...more }, named(name));
  await content({ kind: "watched", sitting: talk() });
  await content({ kind: "watched", sitting: talk({ url: "https://www.films.example/other", host: "www.films.example" }) });
  await content({ kind: "watched", sitting: talk({}, "A film") });
  const [first] = await unknowns();
  assert.deepEqual(await page({ kind: "notFilm", id: first.id }), { ok: true });
  assert.deepEqual((await unknowns()).map(({ title }) => title), ["A film"], "all questions about it are gone");
  assert.equal((await page({ kind: "notFilm", id: first.id })).code, "NOT_FOUND");
  const begun = await content({ kind: "sitting", sitting: talk() });
  assert.deepEqual([begun.record, begun.why], [true, "notFilm"]);
  assert.deepEqual(await content({ kind: "watched", sitting: talk() }), { kept: false, reason: "notFilm" });
  assert.deepEqual(await page({ kind: "watched", sitting: talk() }), { kept: true }, "unless the user marks it");
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({ title: "A long talk" }, { ...named("A long talk"), ...certainly }) }), { kept: true }, "what is certain is no question");
  const { films } = (await state()).ignored;
  assert.deepEqual(films.map(({ title, host }) => [title, host]), [["A long talk", "films.example"]]);
  assert.deepEqual(await page({ kind: "takeBack", key: films[0].key }), { ok: true });
  assert.deepEqual(await content({ kind: "watched", sitting: talk() }), { kept: true });
  await emptied();
});

test("Not a film, where the page has no name for it: known by its address and length, of which a hash is kept", async () => {
  await emptied();
  const bare = (more = {}) => sitting({ url: "https://films.example/embed/77?t=12", title: "Player", ...more });
  await content({ kind: "watched", sitting: bare() });
  await page({ kind: "notFilm", id: (await unknowns())[0].id });
  assert.deepEqual(await content({ kind: "watched", sitting: bare({ url: "https://films.example/embed/77?t=99" }) }), { kept: false, reason: "notFilm" });
  assert.deepEqual(await content({ kind: "watched", sitting: bare({ duration: 5400 }) }), { kept: true });
  assert.deepEqual(await content({ kind: "watched", sitting: bare({ url: "https://films.example/embed/78" }) }), { kept: true });
  const { films } = (await state()).ignored;
  assert.doesNotMatch(JSON.stringify(api.storage.local.kept().ignored), /embed/);
  await page({ kind: "takeBack", key: films[0].key });
  await emptied();
});

test("Never here: nothing is asked or counted on the site, with or without www.; taken back, it is", async () => {
  await emptied();
  const other = { host: "tube.example", url: "https://tube.example/1" };
  await content({ kind: "watched", sitting: sitting({ title: "One" }) });
  await content({ kind: "watched", sitting: sitting({ title: "Two", host: "www.films.example" }) });
  await content({ kind: "watched", sitting: sitting({ title: "Three", ...other }) });
  assert.deepEqual(await page({ kind: "never", host: "www.films.example" }), { ok: true });
  assert.deepEqual((await unknowns()).map(({ title }) => title), ["Three"]);
  assert.deepEqual((await state()).ignored.sites, ["films.example"]);
  const begun = await content({ kind: "sitting", sitting: sitting({}, certainly) });
  assert.deepEqual([begun.record, begun.why], [false, "never"]);
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({}, certainly) }), { kept: false, reason: "never" });
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({ title: "Four", ...other }) }), { kept: true });
  assert.deepEqual(await page({ kind: "takeBack", key: "films.example" }), { ok: true });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, certainly) })).record, true);
  await emptied();
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

test("a paired browser knocks with a click alone", async () => {
  daemon.features = ["knock"];
  await paired();
  await new Database().write("knocked", []);
  await page({ kind: "knockAlone", label: "Sofa" });
  assert.deepEqual(daemon.said("knock"), []);
  assert.equal((await state()).knock, null);
});

test("two clicks pair the browser at the address that was asked, and what waits is sent", async () => {
  daemon.features = ["knock"];
  const wish = { kind: "knock", label: "Sofa" };
  for (const address of ["films.example:80", "", null]) {
    assert.equal((await page({ ...wish, address })).code, "ADDRESS", String(address));
  }
  const { answer } = daemon;
  daemon.answer = async (socket, message) =>
    message.type === "knock" ? socket.tell({ type: "error", id: message.id, code: "RATE_LIMITED", message: "no", retryable: true, retryAfterMs: 3_600_000 }) : answer.call(daemon, socket, message);
  const late = await page({ ...wish, address: "localhost:43456" });
  assert.equal(late.code, "KNOCK_LATER");
  assert.ok(Math.abs(Date.parse(late.message) - Date.now() - 3_600_000) < 10_000, late.message);
  daemon.answer = answer;
  assert.deepEqual(await page({ ...wish, address: "localhost:43456" }), { ok: true });
  assert.match((await state()).knock.number, /^\d{6}$/);
  assert.deepEqual(await page({ kind: "knockEnd" }), { ok: true });
  assert.equal((await state()).knock, null);
  assert.equal(await stranger({ kind: "knock", label: "", address: "localhost:43456" }), null);
  await page({ ...wish, address: "localhost:43456" });
  daemon.token = "t".repeat(43);
  daemon.letIn(true);
  assert.deepEqual(await page({ kind: "knockAgree" }), { ok: true });
  await settled(({ link, knock, outbox }) => link.state === "connected" && knock.phase === "paired" && outbox.waiting === 0, "it is paired");
  const { link, settings } = await state();
  assert.deepEqual([link.pairedLabel, settings.address], ["Sofa", "localhost:43456"]);
});
