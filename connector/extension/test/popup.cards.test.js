// What the popup lists: its cards, what waits, what was refused and what was reported.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rejected, stateWith, typed, unknown } from "./fake-api.js";
import { open, settle } from "./page-rig.js";

const tab = { id: 7, url: "https://films.example/watch/7" };
const needs = unknown().id;

test("what waits, here and there", async (t) => {
  const daemon = { online: false, pending: 2, attention: 1, lastDelivered: null };
  const page = await open(t, "popup", { state: stateWith({ daemon, outbox: { waiting: 1, full: true } }) });
  const lines = [...page.document.querySelectorAll("#waits li")].map((item) => item.textContent);
  assert.match(lines[0] ?? "", /can keep no more/);
  assert.deepEqual(lines.slice(1), ["1 entry waits in this browser for Filmspool.", "Filmspool keeps 2 entries until your service can be reached.", "1 entry needs you in Filmspool. See: filmspool status"]);
  const problems = [{ severity: "needs you", text: "The disk is full.", act: "Make room." }];
  const told = await open(t, "popup", { state: stateWith({ daemon: { ...daemon, online: true, pending: 0, problems } }) });
  assert.equal(told.words("#waits"), "The disk is full. Make room.");
  const calm = await open(t, "popup", { state: stateWith({ daemon: null }) });
  assert.equal(calm.words("#waits"), "Nothing waits.");
});

const seen = {
  kind: null, title: "Breaking Bad: ...And the Bag", host: "www.films.example", address: "https://www.films.example/watch/1?v=9", evidence: {},
  names: [{ from: "session", text: "...And the Bag" }, { from: "artist", text: "Breaking Bad" }, { from: "album", text: "Season 1" }, { from: "title", text: "C Media" }],
  guess: { series: "Breaking Bad", season: 1, title: "...And the Bag" },
};

test("a card shows every name, its page, when and how long; and a search with its title", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown(seen)] } }), typed });
  assert.equal(page.words("#unknown h3"), "Breaking Bad: ...And the Bag");
  const names = [...page.document.querySelectorAll("#unknown .names > div")].map((line) => [...line.children].map((part) => part.textContent));
  assert.deepEqual(names, [["Player", "...And the Bag"], ["Artist", "Breaking Bad"], ["Album", "Season 1"], ["Page title", "C Media"]]);
  assert.match(page.words("#unknown .viewings li"), /^www\.films\.example · .*2026.* · 44 minutes watched · Open its page$/);
  const [link, search] = page.document.querySelectorAll("#unknown a");
  assert.equal(link.getAttribute("href"), "https://www.films.example/watch/1?v=9");
  assert.equal(search.getAttribute("href"), "https://www.themoviedb.org/search/tv?query=Breaking%20Bad");
  for (const one of [link, search]) assert.deepEqual([one.getAttribute("target"), one.getAttribute("rel")], ["_blank", "noopener noreferrer"]);
  page.type(`#what-${needs}`, "https://www.themoviedb.org/tv/1396");
  await page.click("#unknown [type=submit]");
  assert.equal(page.find(`#what-${needs}-season`).value, "1", "the season is proposed");
  assert.equal(page.document.activeElement?.id, `what-${needs}-episode`);
});

for (const address of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https://", ""]) {
  test(`no link to "${address}"`, async (t) => {
    const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown({ ...seen, address })] } }) });
    assert.deepEqual([...page.document.querySelectorAll("#unknown a")].map((link) => new URL(/** @type {HTMLAnchorElement} */ (link).href).hostname), ["www.themoviedb.org"]);
  });
}

test("who went to search comes back to the same card, with the page that was found", async (t) => {
  const session = {};
  const state = stateWith({ outbox: { unknown: [unknown(), unknown({ ...seen, id: "dddddddd-2222-4333-8444-555555555555" })] } });
  const page = await open(t, "popup", { state, session });
  const card = '[data-ids="dddddddd-2222-4333-8444-555555555555"]';
  await page.click(`${card} p > a`);
  const still = await open(t, "popup", { state, session, tab });
  assert.equal(still.find(`${card} form input`).value, "");
  assert.equal(still.document.activeElement, still.find(`${card} form input`));
  const found = await open(t, "popup", { state, session, tab: { id: 8, url: "https://www.themoviedb.org/tv/1396-breaking-bad" }, typed: { "https://www.themoviedb.org/tv/1396-breaking-bad": typed["https://www.themoviedb.org/tv/1396"] } });
  assert.equal(found.find(`${card} form input`).value, "https://www.themoviedb.org/tv/1396-breaking-bad");
  assert.equal(found.said(), "The page in front of you is filled in. Save it, if it is the right one.");
  found.type(`${card} form input`, "https://www.themoviedb.org/tv/1396-breaking-bad");
  await found.click(`${card} [type=submit]`);
  found.type("#what-dddddddd-2222-4333-8444-555555555555-episode", "3");
  await found.click(`${card} [type=submit]`);
  assert.equal(found.rig.asked("identify").length, 1);
  const after = await open(t, "popup", { state, session, tab: { id: 8, url: "https://www.themoviedb.org/tv/1396-breaking-bad" } });
  assert.equal(after.find(`${card} form input`).value, "", "it is dealt with");
});

const at = (/** @type {number} */ hour) => `2026-11-21T${hour}:00:00+01:00`;
const part = (/** @type {number} */ n, more = {}) => unknown({ id: `${n}aaaaaaa-2222-4333-8444-555555555555`, at: at(10 + n), evidence: { title: "The Long Night", season: 2, episode: n, kind: "episode" }, ...more });

test("cards: the latest first; one answer serves the episodes of a series, each at its own place", async (t) => {
  const other = unknown({ id: "9aaaaaaa-2222-4333-8444-555555555555", at: at(12), kind: null, title: "Something else", evidence: {}, names: [{ from: "title", text: "Something else" }] });
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [part(1), other, part(3), part(2, { host: "www.films.example" })] } }), typed });
  assert.deepEqual([...page.document.querySelectorAll("#unknown h3")].map((heading) => heading.textContent), ["The Long Night: 3 viewings", "Something else"]);
  assert.deepEqual([...page.document.querySelectorAll("#unknown li:first-child .viewings li")].map((line) => line.textContent?.slice(0, 6)), ["S02E03", "S02E02", "S02E01"]);
  page.type("#unknown .card input", "https://www.themoviedb.org/tv/1396");
  await page.click("#unknown .card [type=submit]");
  assert.deepEqual(page.rig.asked("identify").map(({ id, media }) => [id[0], media.show.ids.tmdb, media.season, media.episode]), [["3", 1396, 2, 3], ["2", 1396, 2, 2], ["1", 1396, 2, 1]]);
  assert.equal(page.said(), "Saved for 3 viewings: Series 1396 on themoviedb.org");
});

test("an answer that cannot be that of several viewings is not given to any", async (t) => {
  const links = { ...typed, wrong: { type: "episode", show: { ids: { tmdb: 1396 } }, season: 5, episode: 5 } };
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [part(1), part(2)] } }), typed: links });
  for (const link of ["https://www.themoviedb.org/movie/603", "wrong"]) {
    page.type("#unknown .card input", link);
    await page.click("#unknown .card [type=submit]");
    assert.match(page.words("#unknown .card .fault:not([hidden])"), /does not fit them all|the link is a film/);
  }
  assert.deepEqual(page.rig.asked("identify"), []);
});

test("the same name alone is no same evidence: each is asked for itself, side by side", async (t) => {
  const same = (/** @type {number} */ n) => part(n, { kind: null, title: "The Boys – Season 1", evidence: {}, names: [{ from: "title", text: "The Boys – Season 1" }] });
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [same(1), part(2), same(3)] } }) });
  assert.deepEqual([...page.document.querySelectorAll("#unknown > li")].map((item) => item.getAttribute("data-ids")?.[0]), ["3", "1", "2"]);
});

test("one more episode comes into its card, and what is being typed stays", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [part(1)] } }) });
  const field = page.find("#unknown input");
  field.focus();
  field.value = "half a li";
  page.rig.script.state = stateWith({ outbox: { unknown: [part(1), part(2)] } });
  page.rig.change();
  await settle();
  assert.equal(page.words("#unknown h3"), "The Long Night: 2 viewings");
  assert.equal(page.find("#unknown input"), field);
  assert.deepEqual([page.document.activeElement, field.value], [field, "half a li"]);
});

/** @param {any} page @param {string} label */
const named = (page, label) => [...page.document.querySelectorAll("#needs button")].find((one) => one.textContent === label && !one.closest("[hidden]"));

/** @type {[string, string, any, RegExp, RegExp][]} */
const DISMISSALS = [
  ["Not a film", "Yes, not a film", { kind: "notFilm", id: part(2).id }, /not asked about it again/, /^Not asked about again: The Long Night S02E02$/],
  ["Never here", "Never on films.example", { kind: "never", host: "films.example" }, /Nothing on films\.example is asked about or counted any more/, /^Nothing is asked about or counted any more on films\.example\.$/],
  ["Discard", "Yes, discard", { kind: "discardAll", ids: [part(2).id, part(1).id] }, /^2 viewings do not reach your diary/, /^Discarded: /],
  ["Discard all questions", "Yes, discard", { kind: "discardAll", ids: [part(1).id, part(2).id] }, /^2 viewings do not reach your diary/, /^Discarded: 2 viewings$/],
];
for (const [label, yes, message, sure, said] of DISMISSALS) {
  test(`"${label}" says what it does, asks, and does it`, async (t) => {
    const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [part(1), part(2)] } }) });
    named(page, label).click();
    assert.match(named(page, "Keep it").closest(".sure").querySelector("span").textContent, sure);
    assert.equal(page.document.activeElement?.textContent, "Keep it");
    named(page, "Keep it").click();
    assert.equal(page.document.activeElement?.textContent, label);
    assert.deepEqual(page.rig.asked(message.kind), []);
    named(page, label).click();
    named(page, yes).click();
    await settle();
    assert.deepEqual(page.rig.asked(message.kind), [message]);
    assert.match(page.said(), said);
  });
}

test("a single question needs no way to discard all", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [part(1)] } }) });
  assert.equal(page.find("#needs-all").hidden, true);
});

test("what was refused comes with the latest first, too", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { rejected: [rejected({ title: "Old" }), rejected({ id: "dddddddd-2222-4333-8444-555555555555", title: "New" })] } }) });
  assert.deepEqual([...page.document.querySelectorAll("#rejected h3")].map((heading) => heading.textContent), ["New", "Old"]);
});

test("news does not touch what is being typed", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }) });
  const field = page.find(`#what-${needs}`);
  field.focus();
  field.value = "half a li";
  page.rig.script.state = stateWith({ outbox: { waiting: 4, unknown: [unknown(), unknown({ id: "cccccccc-2222-4333-8444-555555555555" })] } });
  page.rig.change();
  await settle();
  assert.match(page.words("#waits"), /^4 entries wait in this browser/);
  assert.equal(page.find(`#what-${needs}`), field);
  assert.equal(page.document.activeElement, field);
  assert.equal(field.value, "half a li");
});

test("a refused entry is shown with its words; discarding takes two steps, Escape goes back", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { rejected: [rejected()] } }) });
  assert.match(page.words("#rejected li"), /Filmspool refused it: “media.title is longer than 1000 characters”/);
  await page.click("#rejected .quiet");
  assert.equal(page.document.activeElement?.textContent, "Keep it");
  await page.press("#rejected .sure button", "Escape");
  assert.equal(page.find("#rejected .sure").hidden, true);
  assert.equal(page.document.activeElement?.textContent, "Discard");
  assert.deepEqual(page.rig.asked("discard"), []);
  await page.click("#rejected .quiet");
  page.rig.script.state = stateWith();
  await page.click("#rejected .danger");
  assert.deepEqual(page.rig.asked("discard"), [{ kind: "discard", id: rejected().id }]);
  assert.equal(page.said(), "Discarded: Night Train (1959)");
});

test("text from outside stays text", async (t) => {
  const evil = rejected({ title: "<img src=x onerror=alert(1)>", message: "`<b>` $1 $WORDS$" });
  const page = await open(t, "popup", { state: stateWith({ outbox: { rejected: [evil], unknown: [unknown({ evidence: { title: "<script>1</script>" }, host: "<i>" })] } }) });
  assert.equal(page.document.querySelector("main img, main script, main b, main i, #rejected code"), null);
  assert.match(page.words("#rejected h3"), /<img/);
});

for (const [kind, evidence, words] of [
  ["episode", { kind: "episode", title: "The Long Night", season: 2, episode: 3 }, "Remember the answer for this series"],
  ["movie", { kind: "movie", title: "Night Train" }, "Remember the answer for this film on films.example"],
  [null, { title: "Night Train", year: 1959 }, "Remember the answer for this film"],
  [null, {}, "Remember the answer for this page on films.example"],
  ["episode", { kind: "episode", title: "The Long Night" }, "Remember the answer for this page on films.example"],
]) {
  test(`a card offers to remember the answer, and says for what: ${JSON.stringify(evidence)}`, async (t) => {
    const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown({ kind, evidence })] } }) });
    assert.equal(page.words("#unknown .check"), words);
    assert.equal(page.find("#unknown .check").hidden, false);
  });
}

test("a card says when the service could not be asked", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown({ later: true })] } }) });
  assert.match(page.words("#unknown li"), /Your service cannot be asked now. It is asked again by itself/);
});

test("what was reported just now can be taken back", async (t) => {
  const recent = [{ id: needs, title: "Night Train (1959)", at: "2026-11-21T20:45:00+01:00" }];
  const page = await open(t, "popup", { state: stateWith({ recent }) });
  assert.match(page.words("#recent-list"), /^Night Train \(1959\)/);
  page.rig.script.answers = { undo: { ok: false, code: "UNDO_REFUSED", message: "it stays" } };
  await page.click("#recent-list button");
  assert.equal(page.said(), "It was not taken back: it stays");
  page.rig.script.answers = { undo: { ok: false, code: "UNDO_OLD", message: "" } };
  await page.click("#recent-list button");
  assert.match(page.said(), /^This Filmspool is too old to take it back/);
  page.rig.script.answers = {};
  page.rig.script.state = stateWith();
  await page.click("#recent-list button");
  assert.equal(page.said(), "Taken back: Night Train (1959)");
  assert.deepEqual(page.rig.asked("undo").map(({ id }) => id), [needs, needs, needs]);
  assert.equal(page.find("#recent").hidden, true);
});
