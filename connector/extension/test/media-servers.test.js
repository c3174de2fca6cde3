import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "../source/identify/index.js";
import { serversFor } from "../source/sites/index.js";
import { Screening, answer, settle } from "./screening.js";

const ITEM = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";
const SERIES = "f0e1d2c3b4a5968778695a4b3c2d1e0f";
const episode = {
  Id: ITEM, Type: "Episode", Name: "The Long Take", SeriesName: "Reel Life", SeriesId: SERIES, ParentIndexNumber: 1, IndexNumber: 2,
  RunTimeTicks: 30_000_000_000, ProviderIds: { Imdb: "tt7001396", Tmdb: "62085", TvRage: "5" },
};
const series = { Id: SERIES, Type: "Series", Name: "Reel Life", ProviderIds: { Tmdb: "701396", Tvdb: "81189" } };

/** A server of the Jellyfin kind, and what it was asked. */
function mediaBrowser({ items = [episode, series], playing = [ITEM], token = "secret", user = "u1" } = {}) {
  const asked = [];
  const answerTo = (url, headers) => {
    if (!JSON.stringify(headers).includes(token)) return null;
    if (url.pathname.endsWith("/Sessions")) return playing.map((Id) => ({ UserId: user, NowPlayingItem: { Id } })).concat({ UserId: user });
    return url.pathname.endsWith("/Items") ? { Items: items.filter((item) => item.Id === url.searchParams.get("ids")) } : null;
  };
  return { asked, answerTo };
}

/** Puts a server and a stored session behind a page. */
async function watched({ url, stored, server, duration = 3000, entries = [] }) {
  const before = (window) => {
    for (const [name, value] of Object.entries(stored)) window.localStorage.setItem(name, typeof value === "string" ? value : JSON.stringify(value));
    window.AbortSignal.timeout ??= () => undefined;
    window.performance.getEntriesByType = () => entries.map((name) => ({ name }));
    window.PerformanceObserver = class {
      observe() {}
    };
    window.fetch = async (href, options) => {
      server.asked.push({ href, ...options });
      const body = server.answerTo(new URL(href), options.headers);
      return { ok: body !== null, text: async () => (typeof body === "string" ? body : JSON.stringify(body)) };
    };
  };
  const answers = (message) => (message.kind === "session" ? { ...answer(message), servers: serversFor(message.session.url) } : answer(message));
  const screening = new Screening({ url, before, answers, html: "<!doctype html><title>Server</title>" });
  await screening.film({ duration }).play(duration);
  for (let turn = 0; turn < 20; turn++) await settle();
  const [session] = screening.watched;
  screening.close();
  return { provider: session?.evidence.provider, ...identify(session) };
}

const jellyfin = (server) => ({
  url: "http://nas.example:8096/web/#/video",
  stored: { jellyfin_credentials: { Servers: [{ Id: "s", UserId: "u1", AccessToken: "secret" }] }, _deviceId2: "device one" },
  server,
});

const wanted = {
  type: "episode", ids: { imdb: "tt7001396" }, show: { ids: { tmdb: 701396, tvdb: 81189 }, title: "Reel Life" },
  title: "The Long Take", season: 1, episode: 2,
};

test("Jellyfin says what it plays", async () => {
  const server = mediaBrowser();
  const found = await watched(jellyfin(server));
  assert.equal(found.provider.name, "jellyfin");
  assert.deepEqual([found.media, found.certain], [wanted, true]);
  for (const { href, credentials, redirect, headers } of server.asked) {
    assert.equal(new URL(href).origin, "http://nas.example:8096");
    assert.ok(!href.includes("secret"));
    assert.equal(headers.Authorization, 'MediaBrowser Token="secret"');
    assert.deepEqual([credentials, redirect], ["omit", "error"]);
  }
  assert.match(server.asked[0].href, /\/Sessions\?deviceId=device%20one$/);
});

test("Jellyfin under a path of its own", async () => {
  const server = mediaBrowser();
  await watched({ ...jellyfin(server), url: "https://nas.example/films/web/index.html#/video" });
  assert.ok(server.asked[0].href.startsWith("https://nas.example/films/Sessions?"));
});

test("Emby keeps the token with its users", async () => {
  const server = mediaBrowser();
  const Servers = [
    { Id: "other", UserId: "u9", AccessToken: "not this", ManualAddress: "https://elsewhere.example" },
    { Id: "s", UserId: "u1", Users: [{ UserId: "u0", AccessToken: "no" }, { UserId: "u1", AccessToken: "secret" }], ManualAddress: "http://nas.example:8096" },
  ];
  const found = await watched({ url: "http://nas.example:8096/web/index.html", stored: { servercredentials3: { Servers }, _deviceId2: "d" }, server });
  assert.equal(found.provider.name, "emby");
  assert.equal(server.asked[0].headers["X-Emby-Token"], "secret");
  assert.equal(found.certain, true);
});

const film = { Id: ITEM, Type: "Movie", Name: "The Spool Keeper", ProductionYear: 1999, RunTimeTicks: 30_000_000_000, ProviderIds: { tmdb: "700603" } };

test("a film", async () => {
  const found = await watched(jellyfin(mediaBrowser({ items: [film] })));
  assert.deepEqual(found.media, { type: "movie", ids: { tmdb: 700603 }, title: "The Spool Keeper", year: 1999 });
});

for (const [name, server] of [
  ["of another length", mediaBrowser({ items: [{ ...film, RunTimeTicks: 1e10 }] })],
  ["with two things playing on one device", mediaBrowser({ playing: [ITEM, SERIES] })],
  ["with nothing playing", mediaBrowser({ playing: [] })],
  ["of another user", mediaBrowser({ user: "u2" })],
  ["that the server refuses", mediaBrowser({ token: "other" })],
  ["whose id would lead elsewhere", mediaBrowser({ playing: ["../../evil?x="] })],
  ["that is no JSON", { asked: [], answerTo: () => "<html>" }],
  ["without end", { asked: [], answerTo: () => `"${"x".repeat(2_000_000)}"` }],
]) {
  test(`an answer ${name} says nothing`, async () => {
    const found = await watched(jellyfin(server));
    assert.equal(found.provider, null);
    assert.equal(found.certain, false);
  });
}

test("a session for another server is not used here", async () => {
  const server = mediaBrowser();
  const place = jellyfin(server);
  place.stored.jellyfin_credentials.Servers.push({ Id: "t", UserId: "u1", AccessToken: "secret" });
  await watched(place);
  assert.equal(server.asked.length, 0);
});

const plexItems = {
  77: { ratingKey: "77", type: "episode", title: "The Long Take", grandparentTitle: "Reel Life", grandparentRatingKey: "70", parentIndex: 1, index: 2, duration: 3_000_000, Guid: [{ id: "imdb://tt7001396" }, { id: "tmdb://62085" }] },
  70: { ratingKey: "70", type: "show", title: "Reel Life", Guid: [{ id: "tmdb://701396" }, { id: "tvdb://81189" }] },
};

const plex = (entries, more = {}) => {
  const server = {
    asked: [],
    answerTo: ({ pathname }, headers) => {
      const item = plexItems[/^\/library\/metadata\/(\d+)$/.exec(pathname)?.[1]];
      return headers["X-Plex-Token"] === "secret" && item ? { MediaContainer: { Metadata: [item] } } : null;
    },
  };
  const stored = { myPlexAccessToken: "account", users: { users: [{ servers: [{ machineIdentifier: "abc123", accessToken: "secret" }] }] } };
  return { server, stored, entries, url: "http://nas.example:32400/web/index.html#!/server/abc123/details?key=%2Flibrary%2Fmetadata%2F5", ...more };
};
const timeline = (key, state = "playing", origin = "http://nas.example:32400") => `${origin}/:/timeline?ratingKey=${key}&state=${state}&time=5000`;

test("Plex says what it plays, by its own reports of progress", async () => {
  const place = plex([timeline(5), timeline(77), timeline(6, "stopped"), timeline(8, "playing", "https://evil.example")]);
  const found = await watched(place);
  assert.equal(found.provider.name, "plex");
  assert.deepEqual([found.media, found.certain], [wanted, true]);
  assert.ok(place.server.asked.every(({ href }) => href.startsWith("http://nas.example:32400/library/metadata/7")));
});

test("Plex without a report, or of another length, says nothing", async () => {
  assert.equal((await watched(plex([]))).provider, null);
  assert.equal((await watched(plex([timeline(77)], { duration: 1500 }))).provider, null);
});
