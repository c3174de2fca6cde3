// The popup's logic, in jsdom with a scripted background.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rejected, sitting, stateWith, unknown } from "./fake-api.js";
import { open, settle } from "./page-rig.js";

const tab = { id: 7, url: "https://films.example/watch/7" };
const granted = ["https://films.example/*"];
const episode = { type: "episode", show: { ids: { tmdb: 1396 }, title: "The Long Night" }, season: 2, episode: 3 };
const needs = "aaaaaaaa-2222-4333-8444-555555555555";

/** @type {[string, any, string, string, string[]][]} */
const LINKS = [
  ["unpaired", {}, "This browser is not paired with Filmspool yet.", "Pair it in the options, with two clicks or a code.", ["to-pairing"]],
  ["connected", {}, "Connected to Filmspool 0.4.0.", "", []],
  ["waiting", {}, "Paired with Filmspool.", "", []],
  ["waiting", { detail: "The connection to Filmspool was lost." }, "The connection to Filmspool is interrupted.", "It is tried again by itself. Nothing is lost.", ["retry"]],
  ["offline", {}, "Filmspool is not running.", "Start it with: filmspool service start", ["retry"]],
  ["revoked", {}, "Filmspool does not accept this browser any more.", "Pair it again in the options, with two clicks or a code.", ["to-pairing"]],
  ["stranger", {}, "Another program answers at 127.0.0.1:43456, or not your own Filmspool. It was told nothing.", "See with filmspool config show where yours listens, and set that address in the options.", ["retry", "to-pairing"]],
  ["old", {}, "Filmspool 0.4.0 and this extension 0.1.0 do not fit together.", "Update the older of the two.", ["retry"]],
];
for (const [state, more, words, next, buttons] of LINKS) {
  test(`the link ${state} ${JSON.stringify(more)}: one sentence and a next step`, async (t) => {
    const page = await open(t, "popup", { state: stateWith({ link: { state, ...more } }) });
    assert.equal(page.words("#link-words"), words);
    assert.equal(page.words("#link-next"), next);
    assert.deepEqual(["retry", "to-pairing"].filter((id) => !page.find(`#${id}`).hidden), buttons);
  });
}

test("a command stands as code, whatever the language", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ link: { state: "offline" } }) }, { language: "de" });
  assert.equal(page.words("#link-next code"), "filmspool service start");
  assert.equal(page.words("#link-words"), "Filmspool läuft nicht.");
  assert.equal(page.document.documentElement.lang, "de");
});

test("what plays has its name, and its progress in words and as a bar", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, granted, identified: episode, now: { sitting: sitting(), crossed: false, needs: 690 } });
  assert.equal(page.words("#now-title"), "The Long Night S02E03");
  assert.equal(page.words("#now-words"), "12 minutes more until it counts as watched");
  assert.equal(page.find("#now-progress").value.toFixed(2), (920 / 1610).toFixed(2));
});

test("what is not recognised is named by the page", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, granted, now: { sitting: sitting(), crossed: true, needs: 0 } });
  assert.equal(page.words("#now-title"), "The Long Night");
  assert.equal(page.words("#now-site"), "films.example · not recognised for certain");
  assert.equal(page.words("#now-words"), "Watched, and kept.");
  assert.equal(page.find("#now-mark").hidden, true);
});

test("what does not count by itself can be marked", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, granted, identified: episode, now: { sitting: sitting(), crossed: false, needs: null } });
  assert.match(page.words("#now-words"), /^Too short or live/);
  assert.equal(page.find("#now-progress").hidden, true);
  await page.click("#now-mark");
  const [{ sitting: sent }] = page.rig.asked("watched");
  assert.equal(sent.id, sitting().id, "the same sitting stays one event");
  assert.match(sent.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  assert.equal(page.said(), "Kept as watched: The Long Night S02E03");
  assert.equal(page.words("#now-words"), "Marked as watched.");
});

test("marking what is not recognised asks for it at once", async (t) => {
  const mine = unknown({ id: sitting().id });
  const page = await open(t, "popup", { state: stateWith({ outbox: { unknown: [mine] } }), tab, granted, now: { sitting: sitting(), crossed: false, needs: 690 } });
  await page.click("#now-mark");
  assert.equal(page.document.activeElement?.id, `what-${mine.id}`);
  assert.equal(page.said(), "Kept as watched. Now say what it was.");
});

for (const [reason, words] of [["paused", /recording is off/], ["full", /too much is waiting/], ["storage", /could not be kept/]]) {
  test(`marking that fails says why: ${reason}`, async (t) => {
    const page = await open(t, "popup", { state: stateWith(), tab, granted, now: { sitting: sitting(), crossed: false, needs: 690 }, answers: { watched: { kept: false, reason } } });
    await page.click("#now-mark");
    assert.match(page.said(), /** @type {RegExp} */ (words));
  });
}

test("an episode's series goes onto the watchlist", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, granted, identified: episode, now: { sitting: sitting(), crossed: false, needs: 690 } });
  await page.click("#now-wish");
  assert.deepEqual(page.rig.asked("watchlist")[0].media, { type: "tv", ids: { tmdb: 1396 }, title: "The Long Night" });
});

test("a wish without identifier goes to the form that takes a link", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, granted, now: { sitting: sitting(), crossed: false, needs: 690 } });
  await page.click("#now-wish");
  assert.equal(page.find("#entry").open, true);
  assert.equal(page.document.activeElement?.id, "entry-link");
});

test("the tab's empty states", async (t) => {
  const nothing = await open(t, "popup", { state: stateWith(), tab: { id: 1 } });
  assert.equal(nothing.words("#now-empty"), "Nothing is playing in this tab.");
  const closed = await open(t, "popup", { state: stateWith(), tab });
  assert.equal(closed.words("#now-empty"), "Filmspool may not look at films.example.");
  const deaf = await open(t, "popup", { state: stateWith(), tab, granted });
  assert.match(deaf.words("#now-empty"), /^Reload this page/);
  const idle = await open(t, "popup", { state: stateWith(), tab, granted, now: null, outlooks: [{ players: [] }, null] });
  assert.equal(idle.words("#now-empty"), "Nothing is playing in this tab.");
  assert.equal(idle.find("#allow-site").hidden, true);
  const loud = await open(t, "popup", { state: stateWith(), tab: { ...tab, audible: true }, granted, now: null });
  assert.equal(loud.words("#now-empty"), "Something is heard in this tab, but Filmspool finds no film in it.");
});

test("a site is allowed right in the popup, with its other name", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab: { id: 7, url: "https://www.tube.example/watch?v=1" } });
  assert.equal(page.words("#allow-site"), "Allow www.tube.example …");
  await page.click("#allow-site");
  const origins = ["https://tube.example/*", "https://www.tube.example/*"];
  assert.deepEqual(page.rig.asked("permissions.request"), [{ kind: "permissions.request", origins }]);
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins }]);
  assert.equal(page.said(), "Allowed: www.tube.example");
  assert.deepEqual(page.rig.asked("create"), []);
});

test("a no to the browser's question in the popup is told", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, grants: false });
  await page.click("#allow-site");
  assert.match(page.said(), /nothing has changed/);
  assert.deepEqual(page.rig.asked("grant"), []);
});

/** @type {[string, string][]} */
const ARRIVALS = [["https://www.tube.example/watch", "www.tube.example"], ["http://films.example/", "http://films.example"], ["http://nas.lan:8096/web", "nas.lan"]];
for (const [url, site] of ARRIVALS) {
  test(`in Firefox the options ask for ${url}`, async (t) => {
    const page = await open(t, "popup", { state: stateWith(), tab: { id: 7, url }, firefox: true });
    await page.click("#allow-site");
    assert.deepEqual(page.rig.asked("permissions.request"), []);
    assert.equal(page.rig.asked("create")[0].url, `moz-extension://filmspool/pages/options.html#site=${encodeURIComponent(site)}`);
  });
}

const inFrame = [{ players: [{ site: "https://ads.example/*", area: 50_000 }, { site: "https://player.example/*", area: 400_000 }] }];

test("a player in a frame of another site is named, with the button that allows it", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, granted, now: null, outlooks: inFrame });
  assert.equal(page.find("#now-empty").hidden, true, "nobody knows whether nothing plays");
  assert.match(page.words("#now-more"), /^A player of player\.example is in this page/);
  await page.click("#allow-site");
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins: ["https://player.example/*", "https://www.player.example/*"] }]);
});

test("a player in a frame is also named beside what was not recognised, and not beside what was", async (t) => {
  const now = { sitting: sitting(), crossed: false, needs: 690 };
  const unsure = await open(t, "popup", { state: stateWith(), tab, granted, now, outlooks: inFrame });
  assert.match(unsure.words("#now-more"), /player\.example/);
  const sure = await open(t, "popup", { state: stateWith(), tab, granted, now, identified: episode, outlooks: inFrame });
  assert.equal(sure.find("#now-more").hidden, true);
  assert.equal(sure.find("#allow-site").hidden, true);
});

test("what plays in a frame bears the name that the page around it tells", async (t) => {
  const now = { sitting: { ...sitting(), host: "player.example", title: "embed" }, crossed: false, needs: 690 };
  const told = { seen: { title: "The Matrix (1999)", host: "films.example" } };
  const page = await open(t, "popup", { state: stateWith(), tab, granted, now, told });
  assert.equal(page.words("#now-title"), "The Matrix (1999)");
  assert.equal(page.words("#now-site"), "films.example · not recognised for certain");
  assert.equal(page.rig.asked("sitting")[0].tab, 7);
  await page.click("#now-mark");
  assert.equal(page.rig.asked("watched")[0].tab, 7);
});

test("a frame that plays in a page that is not allowed shows, and the page can be allowed", async (t) => {
  const page = await open(t, "popup", { state: stateWith(), tab, now: { sitting: sitting(), crossed: false, needs: 690 } });
  assert.equal(page.find("#now-playing").hidden, false);
  assert.equal(page.words("#now-more"), "Filmspool may not look at films.example.");
  assert.equal(page.words("#allow-site"), "Allow films.example …");
});

/** @type {[any, RegExp][]} */
const REASONS = [
  [{ why: "muted" }, /^A video plays without sound, and nobody has touched it: not counted\. If you are watching, click into the page\.$/],
  [{ why: "short", least: 300 }, /^A video plays that is shorter than 5 minutes: not counted\./],
  [{ why: "live" }, /^A live broadcast plays: not counted\.$/],
  [{ why: "length" }, /whose length is not known yet\. It counts once its length is known\.$/],
  [{ why: "hidden" }, /hidden or very small: not counted\.$/],
  [{ why: "paused" }, /recording is off: not counted\.$/],
  [{ why: "never" }, /^Nothing is counted on films\.example, because you said “Never here”\./],
  [{ why: "notFilm" }, /because you said that it is not a film/],
];
for (const [silence, words] of REASONS) {
  test(`a video that plays and is not counted: ${silence.why}`, async (t) => {
    const page = await open(t, "popup", { state: stateWith(), tab, granted, now: null, outlooks: [{ players: [] }, { players: [], ...silence }] });
    assert.match(page.words("#now-empty"), words);
    const playing = await open(t, "popup", { state: stateWith(), tab, granted, now: { sitting: sitting(), crossed: false, needs: 690, why: silence.why } });
    assert.match(playing.words("#now-words"), /count/);
    assert.equal(playing.find("#now-progress").hidden, true);
  });
}

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

const typed = {
  "https://www.themoviedb.org/tv/1396": { type: "episode", show: { ids: { tmdb: 1396 } } },
  "https://www.themoviedb.org/movie/603": { type: "movie", ids: { tmdb: 603 } },
};

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

test("pause for an hour, and resume", async (t) => {
  const page = await open(t, "popup", { state: stateWith() });
  await page.click("#pause");
  const until = page.rig.asked("settings")[0].settings.pausedUntil;
  assert.ok(Math.abs(until - Date.now() - 3_600_000) < 60_000);
  assert.match(page.said(), /^Paused until /);
  assert.equal(page.words("#pause"), "Resume");
  await page.click("#pause");
  assert.equal(page.rig.asked("settings")[1].settings.pausedUntil, 0);
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

test("a background that does not answer is told", async (t) => {
  const page = await open(t, "popup", { state: undefined });
  assert.match(page.said(), /does not answer/);
});

const film603 = { type: "movie", ids: { tmdb: 603 } };

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

test("not this: what is recognised is corrected", async (t) => {
  const now = { sitting: sitting(), crossed: false, needs: 690 };
  const page = await open(t, "popup", { state: stateWith(), tab, granted, identified: film603, now });
  assert.equal(page.find("#now-wrong").hidden, false);
  page.rig.script.identified = null;
  await page.click("#now-wrong");
  assert.equal(page.rig.asked("notThis")[0].sitting.id, sitting().id);
  assert.equal(page.said(), "Understood. You are asked what it was when it counts as watched.");
  assert.equal(page.find("#now-wrong").hidden, true);
  const told = { ok: true, id: needs };
  const reported = await open(t, "popup", { state: stateWith({ outbox: { unknown: [unknown()] } }), tab, granted, identified: film603, now: { ...now, crossed: true }, answers: { notThis: told } });
  await reported.click("#now-wrong");
  assert.equal(reported.said(), "It was taken back. Now say what it was.");
  assert.equal(reported.document.activeElement?.id, `what-${needs}`);
});

test("a site that looks different is told, with a report that names no film", async (t) => {
  /** @type {string[]} */
  const copied = [];
  let allowed = true;
  const before = (/** @type {any} */ window) => Object.defineProperty(window.navigator, "clipboard", {
    value: { writeText: async (/** @type {string} */ text) => (allowed ? void copied.push(text) : Promise.reject(new Error("no"))) },
  });
  const places = [
    { name: "kinoplus", label: "Kino+", hosts: ["kinoplus.example"], seen: "2026-09-02" },
    { name: "nordlicht", label: "Nordlicht", hosts: ["nordlicht.example"], seen: "2026-11-20", lost: { minutes: 14, parts: ["say.0", "say.1"] } },
  ];
  const page = await open(t, "popup", { state: stateWith({ places }) }, { before });
  assert.equal(page.words("#lost-sites"), "Nordlicht looks different now. What you watch there is kept, and you are asked what it was.");
  await page.click("#lost-copy");
  assert.deepEqual(copied, ["Filmspool extension 0.1.0, Chromium\nrule nordlicht, last known to hold 2026-11-20: nothing found in 14 minutes of film by say.0, say.1"]);
  assert.equal(page.said(), "Copied.");
  allowed = false;
  await page.click("#lost-copy");
  assert.equal(page.said(), "The browser did not copy it. Try again.");
  page.rig.script.state = stateWith({ places: places.slice(0, 1) });
  page.rig.change();
  await settle();
  assert.equal(page.find("#lost").hidden, true);
});
