/** What is remembered, and for what it is the answer again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerFor, mediaOf, pageKey, recalled, usable } from "../source/background/known.js";

const host = "films.example";
const film = { type: "movie", ids: { tmdb: 603 }, title: "The Matrix" };
const show = (season, episode) => ({ type: "episode", show: { ids: { tmdb: 1396 } }, season, episode });
const placed = (season, episode, more = {}) => ({ kind: "episode", title: "Breaking Bad", season, episode, ...more });

/** Whether an answer about one thing is the answer to another. */
function again(evidence, media, other, page = "p", duration = 3600) {
  const answer = answerFor({ host, evidence, page, duration }, media, "x");
  if (!answer) return null;
  const where = { host, evidence: other.evidence ?? evidence, page: other.page ?? page, duration: other.duration ?? duration };
  const found = recalled({ [answer.key]: answer.value }, { ...where, ...(other.host && { host: other.host }) });
  return found && mediaOf(found.answer, where.evidence);
}

test("a series is known by its name, for all its episodes and for no film", () => {
  const other = (evidence, more = {}) => again(placed(1, 2), show(1, 2), { evidence, page: "q", ...more });
  assert.deepEqual(other(placed(2, 3)), show(2, 3));
  assert.equal(other(placed(2, 3, { title: "Better Call Saul" })), null);
  assert.equal(other({ kind: "movie", title: "Breaking Bad" }), null);
  assert.equal(other({ kind: "episode", title: "Breaking Bad" }), null);
  assert.equal(other(placed(2, 3), { host: "other.example" }), null);
});

test("an episode that counts otherwise on its page is known by the page alone", () => {
  assert.equal(again(placed(1, 2), show(3, 4), { evidence: placed(1, 3), page: "q" }), null);
  assert.deepEqual(again(placed(1, 2), show(3, 4), {}), show(3, 4));
});

test("a film is known by its name and year; without a year by its length, too", () => {
  const dated = { title: "The Matrix", year: 1999 };
  assert.deepEqual(again(dated, film, { page: "q", duration: 5 }), film);
  assert.deepEqual(again({ ...dated, kind: "movie" }, film, { page: "q" }), film);
  assert.equal(again(dated, film, { evidence: { ...dated, year: 2021 }, page: "q" }), null);
  const undated = { kind: "movie", title: "Dune" };
  assert.deepEqual(again(undated, film, { page: "q", duration: 3601 }), film);
  assert.equal(again(undated, film, { page: "q", duration: 4000 }), null, "another film of that name");
});

test("the daemon is told by which name; not of what has no name, or no year", () => {
  const told = (evidence, media) => answerFor({ host, evidence, page: "p", duration: 1 }, media, "x")?.value.told;
  assert.deepEqual(told(placed(1, 2), show(1, 2)), { type: "episode", show: { title: "Breaking Bad" } });
  assert.deepEqual(told({ title: "The Matrix", year: 1999 }, film), { type: "movie", title: "The Matrix", year: 1999 });
  for (const [evidence, media] of [[{ kind: "movie", title: "Dune" }, film], [placed(1, 2), show(3, 4)], [{}, film], [{ kind: "episode", title: "Breaking Bad" }, show(1, 2)]]) {
    assert.equal(told(evidence, media), undefined, JSON.stringify(evidence));
  }
});

test("the site's own number goes before the name, and is enough without one", () => {
  const at = (season, episode, series, title) => placed(season, episode, { title, site: { name: "films", title: `e${episode}`, series } });
  const other = (evidence, more = {}) => again(at(1, 2, "77", "Show Red"), show(1, 2), { evidence, page: "q", ...more });
  assert.deepEqual(other(at(2, 3, "77")), show(2, 3), "without a name");
  assert.deepEqual(other(at(2, 3, "77", "Rot")), show(2, 3), "by another name");
  assert.equal(other(at(2, 3, "78", "Show Red")), null, "another of that name");
  assert.equal(other({ kind: "movie", site: { name: "films", title: "77" } }), null, "a film");
  assert.equal(other(at(2, 3, "77"), { host: "other.example" }), null);
  assert.deepEqual(again(placed(1, 2), show(1, 2), { evidence: at(2, 3, "77", "Breaking Bad"), page: "q" }), show(2, 3), "what was said of the name holds");
  const untitled = { kind: "movie", site: { name: "films", title: "80" } };
  assert.deepEqual(again(untitled, film, { page: "q", duration: 5 }), film);
  assert.equal(again(untitled, film, { evidence: { ...untitled, site: { name: "films", title: "81" } }, page: "q" }), null);
  const told = (evidence, media) => answerFor({ host, evidence, page: "p", duration: 1 }, media, "x")?.value.told;
  assert.deepEqual(told(untitled, film), { type: "movie", site: untitled.site });
  assert.deepEqual(told({ ...untitled, title: "Dune" }, film), { type: "movie", site: untitled.site }, "a name without a year names too many");
  const { site } = at(1, 2, "77");
  assert.deepEqual(told(at(1, 2, "77"), show(1, 2)), { type: "episode", site });
  assert.deepEqual(told(at(1, 2, "77", "Show Red"), show(1, 2)), { type: "episode", show: { title: "Show Red" }, site });
});

test("what has no name is known by its page and length", () => {
  assert.deepEqual(again({}, film, {}), film);
  assert.deepEqual(again({}, show(1, 2), {}), show(1, 2));
  assert.equal(again({}, film, { page: "q" }), null);
  assert.equal(again({}, film, { duration: 3700 }), null);
  assert.equal(again({}, film, { evidence: placed(1, 2) }), null, "a film is no episode");
  assert.equal(again({}, { type: "movie", ids: { imdb: "tt0133093" } }, {}), null, "only what names it for certain");
});

test("a page is the same only if all that it says is", () => {
  const page = { url: "https://films.example/watch?id=5", host, title: "Player", evidence: { mediaSession: { title: "One" } } };
  const key = pageKey(page);
  for (const same of [{ url: `${page.url}&t=90&utm_source=x#top` }, { title: "(3) Player" }]) assert.equal(pageKey({ ...page, ...same }), key);
  for (const other of [{ url: "https://films.example/watch?id=6" }, { url: `${page.url}#/2` }, { title: "Other" }, { evidence: { mediaSession: { title: "Two" } } }, { host: "a" }]) {
    assert.notEqual(pageKey({ ...page, ...other }), key, JSON.stringify(other));
  }
  assert.equal(pageKey({ ...page, url: "no address" }), undefined);
});

test("what has no kind cannot be used", () => {
  const kept = { a: { tmdb: 603, title: "x" }, b: { kind: "movie", tmdb: 603, title: "" }, c: null, d: { kind: "tv", tmdb: "5" } };
  assert.deepEqual(Object.keys(usable(kept)), ["b"]);
  for (const odd of [undefined, null, 5, "x"]) assert.deepEqual(usable(odd), {});
});
