/** How words are read by a rule, bound to what plays, and judged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "../source/identify/index.js";
import { fromSite } from "../source/identify/site.js";
import { Screening, answer, perform } from "./screening.js";

const RULE = {
  name: "netflix",
  watch: [{ path: "^/film/(?<title>\\d+)" }],
  upNext: ".next",
  ad: ".ad",
  video: { is: ".player", not: ".preview" },
  say: [{ from: "page", name: ".name", place: ".place", alone: "movie" }],
  bind: "address",
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

const first = { name: "Reel Life", place: "S1:E2 Leader" };

const second = { name: "Reel Life", place: "S1:E3 Splice" };
const other = { name: "Another", place: "S1:E3" };
/** What was read of a session. @param {string | null} title its number @param {object[]} said */
const read = (title, ...said) => ({ name: "netflix", numbers: title === null ? {} : { title }, said });
const titled = { say: [{ from: "page", name: ".name", place: ".place" }, { from: "title", pattern: "^(?<film>.+)$" }] };
const medium = { bind: "medium" };
const both = `<div class=next>${words("Another", "S2:E1")}</div><p class=name>Reel Life</p>${words("Third", "S1:E2 Leader")}`;

/**
 * What is read of the sessions that count, how the page is, and what happens there. "show" puts words into the page.
 * @type {[string, any[], {rule?: any, html?: string}, ...[string, any?][]][]}
 */
const EVENINGS = [
  ["words hold while they are away", [read("1", first)], {}, ["play", 20], ["show"], ["play", 4800]],
  ["words that stand for less than a second are not taken", [read("1", first)], {},
    ["play", 20], ["show"], ["play", 20], ["show", { ...first, name: "Another" }], ["search"], ["play", 0.5], ["show", first], ["play", 4800]],
  ["other words under the same number say nothing", [{ ...read("1", second), torn: true }], {}, ["play", 20], ["show", second], ["play", 4800]],
  ["words of before that stay under the next number are not taken, even for hours", [read("2")], {}, ["play", 20], ["page", "/film/2"], ["load", 5000], ["play", 4500]],
  ["what names the next episode is not read, nor is one of two texts", [read("1", { place: first.place })], { html: both }, ["play", 4900]],
  ["two episodes of one length at one address are two, where nothing but the medium changes", [read("1", first), read("1", second)], { rule: medium },
    ["play", 5900], ["load", 6000], ["show", second], ["play", 5900]],
  ["what was played of one of them is not played of the other", [], { rule: medium }, ["play", 3100], ["load", 6000], ["play", 5], ["seek", 4700], ["play", 300]],
  ["the same medium loaded anew keeps its session and its words", [read("1", first)], { rule: medium }, ["play", 3000], ["load", 6000], ["seek", 3000], ["play", 1900]],
  ["after a film was watched, another medium is not known under the same address", [read("1", first), read(null)], {}, ["play", 5990], ["show"], ["load", 5700], ["play", 5600]],
  ["nor under the same number of another address", [read("1", first), read(null)], {}, ["play", 5990], ["page", "/film/1/2"], ["show"], ["load", 5700], ["play", 5600]],
  ["nor where the address alone tells", [{ ...read(null), numbers: { number: "1" }, kind: "episode" }, read(null)], { rule: { watch: [{ path: "^/film/(?<number>\\d+)" }], say: [] } },
    ["play", 5990], ["load", 5700], ["play", 5600]],
  ["nor after a film was left half way", [read(null)], {}, ["play", 600], ["load", 5700], ["play", 5600]],
  ["where the player goes on without the address, its new words hold and the number does not", [read("1", first), read(null, second)], {},
    ["play", 5990], ["load", 5700], ["show", second], ["play", 5600]],
  ["words that are first seen after a film counted are not those of the next", [read("1"), read("2")], { html: "" },
    ["play", 5000], ["show", first], ["play", 20], ["page", "/film/2"], ["load", 5700], ["play", 5600]],
  ["words that stay over three films are those of the first alone", [read("1", { film: "A page" }), read("2", other), read("3")], { rule: titled, html: "" },
    ["play", 5600], ["page", "/film/2"], ["show", other], ["load", 5700], ["play", 5600], ["page", "/film/3"], ["show"], ["load", 5800], ["play", 5700]],
  ["while an advertisement is to be seen, nothing counts and nothing is read", [read("1", first)], { html: "" },
    ["play", 5], ["advertise"], ["play", 4000], ["show", first], ["seek", 2500], ["play", 2400], ["watched", 0],
    ["seek", 500], ["play", 700], ["seek", 4900], ["play", 20]],
];

for (const [name, expected, how, ...steps] of EVENINGS) {
  screened(name, async (screening, film) => {
    const put = (/** @type {string} */ html) => (screening.document.querySelector("#words").innerHTML = html);
    await perform(steps, screening, film, {
      play: (seconds) => film.play(seconds, { step: seconds < 1 ? 0.25 : seconds < 100 ? 1 : 4 }),
      show: (said) => put(said ? words(said.name, said.place) : ""),
      advertise: () => put(`<b class=ad></b>${words("Buy tape", "S9:E9")}`),
    });
    assert.deepEqual(screening.watched.map(({ evidence }) => structuredClone(evidence.site)), expected);
    for (const session of screening.watched) if (session.evidence.site.torn) assert.deepEqual(identify(structuredClone(session)).evidence, {});
  }, how);
}

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

for (const [name, box] of [["a preview", "<div class='player preview'></div>"], ["a video beside the film's", "<div></div>"]]) {
  screened(`${name} is no film`, async (screening, film) => {
    await film.play(5);
    film.pause();
    screening.document.body.insertAdjacentHTML("beforeend", box);
    await screening.film({ into: screening.document.body.lastElementChild, duration: 5000 }).play(4900);
    assert.equal(screening.watched.length, 0);
  });
}

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

test("old words that come back after a moment are still those of before; after a second without words they are the next item's", () => {
  const screening = new Screening({});
  const { Words } = screening.window.filmspool.siteWords;
  const known = (/** @type {object[]} */ ...shown) => {
    const before = new Words();
    for (const now of [0, 1000]) before.take({ numbers: { title: "1" }, said: [first] }, now);
    const is = new Words(before.all);
    shown.forEach((said, i) => is.take({ numbers: { title: "2" }, said: [said] }, 10_000 + i * 1000));
    return structuredClone(is.evidence(RULE));
  };
  assert.deepEqual(known({}, first, first, first, second, second), read("2", second));
  assert.deepEqual(known({}, {}, first, first), read("2", first));
  screening.close();
});
