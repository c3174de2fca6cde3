/** How words are read by a rule, bound to what plays, and judged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "../source/identify/index.js";
import { fromSite } from "../source/identify/site.js";
import { Screening, answer } from "./screening.js";

const RULE = {
  name: "netflix",
  watch: [{ path: "^/film/(?<title>\\d+)" }],
  upNext: ".next",
  ad: ".ad",
  video: { is: ".player", not: ".preview" },
  say: [{ from: "page", name: ".name", place: ".place", alone: "movie" }],
  bind: "address",
  numbers: "site",
};
const words = (name, place) => `<p class=name>${name}</p><p class=place>${place}</p>`;

/** @param {string} name @param {(screening: Screening, film: import("./screening.js").Film) => Promise<void>} run @param {any} [how] */
function screened(name, run, { rule = {}, html = words("Reel Life", "S1:E2 Leader") } = {}) {
  test(name, async () => {
    const site = { ...RULE, ...rule };
    const screening = new Screening({
      html: `<!doctype html><title>A page</title><div class=player><video id=film></video><div id=words>${html}</div></div>`,
      answers: (message) => (message.kind === "session" ? { ...answer(message), site } : answer(message)),
    });
    const film = screening.film({ element: screening.document.querySelector("#film"), into: screening.document.querySelector(".player") });
    try {
      await run(screening, film);
    } finally {
      screening.close();
    }
  });
}

const put = (screening, html) => (screening.document.querySelector("#words").innerHTML = html);
const said = ({ evidence }) => structuredClone(evidence.site);
const first = { name: "Reel Life", place: "S1:E2 Leader" };

screened("words hold while they are away", async (screening, film) => {
  await film.play(20, { step: 1 });
  put(screening, "");
  await film.play(4800);
  assert.deepEqual(screening.watched.map(said), [{ name: "netflix", numbers: { title: "1" }, said: [first] }]);
});

screened("words that stand for less than a second are not taken", async (screening, film) => {
  await film.play(20, { step: 1 });
  put(screening, "");
  await film.play(20, { step: 1 });
  put(screening, words("Another", "S1:E2 Leader"));
  screening.window.filmspool.parts.finder.search();
  await film.play(0.5, { step: 0.25 });
  put(screening, words("Reel Life", "S1:E2 Leader"));
  await film.play(4800, { step: 4 });
  assert.deepEqual(screening.watched.map(said), [{ name: "netflix", numbers: { title: "1" }, said: [first] }]);
});

screened("other words under the same number say nothing", async (screening, film) => {
  await film.play(20, { step: 1 });
  put(screening, words("Reel Life", "S1:E3 Splice"));
  screening.document.title = "Reel Life S01E02";
  await film.play(4800);
  const [told] = screening.watched;
  assert.equal(told.evidence.site.torn, true);
  assert.deepEqual(identify(structuredClone(told)).evidence, {});
});

screened("words of before that stay under the next number are not taken, even for hours", async (screening, film) => {
  await film.play(20, { step: 1 });
  screening.window.history.pushState({}, "", "/film/2");
  film.load(5000);
  await film.play(4500);
  assert.deepEqual(screening.watched.map(said), [{ name: "netflix", numbers: { title: "2" }, said: [] }]);
  put(screening, "");
});

screened("what names the next episode is not read, nor is one of two texts", async (screening, film) => {
  await film.play(4900);
  assert.deepEqual(screening.watched.map(said), [{ name: "netflix", numbers: { title: "1" }, said: [{ place: "S1:E2 Leader" }] }]);
}, { html: `<div class=next>${words("Another", "S2:E1")}</div><p class=name>Reel Life</p>${words("Third", "S1:E2 Leader")}` });

screened("two episodes of one length at one address are two, where nothing but the medium changes", async (screening, film) => {
  await film.play(5900, { step: 8 });
  film.load(6000);
  put(screening, words("Reel Life", "S1:E3 Splice"));
  await film.play(5900, { step: 8 });
  assert.deepEqual(screening.watched.map((session) => said(session).said), [[first], [{ name: "Reel Life", place: "S1:E3 Splice" }]]);
}, { rule: { bind: "medium" } });

screened("what was played of one of them is not played of the other", async (screening, film) => {
  await film.play(3100);
  film.load(6000);
  await film.play(5);
  film.seek(4700);
  await film.play(300);
  assert.equal(screening.watched.length, 0);
}, { rule: { bind: "medium" } });

screened("the same medium loaded anew keeps its session and its words", async (screening, film) => {
  await film.play(3000, { step: 8 });
  film.load(6000);
  film.seek(3000);
  await film.play(1900, { step: 8 });
  assert.deepEqual(screening.watched.map((session) => said(session).said), [[first]]);
}, { rule: { bind: "medium" } });

for (const [name, address, rule] of [
  ["under the same address", "/film/1", {}],
  ["under the same number of another address", "/film/1/2", {}],
  ["where the address alone tells", "/film/1", { watch: [{ path: "^/film/(?<number>\\d+)" }], say: [] }],
]) {
  screened(`after a film was watched, another medium is not known: ${name}`, async (screening, film) => {
    await film.play(5990);
    screening.window.history.pushState({}, "", address);
    put(screening, "");
    film.load(5700);
    await film.play(5600);
    assert.deepEqual(said(screening.watched[1]), { name: "netflix", numbers: {}, said: [] });
    assert.deepEqual(identify(structuredClone(screening.watched[1])).evidence, {});
  }, { rule });
}

screened("after a film was left half way, another medium under the same address is not known either", async (screening, film) => {
  await film.play(600, { step: 4 });
  film.load(5700);
  await film.play(5600);
  assert.deepEqual(screening.watched.map(said), [{ name: "netflix", numbers: {}, said: [] }]);
});

screened("where the player goes on without the address, its new words hold and the number does not", async (screening, film) => {
  await film.play(5990);
  film.load(5700);
  put(screening, words("Reel Life", "S1:E3 Splice"));
  await film.play(5600);
  assert.deepEqual(said(screening.watched[1]), { name: "netflix", numbers: {}, said: [{ name: "Reel Life", place: "S1:E3 Splice" }] });
});

screened("words that are first seen after a film counted are not those of the next", async (screening, film) => {
  put(screening, "");
  await film.play(5000);
  put(screening, words("Reel Life", "S1:E2 Leader"));
  await film.play(20, { step: 1 });
  screening.window.history.pushState({}, "", "/film/2");
  film.load(5700);
  await film.play(5600);
  assert.deepEqual(screening.watched.map(said), [{ name: "netflix", numbers: { title: "1" }, said: [] }, { name: "netflix", numbers: { title: "2" }, said: [] }]);
});

screened("words that stay over three films are those of the first alone", async (screening, film) => {
  for (const number of [1, 2, 3]) {
    screening.window.history.pushState({}, "", `/film/${number}`);
    put(screening, number === 2 ? words("Another", "S1:E3") : "");
    film.load(5700);
    await film.play(5600);
  }
  assert.deepEqual(screening.watched.map((session) => said(session).said), [[{ film: "A page" }], [{ name: "Another", place: "S1:E3" }], []]);
}, { html: "", rule: { say: [{ from: "page", name: ".name", place: ".place" }, { from: "title", pattern: "^(?<film>.+)$" }] } });

for (const [bind, watched] of /** @type {[string, number][]} */ ([["address", 1], ["medium", 0]])) {
  test(`what was left half way on an earlier visit goes on where the rule binds to the address alone: ${bind}`, async () => {
    const resume = { id: "00000000-0000-4000-8000-000000000001", startedAt: "2026-03-01T20:00:00+01:00", spans: [[0, 3500]] };
    const screening = new Screening({ answers: (message) => (message.kind === "session" ? { ...answer(message), site: { ...RULE, bind, video: {} }, resume } : answer(message)) });
    const film = screening.film();
    await film.play(20);
    film.seek(4700);
    await film.play(200);
    assert.equal(screening.watched.length, watched);
    screening.close();
  });
}

screened("while an advertisement is to be seen, nothing counts and nothing is read", async (screening, film) => {
  await film.play(5);
  put(screening, `<b class=ad></b>${words("Buy tape", "S9:E9")}`);
  await film.play(4000);
  put(screening, words("Reel Life", "S1:E2 Leader"));
  film.seek(2500);
  await film.play(2400);
  assert.equal(screening.watched.length, 0);
  film.seek(500);
  await film.play(700);
  film.seek(4900);
  await film.play(20);
  assert.deepEqual(screening.watched.map((session) => said(session).said), [[first]]);
}, { html: "" });

for (const [name, box, counts] of [["a preview", "<div class='player preview'></div>", 0], ["a video beside the film's", "<div></div>", 0]]) {
  screened(`${name} is no film`, async (screening, film) => {
    await film.play(5);
    film.pause();
    screening.document.body.insertAdjacentHTML("beforeend", box);
    await screening.film({ into: screening.document.body.lastElementChild, duration: 5000 }).play(4900);
    assert.equal(screening.watched.length, counts);
  });
}

test("a page as large as pages get, with hostile words, costs little and breaks nothing", async () => {
  const html = `<div class=player><video></video></div>${words("x".repeat(50_000), "S1:E".repeat(5000)).repeat(500)}${"<div><p class=name>".repeat(400)}`;
  const screening = new Screening({ html });
  const began = process.cpuUsage();
  const { said, missing } = screening.window.filmspool.siteRule.read(RULE, screening.document.querySelector("video"), null);
  assert.deepEqual(structuredClone([said, missing]), [[{ name: "x".repeat(300), place: "S1:E".repeat(75) }], []]);
  assert.ok(process.cpuUsage(began).user < 500_000);
  for (const object of [{ name: {}, year: NaN, place: [], title: 5 }, [], "text", 7]) {
    const read = screening.window.filmspool.siteRule.read({ ...RULE, say: [{ from: "object" }] }, null, object);
    assert.deepEqual(structuredClone(read.said), [object.title ? { year: "NaN", title: "5" } : {}]);
  }
  screening.close();
});

test("sources that contradict each other say nothing", () => {
  const of = (...said) => fromSite({ name: "netflix", numbers: { title: "5" }, said });
  const site = { name: "netflix", title: "5" };
  assert.deepEqual(of({ name: "Reel Life", place: "S1:E2 Leader" }, { kind: "episode", name: "REEL LIFE", season: "1", episode: "2" }),
    { kind: "episode", seriesTitle: "Reel Life", season: 1, episode: 2, title: "Leader", site: { ...site, numbering: "site" } });
  assert.deepEqual(of({ name: "The Long Take", alone: "movie" }), { kind: "movie", title: "The Long Take", year: undefined, site });
  assert.equal(of({ name: "The Long Take", alone: "movie" }, { kind: "episode" }).kind, "episode", "what is only missing is weaker than what is said");
  assert.deepEqual(of({ name: "The Long Take" }), { title: "The Long Take", site });
  for (const other of [{ name: "Another" }, { season: "2" }, { episode: "3" }, { kind: "movie" }, { film: "Reel Life" }, { year: "1999", place: "S1:E3" }]) {
    assert.deepEqual(of({ name: "Reel Life", place: "S1:E2 Leader" }, other), { torn: true }, JSON.stringify(other));
  }
});

test("what a page sends in the place of words is no words", () => {
  for (const site of [null, 5, "x", {}, { name: "none" }, { name: "toString", said: [{ name: "x" }] }, { name: "netflix" }, { name: "netflix", said: [null, 5, "x", { name: 5, place: {}, kind: "x" }], numbers: { title: "a b", film: 5 } }, { name: "netflix", said: {}, numbers: null, kind: "tv" }]) {
    const found = fromSite(site);
    assert.deepEqual(Object.values(found).filter((value) => value !== undefined), [], JSON.stringify(site));
  }
});

const OLD = { name: "Reel Life", place: "S1:E2 Leader" };
const NEW = { name: "Reel Life", place: "S1:E3 Splice" };

/**
 * What is known of the second item, when each second of it shows these words.
 * @param {Record<string, string>[]} shown
 */
function told(shown) {
  const screening = new Screening({});
  const { Words } = screening.window.filmspool.siteWords;
  const first = new Words();
  for (const second of [0, 1]) first.take({ numbers: { title: "1" }, said: [OLD] }, second * 1000);
  const words = new Words(first.all);
  shown.forEach((said, i) => words.take({ numbers: { title: "2" }, said: [said] }, (10 + i) * 1000));
  screening.close();
  return structuredClone(words.evidence(RULE));
}

const known = (/** @type {Record<string, string>} */ words) => ({ name: "netflix", numbers: { title: "2" }, said: [words] });

test("old words that come back after a moment without words are still those of before", () => {
  assert.deepEqual(told([{}, OLD, OLD, OLD, NEW, NEW]), known(NEW));
});

test("the same words that come after a second without any are those of the next item", () => {
  assert.deepEqual(told([{}, {}, OLD, OLD]), known(OLD));
});
