// What the popup shows, and does: the link, what plays, a pause, what needs attention.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, stateWith } from "./page-rig.js";

const tab = { id: 7, url: "https://films.example/watch/7" };
const granted = ["https://films.example/*"];
const episode = { type: "episode", show: { ids: { tmdb: 1396 }, title: "The Long Night" }, season: 2, episode: 3 };
const session = { id: "11111111-2222-4333-8444-555555555555", host: "films.example", title: "Watch The Long Night online", duration: 2700, played: 920 };
const now = { session, crossed: false, needs: 690 };
const playing = { state: stateWith(), tab, granted, now, identified: episode };

/** @type {[string, RegExp, string[]][]} the link's state, what is shown of it, its buttons */
const LINKS = [
  ["unpaired", /not paired with Filmspool yet/, ["Open the options"]],
  ["connected", /Connected to Filmspool 0\.4\.0/, []],
  ["ready", /Paired with Filmspool/, []],
  ["lost", /interrupted.*Nothing is lost/, ["Try again"]],
  ["offline", /not running.*filmspool service start/, ["Try again"]],
  ["revoked", /does not accept this browser/, ["Open the options"]],
  ["stranger", /Another program answers at 127\.0\.0\.1:43456/, ["Try again", "Open the options"]],
  ["old", /Update the older of the two/, ["Try again"]],
];
for (const [state, words, buttons] of LINKS) {
  test(`the link ${state}`, async (t) => {
    const page = await open(t, "popup", { state: stateWith({ link: { state } }) });
    assert.match(page.shown(), words);
    assert.deepEqual(["Try again", "Open the options"].filter((name) => page.named(name)), buttons);
  });
}

test("texts are in the browser's language, and commands are code", async (t) => {
  const page = await open(t, "popup", { state: stateWith({ link: { state: "offline" } }) }, { language: "de" });
  assert.match(page.shown(), /Filmspool läuft nicht/);
  assert.equal(page.document.querySelector("code").textContent, "filmspool service start");
  assert.equal(page.document.documentElement.lang, "de");
});

test("what plays: its name, how far it is, mark as watched, add to watchlist", async (t) => {
  const page = await open(t, "popup", playing);
  assert.match(page.shown(), /The Long Night S02E03.*12 minutes more until it counts as watched/);
  assert.equal(page.document.querySelector("progress").value.toFixed(2), (920 / 1610).toFixed(2));
  await page.click("Add to watchlist");
  assert.deepEqual(page.rig.asked("watchlist")[0].media, { type: "tv", ids: { tmdb: 1396 }, title: "The Long Night" });
  await page.click("Mark as watched");
  const [{ session: sent, tab: at }] = page.rig.asked("watched");
  assert.deepEqual([sent.id, at], [session.id, 7], "the same session stays one event");
  assert.match(sent.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  assert.match(page.said(), /The Long Night S02E03/);
  assert.match(page.shown(), /Marked as watched/);
  assert.equal(page.named("Mark as watched"), undefined);
});

test("what is not recognised is named by its page, and nothing is asked", async (t) => {
  const seen = { title: "The Matrix (1999)", host: "films.example" };
  const page = await open(t, "popup", { ...playing, identified: null, seen });
  assert.match(page.shown(), /The Matrix \(1999\).*films\.example · Filmspool looks it up, or asks you on its Review page/);
  assert.equal(page.named("Add to watchlist"), undefined);
  assert.deepEqual([...page.document.querySelectorAll("input, textarea, select")], []);
  await page.click("Mark as watched");
  assert.match(page.said(), /The Matrix \(1999\)/);
});

test("what has counted, and what does not count by itself", async (t) => {
  const done = await open(t, "popup", { ...playing, now: { ...now, crossed: true, needs: 0 } });
  assert.match(done.shown(), /Watched, and kept/);
  const live = await open(t, "popup", { ...playing, now: { ...now, needs: null } });
  assert.match(live.shown(), /Too short or live/);
  assert.ok(live.named("Mark as watched"));
});

for (const [reason, words] of /** @type {[string, RegExp][]} */ ([["full", /too much is waiting/], ["storage", /could not be kept/]])) {
  test(`marking that fails says why: ${reason}`, async (t) => {
    const page = await open(t, "popup", { ...playing, answers: { watched: { kept: false, reason } } });
    await page.click("Mark as watched");
    assert.match(page.said(), words);
  });
}

/** @type {[any, RegExp][]} why a video that plays is not counted */
const REASONS = [
  [{ why: "muted" }, /without sound/], [{ why: "short", least: 300 }, /shorter than 5 minutes/], [{ why: "live" }, /live broadcast/],
  [{ why: "length" }, /length is not known yet/], [{ why: "hidden" }, /hidden or very small/], [{ why: "paused" }, /recording is off/],
];
for (const [silence, words] of REASONS) {
  test(`not counted: ${silence.why}`, async (t) => {
    const idle = await open(t, "popup", { state: stateWith(), tab, granted, now: null, outlooks: [{ players: [] }, { players: [], ...silence }] });
    assert.match(idle.shown(), words);
    const beside = await open(t, "popup", { ...playing, now: { ...now, why: silence.why } });
    assert.match(beside.shown(), /not counted|It counts once/);
  });
}

test("nothing plays, the page has to be reloaded, or only sound is heard", async (t) => {
  for (const [script, words] of /** @type {[any, RegExp][]} */ ([
    [{ tab: { id: 1 } }, /Nothing is playing in this tab/], [{ tab, granted }, /Reload this page/], [{ tab, granted, now: null }, /Nothing is playing in this tab/],
    [{ tab: { ...tab, audible: true }, granted, now: null }, /Something is heard/],
  ])) {
    const page = await open(t, "popup", { state: stateWith(), ...script });
    assert.match(page.shown(), words);
    assert.doesNotMatch(page.shown(), /Allow/);
  }
});

const tube = () => ({ state: stateWith(), tab: { id: 7, url: "https://www.tube.example/watch?v=1" } });

test("in Firefox the options ask, for the question would close the popup", async (t) => {
  const page = await open(t, "popup", { ...tube(), firefox: true });
  await page.click("Allow www.tube.example …");
  assert.deepEqual(page.rig.asked("permissions.request"), []);
  const { url } = page.rig.asked("create")[0];
  assert.match(url, /options\.html#site=www\.tube\.example$/);
  const options = await open(t, "options", { state: stateWith() }, { hash: new URL(url).hash });
  assert.equal(options.get("Address of the site").value, "www.tube.example");
});

test("a player in a frame of another site can be allowed, unless what plays is certain", async (t) => {
  const outlooks = [{ players: [{ site: "https://ads.example/*", area: 50_000 }, { site: "https://player.example/*", area: 400_000 }] }];
  const page = await open(t, "popup", { state: stateWith(), tab, granted, now: null, outlooks });
  assert.match(page.shown(), /A player of player\.example is in this page/);
  await page.click("Allow player.example …");
  assert.deepEqual(page.rig.asked("grant")[0].origins, ["https://player.example/*", "https://www.player.example/*"]);
  const sure = await open(t, "popup", { ...playing, outlooks });
  assert.equal(sure.named("Allow player.example …"), undefined);
});

test("a pause of an hour, which the same button ends", async (t) => {
  const page = await open(t, "popup", playing);
  await page.click("Pause for an hour");
  await page.click("Resume");
  const [paused, ended] = page.rig.asked("settings").map(({ settings }) => Math.round((settings.pausedUntil - Date.now()) / 60_000));
  assert.equal(paused, 60);
  assert.ok(ended <= 0);
});

test("what Filmspool has refused is sent again, or discarded at the second click", async (t) => {
  const id = "bbbbbbbb-2222-4333-8444-555555555555";
  const rejected = [{ id, title: "Night Train (1959)", code: "BAD_MESSAGE", field: "media.title", at: "2026-11-21T18:30:00+01:00" }];
  const page = await open(t, "popup", { state: stateWith({ outbox: { rejected } }) });
  assert.match(page.shown(), /Night Train \(1959\).*refused it \(BAD_MESSAGE media\.title\)/);
  await page.click("Send again");
  assert.deepEqual(page.rig.asked("again"), [{ kind: "again", id }]);
  await page.click("Discard");
  assert.deepEqual(page.rig.asked("discard"), []);
  assert.match(page.said(), /will not reach your diary/);
  await page.click("Yes, discard");
  assert.deepEqual(page.rig.asked("discard"), [{ kind: "discard", id }]);
});

/** @type {[any, RegExp][]} what waits where */
const WAITS = [
  [{}, /Nothing waits/],
  [{ outbox: { waiting: 1 } }, /1 entry waits in this browser/],
  [{ outbox: { full: true } }, /can keep no more/],
  [{ daemon: { pending: 2 } }, /Filmspool is sending 2 entries/],
  [{ daemon: { online: false, pending: 2 } }, /keeps 2 entries until your service can be reached/],
  [{ daemon: { problems: [{ severity: "soon", text: "The disk is nearly full.", act: "Make room." }] } }, /The disk is nearly full\. Make room\./],
];
for (const [how, words] of WAITS) test(`what waits: ${words.source}`, async (t) => assert.match((await open(t, "popup", { state: stateWith(how) })).shown(), words));
