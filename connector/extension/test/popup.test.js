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
  ["unpaired", {}, "This browser is not paired with Filmspool yet.", "Get a code with filmspool pair and type it in the options.", ["to-pairing"]],
  ["connected", {}, "Connected to Filmspool 0.4.0.", "", []],
  ["waiting", {}, "Paired with Filmspool.", "", []],
  ["waiting", { detail: "The connection to Filmspool was lost." }, "The connection to Filmspool is interrupted.", "It is tried again by itself. Nothing is lost.", ["retry"]],
  ["offline", {}, "Filmspool is not running.", "Start it with: filmspool service start", ["retry"]],
  ["revoked", {}, "Filmspool does not accept this browser any more.", "Pair it again with a new code from filmspool pair.", ["to-pairing"]],
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
  await closed.click("#allow-site");
  assert.equal(closed.rig.asked("create")[0].url, "chrome-extension://filmspool/pages/options.html#site=films.example");
  const deaf = await open(t, "popup", { state: stateWith(), tab, granted });
  assert.match(deaf.words("#now-empty"), /^Reload this page/);
  const idle = await open(t, "popup", { state: stateWith(), tab, granted, now: null });
  assert.equal(idle.words("#now-empty"), "Nothing is playing in this tab.");
});

test("what waits, here and there", async (t) => {
  const daemon = { online: false, pending: 2, attention: 1, lastDelivered: null };
  const page = await open(t, "popup", { state: stateWith({ daemon, outbox: { waiting: 1, full: true } }) });
  const lines = [...page.document.querySelectorAll("#waits li")].map((item) => item.textContent);
  assert.match(lines[0] ?? "", /can keep no more/);
  assert.deepEqual(lines.slice(1), ["1 entry waits in this browser for Filmspool.", "Filmspool keeps 2 entries until your service can be reached.", "1 entry needs you in Filmspool. See: filmspool status"]);
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
  ["episode", { kind: "episode", title: "The Long Night", season: 2, episode: 3 }, "Remember the answer for this series on films.example"],
  ["movie", { kind: "movie", title: "Night Train" }, "Remember the answer for this film on films.example"],
  [null, { title: "Night Train", year: 1959 }, "Remember the answer for this film on films.example"],
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
