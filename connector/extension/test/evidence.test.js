/** What a page says of an item: kept while its controls are hidden, and never taken for the next item's. */
import assert from "node:assert/strict";
import { screened, settle } from "./screening.js";

/** Runs a test on the page of a player. @param {string} name @param {(screening: any) => Promise<void>} run */
const played = (name, run) => screened(name, (screening) => {
  Object.defineProperty(screening.window.navigator, "mediaSession", { value: { metadata: null } });
  return run(screening);
}, { html: "<!doctype html><title>Player</title><body></body>" });

/** The words of a player's controls, while they are shown. */
function words(screening, html) {
  screening.document.querySelector("header")?.remove();
  if (html) screening.document.body.append(Object.assign(screening.document.createElement("header"), { innerHTML: html }));
}

/** Lets the mutation observer hear, and the search that it asks for run. */
async function noticed(screening) {
  await settle();
  await screening.wait(60_000);
}

/** What was told of the words of the last that was watched. */
function said(screening) {
  const { mediaSession, headings, mentions } = screening.watched.at(-1).evidence;
  return { session: mediaSession?.title, headings, mentions };
}

played("words that go with the controls are kept until it counts", async (screening) => {
  words(screening, "<h1>Reel Life</h1><h4>S1:E2 The Long Take</h4>");
  screening.window.navigator.mediaSession.metadata = { title: "The Long Take" };
  const film = screening.film({ duration: 1500 });
  await film.play(16);
  words(screening, "");
  screening.window.navigator.mediaSession.metadata = null;
  await film.play(1300);
  assert.deepEqual(said(screening), { session: "The Long Take", headings: ["Reel Life"], mentions: ["S1:E2 The Long Take"] });
});

played("words that are shown for a moment are read", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(700);
  words(screening, "<h4>The Long Take</h4>");
  await noticed(screening);
  words(screening, "");
  await noticed(screening);
  await film.play(700);
  assert.deepEqual(said(screening).mentions, ["The Long Take"]);
});

played("what goes with the controls is kept before what always stands there", async (screening) => {
  screening.document.body.innerHTML = "<h2>One</h2><h2>Two</h2><h2>Three</h2>";
  const film = screening.film({ duration: 1500 });
  await film.play(16);
  screening.document.body.insertAdjacentHTML("afterbegin", "<header><h4>The Long Take</h4></header>");
  await film.play(30);
  words(screening, "");
  await film.play(1300);
  assert.deepEqual(said(screening).mentions, ["The Long Take", "One", "Two", "Three"]);
});

played("the words of the item before, still shown, are not the next one's", async (screening) => {
  const session = screening.window.navigator.mediaSession;
  words(screening, "<h4>S1:E2 The Long Take</h4>");
  session.metadata = { title: "The Long Take", artist: "Reel Life" };
  const film = screening.film({ duration: 1500 });
  await film.play(1300);
  assert.equal(screening.watched.length, 1);
  film.load(1600); // the address stays
  await film.play(4, { step: 1 });
  await noticed(screening);
  words(screening, "");
  session.metadata = null;
  await film.play(1300);
  assert.equal(screening.watched.length, 2);
  assert.deepEqual(said(screening), { session: undefined, headings: [], mentions: [] });
});

played("the next one's words count at once, and what both share is not known to be its own", async (screening) => {
  words(screening, "<h1>Reel Life</h1><h4>S1:E2 The Long Take</h4>");
  const film = screening.film({ duration: 1500 });
  await film.play(1300);
  screening.window.history.pushState(null, "", "/film/2");
  film.load(1500);
  words(screening, "<h1>Reel Life</h1><h4>S1:E3 The Short Take</h4>");
  await film.play(1300);
  assert.deepEqual([said(screening).headings, said(screening).mentions], [[], ["S1:E3 The Short Take"]]);
});

played("words that come before the next one plays are not taken for those of the one before", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(700);
  film.load(1600);
  words(screening, "<h4>S1:E3 The Short Take</h4>");
  await noticed(screening);
  await film.play(4, { step: 1 });
  words(screening, "");
  await film.play(1300);
  assert.deepEqual(said(screening).mentions, ["S1:E3 The Short Take"]);
});

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

played("a title that is first shown after a film counted is not the next one's", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(1300);
  screening.document.title = "Reel Life S01E02";
  await noticed(screening);
  film.load(1600);
  await film.play(1500);
  assert.deepEqual(screening.watched.map(({ title }) => title), ["Player", ""]);
});

played("an advertisement before the film does not take its words", async (screening) => {
  words(screening, "<h4>S1:E2 The Long Take</h4>");
  const film = screening.film({ duration: 20 });
  await film.play(16);
  film.load(1500);
  await film.play(4);
  words(screening, "");
  await film.play(1300);
  assert.deepEqual(said(screening).mentions, ["S1:E2 The Long Take"]);
});

played("words of another page that is looked at meanwhile are not read", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(700);
  screening.window.history.pushState(null, "", "/film/99");
  words(screening, "<h4>Another film</h4>");
  await noticed(screening);
  await film.play(600);
  assert.deepEqual(said(screening).mentions, []);
});

played("the next episode that begins in the same source, under another address, is another session", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(1300);
  screening.window.history.pushState(null, "", "/film/2");
  film.seek(0);
  film.duration = 1530;
  film.fire("durationchange");
  await film.play(1300);
  assert.deepEqual(screening.watched.map(({ url, duration }) => [url, duration]), [
    ["https://films.example/film/1", 1500], ["https://films.example/film/2", 1530],
  ]);
});

for (const [name, put] of [
  ["a window of its own", (screening, film) => (screening.document.pictureInPictureElement = film.element)],
  ["the whole screen", (screening, film) => (screening.document.fullscreenElement = film.element.parentNode)],
]) {
  played(`${name} shows one film; others that are hidden do not count for that`, async (screening) => {
    const [film, other] = [3000, 4000].map((duration) => screening.film({ duration, into: screening.document.body.appendChild(screening.document.createElement("div")) }));
    film.width = other.width = 1;
    put(screening, film);
    await film.play(2500);
    await other.play(3500);
    assert.deepEqual(screening.watched.map(({ duration }) => duration), [3000]);
  });
}

played("a film in a shadow tree fills the screen by its host", async (screening) => {
  const host = screening.document.body.appendChild(screening.document.createElement("section"));
  const film = screening.film({ duration: 3000, into: host.attachShadow({ mode: "open" }) });
  screening.window.filmspool.parts.finder.search();
  film.width = 1;
  screening.document.fullscreenElement = host;
  await film.play(2500);
  assert.equal(screening.watched.length, 1);
});
