/** What a page says of an item: kept while its controls are hidden, and never taken for the next item's. */
import assert from "node:assert/strict";
import { perform, screened } from "./screening.js";

/** Runs a test on the page of a player. @param {string} name @param {(screening: any) => Promise<void>} run */
const played = (name, run) => screened(name, (screening) => {
  Object.defineProperty(screening.window.navigator, "mediaSession", { value: { metadata: null } });
  return run(screening);
}, { html: "<!doctype html><title>Player</title><body></body>" });

const FIRST = "<h4>S1:E2 The Long Take</h4>";
const NEXT = "<h4>S1:E3 The Short Take</h4>";

/**
 * What is known of each film that counts, and what happens. "words" are those of the player's controls, while they are shown;
 * "notice" lets the mutation observer run, and the search that it asks for.
 * @type {[string, string[][], ...[string, ...any[]][]][]}
 */
const EVENINGS = [
  ["words that go with the controls are kept until it counts", [["The Long Take", "Reel Life", "S1:E2 The Long Take"]],
    ["words", `<h1>Reel Life</h1>${FIRST}`], ["session", "The Long Take"], ["play", 16], ["words"], ["session"], ["play", 1300]],
  ["words that are shown for a moment are read", [["S1:E2 The Long Take"]], ["play", 700], ["words", FIRST], ["notice"], ["words"], ["notice"], ["play", 700]],
  ["what goes with the controls is kept before what always stands there", [["S1:E2 The Long Take", "One", "Two", "Three"]],
    ["body", "<h2>One</h2><h2>Two</h2><h2>Three</h2>"], ["play", 16], ["words", FIRST], ["play", 30], ["words"], ["play", 1300]],
  ["the words of the item before, still shown, are not the next one's", [["The Long Take", "S1:E2 The Long Take"], []],
    ["words", FIRST], ["session", "The Long Take"], ["play", 1300], ["load", 1600], ["play", 4, 1], ["notice"], ["words"], ["session"], ["play", 1300]],
  ["the next one's words count at once, and what both share is not known to be its own", [["Reel Life", "S1:E2 The Long Take"], ["S1:E3 The Short Take"]],
    ["words", `<h1>Reel Life</h1>${FIRST}`], ["play", 1300], ["page", "/film/2"], ["load", 1500], ["words", `<h1>Reel Life</h1>${NEXT}`], ["play", 1300]],
  ["words that come before the next one plays are not taken for those of the one before", [["S1:E3 The Short Take"]],
    ["play", 700], ["load", 1600], ["words", NEXT], ["notice"], ["play", 4, 1], ["words"], ["play", 1300]],
  ["an advertisement before the film does not take its words", [["S1:E2 The Long Take"]],
    ["load", 20], ["words", FIRST], ["play", 16], ["load", 1500], ["play", 4], ["words"], ["play", 1300]],
  ["words of another page that is looked at meanwhile are not read", [[]],
    ["play", 700], ["page", "/film/99"], ["title", "Another film"], ["words", "<h4>Another film</h4>"], ["notice"], ["play", 600]],
  ["a title that is first shown after a film counted is not the next one's", [[], []],
    ["play", 1300], ["title", "Reel Life S01E02"], ["notice"], ["load", 1600], ["play", 1500]],
];

for (const [name, known, ...steps] of EVENINGS) {
  played(name, async (screening) => {
    const { body } = screening.document;
    await perform(steps, screening, screening.film({ duration: 1500 }), {
      body: (html) => body.insertAdjacentHTML("beforeend", html),
      words: (html = "") => {
        body.querySelector("header")?.remove();
        if (html) body.insertAdjacentHTML("afterbegin", `<header>${html}</header>`);
      },
      session: (title) => (screening.window.navigator.mediaSession.metadata = title ? { title } : null),
      notice: () => screening.wait(60_000),
    });
    const is = screening.watched.map(({ title, evidence }) => [title, evidence.mediaSession?.title, ...evidence.headings, ...evidence.mentions]);
    assert.deepEqual(is.map((all) => all.filter((one) => one && one !== "Player")), known);
  });
}

played("a title that stays, a description and links are those of the item before, under a new address or for another medium", async (screening) => {
  const { document } = screening;
  document.title = "Reel Life S01E02";
  document.body.innerHTML = `<a href="https://www.themoviedb.org/tv/701396/season/1/episode/2">x</a>
    <script type="application/ld+json">{"@type":"Movie","name":"The Long Take"}</script>`;
  document.body.dataset.tmdbId = "701396";
  const film = screening.film({ duration: 1500 });
  await film.play(1300);
  film.load(1600);
  await film.play(1500);
  screening.window.history.pushState(null, "", "/film/2");
  film.load(1700);
  await film.play(1500);
  const known = screening.watched.map(({ title, evidence: { jsonld, links, attributes } }) => [title, jsonld.length, links.length, Object.keys(attributes).length]);
  assert.deepEqual(known, [["Reel Life S01E02", 1, 1, 1], ["", 0, 0, 0], ["", 0, 0, 0]]);
  document.title = "Reel Life S01E04";
  screening.window.history.pushState(null, "", "/film/3");
  film.load(1800);
  await film.play(1700);
  assert.equal(screening.watched.at(-1).title, "Reel Life S01E04");
});

for (const [name, put] of [
  ["a window of its own", (screening, film) => (screening.document.pictureInPictureElement = film.element)],
  ["the whole screen", (screening, film) => (screening.document.fullscreenElement = film.element.getRootNode().host)],
]) {
  played(`${name} shows one film; others that are hidden do not count for that`, async (screening) => {
    const [film, other] = [3000, 4000].map((duration) => {
      const host = screening.document.body.appendChild(screening.document.createElement("section"));
      return screening.film({ duration, into: name === "the whole screen" ? host.attachShadow({ mode: "open" }) : host });
    });
    screening.window.filmspool.parts.finder.search();
    film.width = other.width = 1;
    put(screening, film);
    await film.play(2500);
    await other.play(3500);
    assert.deepEqual(screening.watched.map(({ duration }) => duration), [3000]);
  });
}
