// What is typed into the popup: the answer to a card, an entry by hand, a new list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateWith, typed, unknown } from "./fake-api.js";
import { open } from "./page-rig.js";

const needs = unknown().id;

test("a series' link is filled up with the episode that the page has told", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }), typed });
  page.type(`#what-${needs}`, " https://www.themoviedb.org/tv/1396 ");
  page.rig.script.state = stateWith();
  await page.click("#unknown [type=submit]");
  assert.deepEqual(page.rig.asked("identify"), [{ kind: "identify", id: needs, media: { ...typed["https://www.themoviedb.org/tv/1396"], season: 2, episode: 3 }, remember: true }]);
  assert.equal(page.find("#needs").hidden, true);
  assert.equal(page.said(), "Saved: Series 1396 on themoviedb.org S02E03");
});

test("without season and episode the question is asked, and nothing typed is lost", async (t) => {
  const bare = unknown({ kind: null, evidence: { title: "The Long Night" } });
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [bare] } }), typed });
  page.type(`#what-${needs}`, "https://www.themoviedb.org/tv/1396");
  await page.click("#unknown [type=submit]");
  assert.equal(page.document.activeElement?.id, `what-${needs}-season`);
  page.type(`#what-${needs}-season`, "two");
  await page.click("#unknown [type=submit]");
  assert.equal(page.words(`#what-${needs}-season-fault`), "A whole number; specials are season 0.");
  assert.equal(page.find(`#what-${needs}-season`).value, "two");
  page.type(`#what-${needs}-season`, "0");
  page.type(`#what-${needs}-episode`, "4");
  await page.click("#unknown [type=submit]");
  const [{ media, remember }] = page.rig.asked("identify");
  assert.deepEqual([media.season, media.episode, remember], [0, 4, true]);
});

test("a number alone asks for its kind, and keeps it over a closed popup", async (t) => {
  const session = {};
  const bare = unknown({ kind: null, evidence: { title: "The Long Night" } });
  const state = stateWith({ outbox: { unknown: [bare] } });
  const numbers = { "603 as movie": { type: "movie", ids: { tmdb: 603 } } };
  const page = await open(t, "popup", { state, session, typed: numbers });
  assert.equal(page.find("#unknown .kinds").hidden, true);
  page.type(`#what-${needs}`, "603");
  assert.equal(page.find("#unknown .kinds").hidden, false);
  assert.equal(page.find("#unknown [value=episode]").closest("label").hidden, true, "a number of themoviedb names no episode");
  await page.click("#unknown [type=submit]");
  assert.equal(page.words(`#what-${needs}-kind-fault`), "Choose what the number names.");
  assert.equal(page.document.activeElement?.getAttribute("type"), "radio");
  assert.deepEqual(page.rig.asked("identifyText"), []);
  page.find("#unknown [value=movie]").click();
  const later = await open(t, "popup", { state, session, typed: numbers });
  assert.equal(later.find("#unknown [value=movie]").checked, true);
  await later.click("#unknown [type=submit]");
  assert.deepEqual(later.rig.asked("identify")[0].media, { type: "movie", ids: { tmdb: 603 } });
});

test("IMDb's number may name one episode; the page's kind is proposed", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }), typed: { "tt0959621 as episode": { type: "episode", ids: { imdb: "tt0959621" } } } });
  const box = page.find("#unknown .check");
  assert.equal(box.hidden, false);
  page.type(`#what-${needs}`, "tt0959621");
  assert.equal(box.hidden, true, "such an answer cannot be remembered");
  assert.equal(page.find("#unknown [value=tv]").checked, true);
  page.find("#unknown [value=episode]").click();
  await page.click("#unknown [type=submit]");
  assert.deepEqual(page.rig.asked("identify")[0].media, { type: "episode", ids: { imdb: "tt0959621" } });
  assert.equal(page.said(), "Saved: tt0959621");
});

test("season and episode that were typed come back when the popup does", async (t) => {
  const session = {};
  const bare = unknown({ kind: null, evidence: { title: "The Long Night" } });
  const state = stateWith({ outbox: { unknown: [bare] } });
  const page = await open(t, "popup", { state, session, typed });
  page.type(`#what-${needs}`, "https://www.themoviedb.org/tv/1396");
  await page.click("#unknown [type=submit]");
  page.type(`#what-${needs}-season`, "2");
  const later = await open(t, "popup", { state, session, typed });
  assert.equal(later.find(`#what-${needs}-season`).value, "2");
  assert.equal(later.find(`#what-${needs}-season`).closest(".pair").hidden, false);
});

test("a bad link is told beside the field, which keeps it, also over a closed popup", async (t) => {
  const state = stateWith({ outbox: { unknown: [unknown()] } });
  const session = {};
  const page = await open(t, "popup", { state, session });
  await page.click("#unknown [type=submit]");
  assert.match(page.words(`#what-${needs}-fault`), /^Paste a link first/);
  page.type(`#what-${needs}`, "https://films.example/7");
  await page.click("#unknown [type=submit]");
  assert.match(page.words(`#what-${needs}-fault`), /^This is not the address of a film or series on themoviedb.org/);
  assert.equal(page.find(`#what-${needs}`).getAttribute("aria-invalid"), "true");
  const later = await open(t, "popup", { state, session });
  assert.equal(later.find(`#what-${needs}`).value, "https://films.example/7");
});

test("by hand: a film watched, a film wished", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), typed });
  page.type("#entry-link", "https://www.themoviedb.org/movie/603");
  page.type("#entry-when", "2026-11-20T20:15");
  await page.click("#entry-form [value=watched]");
  const [{ media, watchedAt }] = page.rig.asked("add");
  assert.deepEqual(media, { type: "movie", ids: { tmdb: 603 } });
  assert.equal(new Date(watchedAt).getTime(), new Date("2026-11-20T20:15").getTime());
  assert.equal(page.find("#entry-link").value, "");
  page.type("#entry-link", "https://www.themoviedb.org/tv/1396");
  await page.click("#entry-form [value=wish]");
  assert.deepEqual(page.rig.asked("watchlist")[0].media, { type: "tv", ids: { tmdb: 1396 } });
});

test("by hand: a series asks for the episode; the future is refused", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), typed });
  page.type("#entry-link", "https://www.themoviedb.org/tv/1396");
  await page.click("#entry-form [value=watched]");
  assert.equal(page.said(), "This is a series. Which episode?");
  page.type("#entry-season", "1");
  page.type("#entry-episode", "2");
  page.type("#entry-when", "2099-01-01T00:00");
  await page.click("#entry-form [value=watched]");
  assert.match(page.words("#entry-when-fault"), /still to come/);
  page.type("#entry-when", "");
  await page.click("#entry-form [value=watched]");
  assert.deepEqual(page.rig.asked("add")[0].media, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 2 });
});

test("a new list: too long, nameless, refused, made", async (t) => {
  const page = await open(t, "popup", { state: stateWith() });
  await page.click("#list-form [type=submit]");
  assert.equal(page.words("#list-name-fault"), "Give the list a name.");
  const long = "🎬".repeat(201);
  page.type("#list-name", long);
  await page.click("#list-form [type=submit]");
  assert.equal(page.words("#list-name-fault"), "At most 200 characters; this has 201. Shorten it.");
  assert.equal(page.find("#list-name").value, long);
  page.type("#list-name", "Noir");
  page.rig.script.answers = { list: { ok: false, code: "FULL", message: "full" } };
  await page.click("#list-form [type=submit]");
  assert.match(page.words("#list-name-fault"), /too much is waiting/);
  page.rig.script.answers = {};
  await page.click("#list-form [type=submit]");
  assert.deepEqual(page.rig.asked("list")[1], { kind: "list", name: "Noir", visibility: "PRIVATE" });
  assert.equal(page.find("#list-name").value, "");
});

test("an answer of another kind is refused beside the field", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }), typed });
  page.type(`#what-${needs}`, "https://www.themoviedb.org/movie/603");
  await page.click("#unknown [type=submit]");
  assert.equal(page.words(`#what-${needs}-fault`), "This page shows an episode, and the link is a film. Paste the link of the series or the episode.");
  assert.deepEqual(page.rig.asked("identify"), []);
  const film = unknown({ kind: "movie", evidence: { kind: "movie", title: "Night Train", year: 1959 } });
  const other = await open(t, "popup", { state: stateWith({ outbox: { unknown: [film] } }), typed });
  other.type(`#what-${needs}`, "https://www.themoviedb.org/tv/1396");
  await other.click("#unknown [type=submit]");
  assert.equal(other.words(`#what-${needs}-fault`), "This page shows a film, and the link is a series. Paste the link of the film.");
});

test("what the service suggests is one click; a series asks for its episode", async (t) => {
  const candidates = [{ type: "movie", tmdb: 841, title: "Dune", year: 1984 }, { type: "tv", tmdb: 9 }];
  const dune = unknown({ kind: null, title: "Dune", evidence: { title: "Dune" }, candidates });
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [dune] } }) });
  const buttons = [...page.document.querySelectorAll("#unknown .offers button")].map(({ textContent }) => textContent);
  assert.deepEqual(buttons.slice(0, 2), ["Dune (1984) · film", "Series 9 on themoviedb.org · series"]);
  await page.click("#unknown .offers button:nth-child(2)");
  assert.equal(page.said(), "This is a series. Which episode?");
  page.type(`#what-${needs}-season`, "1");
  page.type(`#what-${needs}-episode`, "2");
  await page.click("#unknown [type=submit]");
  assert.deepEqual(page.rig.asked("identify")[0].media, { type: "episode", show: { ids: { tmdb: 9 } }, season: 1, episode: 2 });
  await page.click("#unknown .offers button");
  assert.deepEqual(page.rig.asked("identify")[1].media, { type: "movie", ids: { tmdb: 841 }, title: "Dune", year: 1984 });
  const episodes = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown({ candidates })] } }) });
  assert.equal(episodes.document.querySelectorAll("#unknown .offers button").length, 1, "a film is not suggested for an episode");
});

test("words that are typed are looked for, and what is found is one click", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }) });
  const send = () => page.words("#unknown [type=submit]");
  assert.equal(send(), "Save");
  page.type(`#what-${needs}`, " long night ");
  assert.equal(send(), "Search");
  page.rig.script.answers = { candidates: { ok: true, candidates: [{ type: "tv", tmdb: 1396, title: "The Long Night", year: 2008 }, { type: "movie", tmdb: 5, title: "Long Night" }] } };
  await page.click("#unknown [type=submit]");
  assert.deepEqual(page.rig.asked("candidates"), [{ kind: "candidates", words: " long night ", as: "tv" }]);
  assert.deepEqual([...page.document.querySelectorAll("#unknown .offers button")].map(({ textContent }) => textContent), ["The Long Night (2008) · series"]);
  assert.equal(page.document.activeElement?.textContent, "The Long Night (2008) · series");
  assert.equal(page.said(), "Found. Choose one:");
  assert.deepEqual(page.rig.asked("identify"), [], "nothing is chosen yet");
  await page.click("#unknown .offers button");
  assert.deepEqual(page.rig.asked("identify"), [{ kind: "identify", id: needs, media: { type: "episode", show: { ids: { tmdb: 1396 }, title: "The Long Night" }, season: 2, episode: 3 }, remember: true }]);
});

test("a series that was found asks for its episode, and the button saves again", async (t) => {
  const bare = unknown({ kind: null, evidence: { title: "The Long Night" } });
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [bare] } }), answers: { candidates: { ok: true, candidates: [{ type: "tv", tmdb: 9 }] } } });
  page.type(`#what-${needs}`, "night");
  await page.click("#unknown [type=submit]");
  assert.equal(page.rig.asked("candidates")[0].as, undefined, "it may be a film, too");
  await page.click("#unknown .offers button");
  assert.equal(page.words("#unknown [type=submit]"), "Save");
  page.type(`#what-${needs}-season`, "1");
  page.type(`#what-${needs}-episode`, "2");
  await page.click("#unknown [type=submit]");
  assert.deepEqual(page.rig.asked("identify")[0].media, { type: "episode", show: { ids: { tmdb: 9 } }, season: 1, episode: 2 });
});

for (const [what, answer, words] of [
  ["nothing", { ok: true, candidates: [] }, /^Nothing of that name was found/], ["a film for an episode", { ok: true, candidates: [{ type: "movie", tmdb: 5 }] }, /^Nothing of that name/],
  ["nobody who can be asked", { ok: false, code: "SEEK_LATER", message: "" }, /^Nobody can be asked for names now/], ["an older daemon", { ok: false, code: "SEEK_OLD", message: "" }, /^This is not the address/],
  ["no daemon", { ok: false, code: "OFFLINE", message: "" }, /^Filmspool is not running/],
]) {
  test(`looked for, and found ${what}: told beside the field, which keeps its words`, async (t) => {
    const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }), answers: { candidates: answer } });
    page.type(`#what-${needs}`, "long night");
    await page.click("#unknown [type=submit]");
    assert.match(page.words(`#what-${needs}-fault`), words);
    assert.equal(page.find(`#what-${needs}`).value, "long night");
    assert.equal(page.document.querySelectorAll("#unknown .offers").length, 0);
  });
}

test("an address and a number are not looked for", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }) });
  for (const text of ["https://films.example/x", "www.imdb.com/title/x", "films.example/watch", "603", "tt0133093", "  "]) {
    page.type(`#what-${needs}`, text);
    assert.equal(page.words("#unknown [type=submit]"), "Save", text);
    await page.click("#unknown [type=submit]");
  }
  assert.deepEqual(page.rig.asked("candidates"), []);
  page.type(`#what-${needs}`, "Face/Off");
  await page.click("#unknown [type=submit]");
  assert.deepEqual(page.rig.asked("candidates").map(({ words }) => words), ["Face/Off"]);
});
