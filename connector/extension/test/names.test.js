/** What a card is called, and every name that was seen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { identified, watched } from "../source/background/events.js";
import { identify } from "../source/identify/index.js";
import { isEmptyName, seen } from "../source/identify/names.js";

const nothing = { jsonld: [], mediaSession: null, links: [], attributes: {}, provider: null, headings: [] };

/** @param {{host?: string, title?: string}} page @param {object} [evidence] */
function look({ host = "films.example", title = "" }, evidence = {}) {
  const page = { url: `https://${host}/watch/1`, host, title, evidence: { ...nothing, ...evidence } };
  return seen(/** @type {any} */ (page), identify(page, {}));
}

/** @type {[string, {host?: string, title?: string}, object, string][]} */
const BEST = [
  ["the site's name is the last resort", { host: "www.netflix.com", title: "Netflix" }, {}, "Netflix"],
  ["a heading beats the site's name", { host: "www.netflix.com", title: "Netflix" }, { headings: ["Stranger Things"] }, "Stranger Things"],
  ["the site's name in two words", { host: "play.hbomax.com", title: "HBO Max" }, { headings: ["HBO Max", "Dune"] }, "Dune"],
  ["the site's name is cut off", { host: "www.primevideo.com", title: "The Boys - Season 1 | Prime Video" }, {}, "The Boys – Season 1"],
  ["a count of news is cut off", { host: "www.youtube.com", title: "(3) A long talk - YouTube" }, {}, "A long talk"],
  ["series and episode of a media session", { title: "C Media" }, { mediaSession: { title: "...And the Bag", artist: "Breaking Bad", album: "Season 1" } }, "Breaking Bad: ...And the Bag"],
  ["series and episode of a description without numbers", { host: "tv.apple.com", title: "Apple TV" },
    { jsonld: [{ type: "TVEpisode", name: "In the Dark Night", series: { name: "The Morning Show" } }] }, "The Morning Show: In the Dark Night"],
  ["an episode by its numbers", { title: "Reel Life S01E02" }, { headings: ["Welcome"] }, "Reel Life S01E02"],
  ["a film with its year", { title: "x" }, { jsonld: [{ type: "Movie", name: "Fight Club", date: "1999" }] }, "Fight Club (1999)"],
  ["a dated title", { title: "The Matrix (1999)" }, { headings: ["The Matrix (1999)"] }, "The Matrix (1999)"],
  ["what stands anywhere on the page comes after its title", { title: "Reel Life" }, { mentions: ["More like this"] }, "Reel Life"],
  ["what stands anywhere on the page beats the site's name", { host: "www.netflix.com", title: "Netflix" }, { mentions: ["Netflix", "Stranger Things"] }, "Stranger Things"],
  ["a page without any name", { host: "films.example", title: "" }, {}, "films.example"],
  ["a part without its whole", { title: "Reel Life" }, { headings: ["Episode 3"] }, "Reel Life"],
];
for (const [what, page, evidence, title] of BEST) {
  test(`the heading of a card: ${what}`, () => assert.equal(look(page, evidence).title, title));
}

test("every name is kept, each once, with where it stood", () => {
  const evidence = {
    mediaSession: { title: "Cat's in the Bag...", artist: "Breaking Bad", album: "Season 1" },
    jsonld: [{ type: "VideoObject", name: "A clip" }, { type: "TVEpisode", name: "cat's in the bag...", series: { name: "Breaking Bad" } }, 5, null, { name: 7 }],
    headings: ["Watch now", ""],
    mentions: ["More like this", "C media"],
  };
  const { names, guess } = look({ title: "C Media" }, evidence);
  assert.deepEqual(names.map(({ from, text }) => `${from} ${text}`),
    ["session Cat's in the Bag...", "artist Breaking Bad", "album Season 1", "described A clip", "heading Watch now", "title C Media", "mention More like this"]);
  assert.deepEqual(guess, { series: "Breaking Bad", season: 1, title: "Cat's in the Bag..." });
});

test("what a media server says of it is a name, too", () => {
  const { names } = look({ title: "Jellyfin" }, { provider: { type: "episode", title: "Pilot", seriesTitle: "Breaking Bad", season: 1, episode: 1 } });
  assert.deepEqual(names.map(({ from, text }) => `${from} ${text}`), ["described Pilot", "series Breaking Bad", "title Jellyfin"]);
});

test("artist and album are proposed and never taken for certain", () => {
  const session = (/** @type {string} */ artist, /** @type {string} */ album) => ({ mediaSession: { title: "x", artist, album } });
  assert.equal(look({}, session("A band", "Their album")).guess, undefined);
  assert.equal(look({}, session("", "Season 1")).guess, undefined);
  assert.deepEqual(look({}, session("Staffel 4", "Leben auf Rolle")).guess, { series: "Leben auf Rolle", season: 4, title: "x" });
  const page = { url: "https://films.example/1", host: "films.example", title: "", evidence: { ...nothing, ...session("Breaking Bad", "Season 1") } };
  const { certain, media, evidence } = identify(page, {});
  assert.deepEqual([certain, media, evidence.season], [false, null, undefined]);
});

test("what names only the site, or nothing", () => {
  for (const [text, host] of [["Netflix", "www.netflix.com"], ["Disney+", "www.disneyplus.com"], ["Max", "play.hbomax.com"], ["Apple TV", "tv.apple.com"], ["Player", "a.example"], ["", "a.example"], ["Season 2", "a.example"], ["...", "a.example"]]) {
    assert.equal(isEmptyName(text, host), true, text);
  }
  for (const [text, host] of [["Up", "www.netflix.com"], ["The Matrix", "films.example"], ["Dune: Part Two", "play.hbomax.com"], ["1917", "a.example"]]) assert.equal(isEmptyName(text, host), false, text);
});

test("odd pages harm nothing", () => {
  for (const evidence of [{}, { jsonld: "x", headings: 5, mediaSession: "y" }, { jsonld: [null, "x", { series: 5 }], headings: [{}, "ok"] }]) {
    assert.equal(typeof seen(/** @type {any} */ ({ host: "a.example", title: "t", evidence }), { media: null, certain: false, evidence: {} }).title, "string");
  }
});

/** The event of a sitting whose page was not identified. @param {{host: string, title: string}} page @param {object} [of] */
function unknown({ host, title }, { evidence = {}, about = {} } = {}) {
  const sitting = { id: "00000000-0000-4000-8000-000000000001", url: `https://${host}/watch/1`, host, title, at: "2026-03-01T20:15:00Z", position: 1, duration: 1, played: 1, evidence: { ...nothing, ...evidence } };
  const none = { media: null, certain: false, evidence: about };
  return watched(/** @type {any} */ (sitting), /** @type {any} */ (none), { askUnknown: true }, seen(/** @type {any} */ (sitting), /** @type {any} */ (none)));
}

test("a page that names only itself and the site: the service is not asked, and the answer gets no name", () => {
  for (const [title, host] of [["Watch | Netflix", "www.netflix.com"], ["(3) Netflix", "www.netflix.com"], ["Home - Disney+", "www.disneyplus.com"], ["Now playing – Plex", "app.plex.tv"], ["Netflix", "www.netflix.com"]]) {
    const event = unknown({ title, host });
    assert.equal(event.ask, undefined, title);
    assert.equal(identified(event, { type: "movie", ids: { tmdb: 1 } }).message.media.title, undefined, title);
  }
  const event = unknown({ title: "Fargo | Netflix", host: "www.netflix.com" });
  assert.deepEqual(event.ask, { media: { type: "movie", title: "Fargo" }, at: 0, tries: 0, open: true });
  assert.equal(identified(event, { type: "movie", ids: { tmdb: 1 } }).message.media.title, "Fargo");
});

test("what a page describes itself as may name nothing either: the next name is asked by", () => {
  const netflix = { host: "www.netflix.com", title: "Netflix" };
  for (const [what, of] of Object.entries({ described: { about: { title: "Watch" } }, "with the site": { about: { title: "Watch | Netflix" } } })) {
    assert.equal(unknown(netflix, of).ask, undefined, what);
  }
  const fargo = { evidence: { mediaSession: { title: "x", artist: "Fargo", album: "Season 1" } }, about: { title: "Watch" } };
  assert.equal(unknown(netflix, fargo).ask?.media.title, "Fargo");
});
