/** Seasons and episodes in the words and signs of titles; addresses that name a film. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromImdb, fromTmdb } from "../source/identify/ids.js";
import { dated, placeIn, placeOf, withoutSeason } from "../source/identify/titles.js";

/** A place, and titles that tell it. @type {[number, number, string[]][]} */
const PLACES = [
  [1, 2, [
    "Reel Life S01E02", "Reel Life - S1:E2 - The Long Take", "Reel Life s1 e2", "Reel Life S01 Ep02", "Reel Life 1x02 The Long Take", "Reel Life: Season 1, Episode 2 | Site",
    "Reel Life S01E02 (1x02)", "12 Reels S01E02 - 34 Takes", "S1 E2 - 24 Takes", "Ｓ１：Ｅ２", "St. 1 Flg. 2", "Reel Life Saison 1 Épisode 2", "S1:É2 La bobine", "T1:E2 La bobina", "T1 E2",
    "Temporada 1, Capítulo 2", "Reel Life Temporada 1 Episodio 2", "T1 Ep.2: O rolo", "Seizoen 1, afl. 2", "Sezon 1, odc. 2", "S1:A2 Rullen", "Säsong 1, avsn. 2", "1. Sezon 2. Bölüm Makara",
    "S1:B2", "Sezon 1 Bölüm 2", "シーズン1 エピソード2", "シーズン1 第2話", "1 сезон 2 серия", "Сезон 1, серия 2", "С1:С2", "Cyfres 1: Pennod 2",
  ]],
  [1, 12, ["Reel Life S1 · E12"]], [10, 112, ["Reel Life – Staffel 10 Folge 112"]], [0, 5, ["S00E05 A special"]], [2, 1, ["S2:F1 Der lange Schnitt"]], [1, 9, ["Staffel 1, F. 9 Der lange Schnitt"]],
  [6, 7, ["Der lange Schnitt (S06/E07)"]], [2, 8, ["Folge 8 Staffel 2"]], [1, 4, ["T1 Ep.4 O rolo"]], [1, 6, ["S1: afl. 6 De spoel"]], [2, 3, ["S2:O3 Szpula"]],
  [1, 1, ["Saison 1, ép. 1 La bobine", "S1：第1話「巻き取り」", "시즌 1, 에피소드 1 · 릴"]], [22, 10, ["Ř22:D10 Cívka"]],
];
const NONE = [
  "", "Reel Life", "Episode 2", "Season 1", "1920x1080", "4x4 tested", "Reel Life S01E00", "Reel Life S01E02 S01E03", "S01E02E03", "S01E02-E03", "E1", "F3", "Flg. 1", "Capítulo 2", "第2話", "1화",
  "1h 46m", "Ep. 9 · 3 Seasons", "Volume 3", "Part 2", "Book One", "S1:E1–E2", "S2:F1-F2", "S1 E2/E3 Pilot", "S1:E01/02", "S1 E2 & 3", "Season 1, Ep. 1 & 2", "s2:f1", "B1:A2", "T1E2",
  "Vitamins B1:B2", "S01E02-03", "ABS1E2", "S123456E1", "MS01E02N 3x", null, undefined, 5, {}, "Reel Life S1E2 1x03",
];

test("a place in a title, and none where it tells none or two", () => {
  for (const [season, episode, titles] of PLACES) {
    for (const title of titles) {
      const found = placeIn(title);
      assert.deepEqual([found?.season, found?.episode], [season, episode], title);
      if (/^(12 )?Reel/.test(title)) assert.match(found.before, /^(12 Reels|Reel Life)$/, title);
    }
  }
  for (const title of NONE) assert.equal(placeIn(title), null, String(title));
  for (const text of ["S1：第1話「巻き取り」", "S1:E2 · 巻き取り"]) assert.equal(placeIn(text)?.after, "巻き取り", text);
});

test("a text that is known to be a place", () => {
  const cases = [
    ["S2:F1 Der lange Schnitt", [2, 1, "Der lange Schnitt"]], ["R2:J3 Takes", [2, 3, "Takes"]], ["E1", [undefined, 1, ""]], ["F3", [undefined, 3, ""]],
    ["Flg. 1", [undefined, 1, ""]], ["1화", [undefined, 1, ""]], ["5화: 5화", [undefined, 5, "5화"]], ["Episode 5", [undefined, 5, ""]],
    ["E3 - Takes", [undefined, 3, "Takes"]], ["B3", [undefined, 3, ""]], ["第2話", [undefined, 2, ""]], ["Capítulo 2", [undefined, 2, ""]],
    ["2. Bölüm Makara", [undefined, 2, "Makara"]],
  ];
  for (const [text, [season, episode, after]] of cases) {
    const found = placeOf(text);
    assert.deepEqual([found?.season, found?.episode, found?.after], [season, episode, after], text);
  }
  for (const text of ["1h 46m", "Volume 3", "Part 2", "Book One", "E1–E2", "S1:E1–E2", "3 Seasons", "Home", "S1:E2 S1:E3", "2024", "E1E2"]) assert.equal(placeOf(text), null, text);
});

test("a series has its name without the season and the version", () => {
  for (const name of ["Die Spule - Staffel 2 [dt./OV]", "Die Spule, Season 2", "Die Spule [OV]", "Die Spule (Saison 2)", "Die Spule シーズン2", "Die Spule"]) assert.equal(withoutSeason(name), "Die Spule", name);
  for (const name of ["Season 2", "[OV]", "Area 51", "Season of 2"]) assert.equal(withoutSeason(name), name);
});

test("a film and its year, without the offer to watch it", () => {
  assert.deepEqual(dated("The Spool Keeper (1999) - Site"), { title: "The Spool Keeper", year: 1999 });
  for (const title of ["The Spool Keeper", "1999", "(1999)", "Keeper (12345)", "Keeper 1999", null]) assert.equal(dated(title), null);
  const offered = ["Watch The Matrix (1999) online | SomeFlix", "Watch The Matrix (1999) Full Movie", "Watch The Matrix (1999) - stream in HD"];
  for (const title of offered) assert.deepEqual(dated(title), { title: "The Matrix", year: 1999 }, title);
  for (const title of ["Watch Out (2019) | SomeFlix", "Watch Out (2019)", "Watch Out (2019) | Films online"]) assert.deepEqual(dated(title), { title: "Watch Out", year: 2019 }, title);
});

test("addresses of themoviedb.org and imdb.com", () => {
  const cases = {
    "https://www.themoviedb.org/movie/603": { kind: "movie", tmdb: 603 },
    "http://themoviedb.org/movie/603-the-matrix/cast?language=de#x": { kind: "movie", tmdb: 603 },
    "https://www.themoviedb.org/tv/1396": { kind: "tv", tmdb: 1396 },
    "https://www.themoviedb.org/tv/1396-breaking-bad/season/1": { kind: "tv", tmdb: 1396, season: 1, episode: undefined },
    "https://www.themoviedb.org/tv/1396/season/0/episode/2/": { kind: "tv", tmdb: 1396, season: 0, episode: 2 },
  };
  for (const [href, expected] of Object.entries(cases)) assert.deepEqual(fromTmdb(href), expected, href);
  for (const href of [
    "https://www.themoviedb.org/person/603", "https://www.themoviedb.org/movie/", "https://www.themoviedb.org/movie/x603",
    "https://www.themoviedb.org/movie/0", "https://www.themoviedb.org/movie/603abc", "https://themoviedb.org.evil.example/movie/603",
    "https://evil.example/www.themoviedb.org/movie/603", "ftp://www.themoviedb.org/movie/603", "movie/603", "", null, 603,
    "https://www.themoviedb.org/movie/9007199254740993",
  ]) assert.equal(fromTmdb(href), null, String(href));
  assert.equal(fromImdb("https://www.imdb.com/title/tt0133093/?ref_=x"), "tt0133093");
  assert.equal(fromImdb("https://m.imdb.com/de/title/tt0133093"), "tt0133093");
  for (const href of ["https://www.imdb.com/name/nm0000206/", "https://imdb.com.evil.example/title/tt1/", "https://www.imdb.com/title/tt1x", null]) {
    assert.equal(fromImdb(href), null, String(href));
  }
});
