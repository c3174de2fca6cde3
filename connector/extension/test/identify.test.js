/** Pages as they are, through the content script's eyes, to what they say. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { identify } from "../source/identify/index.js";
import { withParentPage } from "../source/identify/parent-page.js";
import { serversFor } from "../source/sites/index.js";
import { Screening } from "./screening.js";

/** What the content script sends of a page, and a session it may hold. */
async function seen(html, url, { mediaSession, provider } = {}) {
  const before = (window) => {
    if (mediaSession) Object.defineProperty(window.navigator, "mediaSession", { value: { metadata: mediaSession } });
  };
  const screening = new Screening({ html, url, before });
  const page = structuredClone(await screening.ask({ kind: "page" }));
  screening.close();
  if (provider) page.evidence.provider = provider;
  return page;
}

test("a server of one's own is known by its path alone, and no other page is", () => {
  for (const path of ["web/", "web/index.html", "films/web/"]) assert.deepEqual(serversFor(`http://192.168.1.9:32400/${path}`), ["emby", "jellyfin", "plex"], path);
  for (const url of ["https://example.org/films/3", "http://nas.example/webs/", "https://www.netflix.com/web/", "web/"]) assert.deepEqual(serversFor(url), [], url);
});

const fixture = (name) => readFileSync(new URL(`fixtures/${name}.html`, import.meta.url), "utf8");
const reel = { type: "episode", show: { ids: { tmdb: 701396 }, title: "Reel Life" }, season: 1, episode: 2 };

const pages = [
  {
    name: "themoviedb: the address of a film, whatever it links to",
    page: "themoviedb", url: "https://www.themoviedb.org/movie/700603-the-spool-keeper?language=de",
    media: { type: "movie", ids: { tmdb: 700603 }, title: "The Spool Keeper", year: 1999 }, certain: true,
  },
  {
    name: "imdb: a film, by imdb's id alone",
    page: "imdb-film", url: "https://www.imdb.com/title/tt7000603/",
    media: { type: "movie", ids: { imdb: "tt7000603" }, title: "The Spool Keeper", year: 1999 }, certain: false,
  },
  {
    name: "imdb: an episode, by imdb's id alone",
    page: "imdb-episode", url: "https://www.imdb.com/title/tt7001396/",
    media: { type: "episode", ids: { imdb: "tt7001396" }, title: "The Long Take" }, certain: false,
  },
  {
    name: "any page: JSON-LD in a graph, the series by sameAs",
    page: "series-page", url: "https://films.example/watch/77",
    media: { ...reel, show: { ids: { tmdb: 701396, imdb: "tt7001000" }, title: "Reel Life" }, title: "The Long Take" }, certain: true,
  },
  {
    name: "any page: a title in words",
    page: "titles-only", url: "https://mediathek.example/v/1",
    media: { type: "episode", show: { title: "Leben auf Rolle" }, season: 1, episode: 2 }, certain: false,
  },
  {
    name: "any page: one link to themoviedb",
    page: "one-link", url: "https://club.example/tonight",
    media: { type: "movie", ids: { tmdb: 700603 } }, certain: true,
  },
  { name: "any page: a list of films says nothing", page: "browse", url: "https://films.example/", media: null, certain: false },
  { name: "a page that wants to harm", page: "hostile", url: "https://evil.example/", media: null, certain: false },
];

for (const { name, page, url, media, certain } of pages) {
  test(name, async () => {
    const found = identify(await seen(fixture(page), url));
    assert.deepEqual(found.media, media);
    assert.equal(found.certain, certain);
  });
}

const film = '<script type="application/ld+json">{"@type":"Movie","name":"The Spool Keeper","sameAs":"https://www.themoviedb.org/movie/700603"}</script>';
const link = (path) => `<a href="https://www.themoviedb.org/${path}">x</a>`;

const contradictions = [
  ["a link to a series beside a film", `${film.replace(/,"sameAs[^}]*/, "")}${link("tv/701396/season/1/episode/2")}`],
  ["a link to a film beside an episode's title", `<title>Reel Life S01E02</title>${link("movie/700603")}`],
  ["sameAs and data-tmdb-id that differ", `${film}<body data-tmdb-id="5" data-tmdb-type="movie">`],
  ["two seasons", `<title>Reel Life S01E02</title>${link("tv/701396/season/2/episode/2")}`],
  ["two films described", `${film}${film.replace("700603", "700604")}`],
  ["two films linked", link("movie/1") + link("movie/2")],
  ["a series linked, and no episode told", `<title>Reel Life</title>${link("tv/701396")}`],
  ["episodes of one series linked, and none told", link("tv/701396/season/1/episode/1") + link("tv/701396/season/1/episode/2")],
  ["a number without its kind", '<body data-tmdb-id="603">'],
  ["a double episode", `<title>Reel Life S01E02-E03</title>${link("tv/701396")}`],
];

for (const [name, html] of contradictions) {
  test(`not certain: ${name}`, async () => {
    const { certain, media } = identify(await seen(html, "https://films.example/watch/1"));
    assert.equal(certain, false);
    assert.equal(media?.ids?.tmdb, undefined);
    assert.equal(media?.show?.ids?.tmdb, undefined);
  });
}

test("of several described, the one whose page this is", async () => {
  const at = (id) => `<script type="application/ld+json">{"@type":"Movie","name":"F${id}","url":"https://films.example/${id}","sameAs":"https://www.themoviedb.org/movie/${id}"}</script>`;
  const { media, certain } = identify(await seen(at(1) + at(2), "https://films.example/2?from=home"));
  assert.deepEqual([media.ids.tmdb, certain], [2, true]);
});

const described = (object) => `<script type="application/ld+json">${JSON.stringify(object)}</script>`;
const place = async (object, url = "https://films.example/watch/2") => {
  const { media } = identify(await seen(described(object), url));
  return media && [media.show?.title, media.season, media.episode];
};

test("a season that is told by its number alone", async () => {
  const object = { "@type": "TVEpisode", episodeNumber: 2, partOfSeries: { name: "Reel Life" } };
  assert.deepEqual(await place({ ...object, partOfSeason: 3 }), ["Reel Life", 3, 2]);
  assert.deepEqual(await place({ ...object, partOfSeason: "3" }), ["Reel Life", 3, 2]);
  assert.equal(await place({ ...object, partOfSeason: "three" }), null);
});

test("a series with one season and one episode describes that episode; a list of them describes none", async () => {
  const episode = (number, more = {}) => ({ "@type": "TVEpisode", name: "The Long Take", episodeNumber: number, ...more });
  const series = (...episodes) => ({ "@type": "TVSeries", name: "Reel Life", containsSeason: [{ "@type": "TVSeason", seasonNumber: 3, episode: episodes }] });
  const told = ["Reel Life", 3, 2];
  assert.deepEqual(await place(series(episode(2))), told);
  assert.deepEqual(await place(series(episode(2, { url: "/watch/2" }))), told);
  assert.deepEqual(await place({ ...series(episode(2)), containsSeason: { seasonNumber: "3", episode: episode(2) } }), told);
  assert.equal(await place(series(episode(2, { url: "/watch/1" }))), null, "another page's episode");
  assert.equal(await place(series(episode(2), episode(3))), null);
  assert.equal(await place(series()), null);
  const { containsSeason: [season] } = series(episode(2));
  assert.equal(await place({ ...series(), containsSeason: [season, { ...season, seasonNumber: 4 }] }), null);
});

test("how long the page says that it lasts", () => {
  const { jsonld } = new Screening({ files: ["content/bounds.js", "content/jsonld.js"] }).window.filmspool;
  const seconds = (...durations) => {
    const { document } = new Screening({ html: durations.map((duration) => described({ "@type": "Movie", duration })).join("") });
    return jsonld.seconds(jsonld.read(document, "page"));
  };
  const lengths = { PT1H30M: 5400, PT45M: 2700, PT2580S: 2580, P0DT0H43M20S: 2600, "PT43M20.5S": 2600 };
  for (const [told, expected] of Object.entries(lengths)) assert.equal(seconds(told), expected, told);
  for (const told of ["", "PT", "45 min", "PT-5M", "PT0S", 45, null, {}, "P1Y"]) assert.equal(seconds(told), NaN, String(told));
  assert.equal(seconds("PT45M", "PT45M"), 2700);
  assert.equal(seconds("PT45M", "PT2M"), NaN, "which of the two plays?");
});

test("on a site with a rule, nothing but the rule speaks, also where it has read nothing", () => {
  const page = {
    id: "1", url: "https://www.netflix.com/watch/5", host: "www.netflix.com", title: "Reel Life S01E02",
    evidence: { jsonld: [{ type: "Movie", name: "The Spool Keeper", refs: ["https://www.themoviedb.org/movie/700603"] }], links: ["https://www.themoviedb.org/movie/700603"],
      attributes: { tmdbId: "700603", tmdbType: "movie" }, mediaSession: { title: "Reel Life S01E02" } },
  };
  const read = { name: "netflix", numbers: { title: "5" }, said: [] };
  assert.deepEqual(identify(page), { media: null, certain: false, evidence: {} });
  assert.deepEqual(identify({ ...page, evidence: { ...page.evidence, site: read } }), { media: null, certain: false, evidence: { site: { name: "netflix", title: "5" } } });
  const framed = { ...page, frameUrl: "https://player.example/" };
  assert.equal(identify(framed).evidence.kind, "movie", "the player of another site in a frame");
});

test("the media session tells series and episode", async () => {
  const mediaSession = { title: "S1 E2 · The Long Take", artist: "Reel Life", album: "" };
  const found = identify(await seen("<title>Player</title>", "https://films.example/", { mediaSession }));
  assert.deepEqual(found.media, { type: "episode", show: { title: "Reel Life" }, season: 1, episode: 2 });
  assert.deepEqual(found.evidence, { kind: "episode", title: "Reel Life", season: 1, episode: 2 });
});

test("a frame of another site is named by the page around it", async () => {
  const page = await seen(fixture("series-page"), "https://films.example/watch/77");
  const frame = { ...(await seen("<title>player</title>", "https://player.example/embed/9")), id: "x" };
  const joined = withParentPage(frame, page);
  assert.equal(joined.host, "films.example");
  assert.equal(joined.frameUrl, "https://player.example/embed/9");
  assert.equal(identify(joined).certain, true);
  assert.equal(identify(frame).media, null);
  for (const odd of [null, undefined, {}, { url: 1, host: 2 }, { url: "https://a.example/", host: "a", evidence: { links: 5, jsonld: {} } }]) {
    assert.doesNotThrow(() => identify(withParentPage(frame, odd)));
  }
});

test("what the rule of the frame's site has read stays known", () => {
  const site = { name: "tubi", kind: "movie", numbers: { film: "900100" }, said: [{ film: "The Long Take", year: "1999" }] };
  const bare = { links: [], attributes: {} };
  const frame = { id: "x", url: "https://tubitv.com/movies/900100", host: "tubitv.com", title: "", evidence: { ...bare, site } };
  const page = { url: "https://films.example/watch/77", host: "films.example", title: "Another name", evidence: { ...bare, site: { name: "netflix", numbers: {}, said: [] } } };
  const { evidence } = identify(withParentPage(frame, page));
  assert.deepEqual(evidence, { kind: "movie", title: "The Long Take", year: 1999, site: { name: "tubi", title: "900100" } });
  assert.equal("site" in withParentPage({ ...frame, evidence: bare }, page).evidence, false, "the page's own rule has read no video of the frame");
});

test("what a page leaves standing of the page before is not its own", async () => {
  const screening = new Screening({ html: fixture("series-page"), url: "https://films.example/watch/77" });
  const ask = async () => identify(structuredClone(await screening.ask({ kind: "page" })));
  assert.equal((await ask()).certain, true);
  screening.window.history.pushState(null, "", "/watch/78");
  for (let times = 0; times < 2; times++) assert.deepEqual(await ask(), { media: null, certain: false, evidence: {} });
  const script = screening.document.querySelector("script");
  script.textContent = script.textContent.replace('"2"', '"3"');
  assert.equal((await ask()).media.episode, 3);
  screening.close();
});

test("evidence stays small, whatever the page holds", async () => {
  const big = "x".repeat(100_000);
  const scripts = Array.from({ length: 60 }, (_, at) => `<script type="application/ld+json">${JSON.stringify({
    "@type": "Movie", name: big, sameAs: Array(500).fill(`https://a.example/${at}`), datePublished: big, partOfSeries: { name: big },
  })}</script>`);
  const links = Array.from({ length: 500 }, (_, at) => link(`movie/${at + 1}`));
  const page = await seen(`<title>${big}</title>${scripts.join("")}${links.join("")}`, "https://films.example/");
  const { length } = JSON.stringify(page);
  assert.ok(length < 20_000, `${length} characters`);
  assert.equal(page.evidence.links.length, 20);
  assert.equal(identify(page).certain, false);
});

test("nonsense from a content script is nothing, and does no harm", () => {
  const odd = [null, undefined, 5, "x", [], {}, { jsonld: [null, 5, { type: "Movie", name: {} }] }, { links: [null, 3, {}] },
    { provider: 5 }, { provider: { type: "movie", tmdb: -1, imdb: "tt" } }, { attributes: "x" }, { mediaSession: 5 },
    { jsonld: { length: 1e9 } }, { site: { name: "toString", said: [{ name: "x" }] } },
    { provider: { type: "episode", season: "1; 2", episode: NaN, seriesTmdb: 1e300 } },
    { site: { name: "netflix", numbers: { title: "a b", film: 5 }, said: [null, 5, "x", { name: 5, place: {}, kind: "x" }] } }];
  for (const evidence of odd) {
    const { certain, media } = identify({ url: "https://x.example/", host: "x.example", title: "", evidence });
    assert.equal(certain, false);
    assert.ok(media === null || media.ids === undefined);
  }
  for (const page of [null, {}, { url: 5, host: {}, title: [] }]) assert.equal(identify(page).media, null);
});
