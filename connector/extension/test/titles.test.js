import assert from "node:assert/strict";
import { test } from "node:test";
import { fromImdb, fromTmdb } from "../source/identify/ids.js";
import { dated, placeIn, placeOf } from "../source/identify/titles.js";

const places = {
  "Reel Life S01E02": [1, 2, "Reel Life"],
  "Reel Life - S1:E2 - The Long Take": [1, 2, "Reel Life"],
  "Reel Life s1 e2": [1, 2, "Reel Life"],
  "Reel Life S01 Ep02": [1, 2, "Reel Life"],
  "Reel Life S1 · E12": [1, 12, "Reel Life"],
  "Reel Life 1x02 The Long Take": [1, 2, "Reel Life"],
  "Reel Life: Season 1, Episode 2 | Site": [1, 2, "Reel Life"],
  "Reel Life – Staffel 10 Folge 112": [10, 112, "Reel Life"],
  "Reel Life Saison 1 Épisode 2": [1, 2, "Reel Life"],
  "Reel Life Temporada 1 Episodio 2": [1, 2, "Reel Life"],
  "S00E05 A special": [0, 5, ""],
  "Reel Life S01E02 (1x02)": [1, 2, "Reel Life"],
  "12 Reels S01E02 - 34 Takes": [1, 2, "12 Reels"],
  "S2:F1 Der lange Schnitt": [2, 1, ""],
  "Staffel 1, F. 9 Der lange Schnitt": [1, 9, ""],
  "Der lange Schnitt (S06/E07)": [6, 7, "Der lange Schnitt"],
  "Folge 8 Staffel 2": [2, 8, ""],
  "St. 1 Flg. 2": [1, 2, ""],
  "Saison 1, ép. 1 La bobine": [1, 1, ""],
  "S1:É2 La bobine": [1, 2, ""],
  "T1:E2 La bobina": [1, 2, ""],
  "T1 E2": [1, 2, ""],
  "Temporada 1, Capítulo 2": [1, 2, ""],
  "T1 Ep.4 O rolo": [1, 4, ""],
  "T1 Ep.2: O rolo": [1, 2, ""],
  "S1: afl. 6 De spoel": [1, 6, ""],
  "Seizoen 1, afl. 2": [1, 2, ""],
  "S2:O3 Szpula": [2, 3, ""],
  "Sezon 1, odc. 2": [1, 2, ""],
  "S1:A2 Rullen": [1, 2, ""],
  "Säsong 1, avsn. 2": [1, 2, ""],
  "1. Sezon 2. Bölüm Makara": [1, 2, ""],
  "S1:B2": [1, 2, ""],
  "Sezon 1 Bölüm 2": [1, 2, ""],
  "S1：第1話「巻き取り」": [1, 1, ""],
  "シーズン1 エピソード2": [1, 2, ""],
  "シーズン1 第2話": [1, 2, ""],
  "1 сезон 2 серия": [1, 2, ""],
  "Сезон 1, серия 2": [1, 2, ""],
  "С1:С2": [1, 2, ""],
  "Ř22:D10 Cívka": [22, 10, ""],
  "시즌 1, 에피소드 1 · 릴": [1, 1, ""],
  "Ｓ１：Ｅ２": [1, 2, ""],
  "S1 E2 - 24 Takes": [1, 2, ""],
};

for (const [title, [season, episode, before]] of Object.entries(places)) {
  test(`a place: ${title}`, () => {
    const found = placeIn(title);
    assert.deepEqual([found?.season, found?.episode, found?.before], [season, episode, before]);
  });
}

for (const title of [
  "", "Reel Life", "Episode 2", "Season 1", "1920x1080", "4x4 tested", "Reel Life S01E00", "Reel Life S01E02 S01E03", "S01E02E03", "S01E02-E03",
  "E1", "F3", "Flg. 1", "Capítulo 2", "第2話", "1화", "1h 46m", "Ep. 9 · 3 Seasons", "Volume 3", "Part 2", "Book One", "S1:E1–E2", "S2:F1-F2", "S1 E2/E3 Pilot", "S1:E01/02", "S1 E2 & 3", "Season 1, Ep. 1 & 2",
  "s2:f1", "B1:A2", "T1E2", "Vitamins B1:B2", "S01E02-03", "ABS1E2", "S123456E1", "MS01E02N 3x", null, undefined, 5, {}, "Reel Life S1E2 1x03",
]) {
  test(`no place: ${String(title)}`, () => assert.equal(placeIn(title), null));
}

test("what follows a place is the episode's title", () => {
  for (const text of ["S1：第1話「巻き取り」", "S1:E2 · 巻き取り"]) assert.equal(placeIn(text)?.after, "巻き取り", text);
});

test("a text that is known to be a place", () => {
  /** @type {[string, any][]} */
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

test("a long title takes no long time", () => {
  const began = performance.now();
  for (const part of ["s1", "season ", "1x", " - ", "(1999", "s1 : e", "t1:", "1 сезон ", "第"]) {
    placeIn(part.repeat(100_000));
    placeOf(part.repeat(100_000));
    dated(part.repeat(100_000));
  }
  assert.ok(performance.now() - began < 20_000); // a pattern that backtracks takes far longer
});

test("a film and its year", () => {
  assert.deepEqual(dated("The Spool Keeper (1999) - Site"), { title: "The Spool Keeper", year: 1999 });
  for (const title of ["The Spool Keeper", "1999", "(1999)", "Keeper (12345)", "Keeper 1999", null]) assert.equal(dated(title), null);
});

test("a film that is offered to be watched has the name without the offer", () => {
  const matrix = { title: "The Matrix", year: 1999 };
  for (const title of ["Watch The Matrix (1999) online | SomeFlix", "Watch The Matrix (1999) Full Movie", "Watch The Matrix (1999) - stream in HD"]) {
    assert.deepEqual(dated(title), matrix, title);
  }
  for (const title of ["Watch Out (2019) | SomeFlix", "Watch Out (2019)", "Watch Out (2019) | Films online"]) {
    assert.deepEqual(dated(title), { title: "Watch Out", year: 2019 }, title);
  }
});

test("addresses of themoviedb.org", () => {
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
});

test("addresses of imdb.com", () => {
  assert.equal(fromImdb("https://www.imdb.com/title/tt0133093/?ref_=x"), "tt0133093");
  assert.equal(fromImdb("https://m.imdb.com/de/title/tt0133093"), "tt0133093");
  for (const href of ["https://www.imdb.com/name/nm0000206/", "https://imdb.com.evil.example/title/tt1/", "https://www.imdb.com/title/tt1x", null]) {
    assert.equal(fromImdb(href), null, String(href));
  }
});
