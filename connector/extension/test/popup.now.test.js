// What the popup says of now, and does about it: the link, the tab in front, a pause.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sitting, stateWith, unknown } from "./fake-api.js";
import { open, settle } from "./page-rig.js";

const tab = { id: 7, url: "https://films.example/watch/7" };
const granted = ["https://films.example/*"];
const episode = { type: "episode", show: { ids: { tmdb: 1396 }, title: "The Long Night" }, season: 2, episode: 3 };
const needs = unknown().id;

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

test("a background that does not answer is told", async (t) => {
  const page = await open(t, "popup", { state: undefined });
  assert.match(page.said(), /does not answer/);
});

const film603 = { type: "movie", ids: { tmdb: 603 } };

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
