// The options: pairing, the sites that Filmspool may look at, what counts as watched, private mode.
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, settle, stateWith } from "./page-rig.js";
import { coverage, grouped } from "../source/pages/sites.js";

const https = (/** @type {string[]} */ ...hosts) => hosts.map((host) => `https://${host}/*`);
const allowed = (/** @type {string[]} */ ...origins) => origins.map((origin) => ({ origin, granted: true }));

/** @type {[string, string[] | null][]} what is typed, and the match patterns that it covers */
const SITES = [
  ["films.example", https("films.example", "www.films.example")],
  ["www.films.example", https("films.example", "www.films.example")],
  ["www.player.films.example", https("player.films.example", "www.player.films.example")],
  [" https://www.films.example:8096/watch/7?x=1 ", https("films.example", "www.films.example")],
  ["http://films.example", ["https://films.example/*", "http://films.example/*", "https://www.films.example/*", "http://www.films.example/*"]],
  ["8.8.8.8", https("8.8.8.8")],
  ["[fd00::7]", ["https://[fd00::7]/*", "http://[fd00::7]/*"]],
  ["nas.local:8096/web/index.html", ["https://nas.local/*", "http://nas.local/*"]],
  ["https://nas.lan", https("nas.lan")],
  ["*.films.example", https("*.films.example")],
  ...["*", "1234", "not a site", "javascript:alert(1)"].map((typed) => /** @type {[string, null]} */ ([typed, null])),
];
for (const [typed, origins] of SITES) test(`the site "${typed}"`, () => assert.deepEqual(coverage(typed), origins));

/** @type {[string[], string[]][]} what is allowed, and the other of its two names */
const HALVES = [
  [https("tube.example"), https("www.tube.example")],
  [https("www.tube.example"), https("tube.example")],
  [https("player.tube.example"), []],
  [https("*.tube.example", "tube.example"), []],
];
for (const [origins, missing] of HALVES) test(`the other name of ${origins}`, () => assert.deepEqual(grouped(allowed(...origins))[0].missing, missing));

test("a site is typed and allowed; junk, and a no to the browser's question, change nothing", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [] }) });
  page.type("Address of the site", "films.example");
  await page.click("Allow this site");
  const origins = https("films.example", "www.films.example");
  assert.deepEqual([page.rig.asked("permissions.request")[0].origins, page.rig.asked("grant")], [origins, [{ kind: "grant", origins }]]);
  page.type("Address of the site", "not a site");
  await page.click("Allow this site");
  assert.match(page.fault("Address of the site"), /not the address of a site/);
  page.rig.script.grants = false;
  page.type("Address of the site", "tube.example");
  await page.click("Allow this site");
  assert.match(page.fault("Address of the site"), /nothing has changed/);
  assert.deepEqual([page.rig.asked("grant").length, page.get("Address of the site").value], [1, "tube.example"]);
});

test("allowed sites are listed by what they cover; removed, allowed again", async (t) => {
  const sites = [...allowed(...https("films.example", "www.films.example"), "http://nas.lan/*"), { origin: "http://tv.example/*", granted: false }];
  const page = await open(t, "options", { state: stateWith({ sites }) });
  assert.match(page.shown(), /films\.example, www\.films\.example \(https\) allowed.*nas\.lan \(http\) allowed.*not encrypted.*tv\.example \(http\) taken back/);
  await page.click("Allow again: tv.example");
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins: ["http://tv.example/*"] }]);
  await page.click("Remove: films.example");
  assert.deepEqual(page.rig.asked("ungrant"), [{ kind: "ungrant", origins: https("films.example", "www.films.example") }]);
});

const MAX = https("play.hbomax.com", "play.max.com");

test("the grid: a tick asks for all names of a site at once, and gives them back", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [] }) });
  page.rig.script.state.sites = allowed(...MAX);
  await page.click("HBO Max");
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins: MAX }]);
  assert.equal(page.get("HBO Max").checked, true);
  page.rig.script.state.sites = [];
  await page.click("HBO Max");
  assert.deepEqual(page.rig.asked("ungrant"), [{ kind: "ungrant", origins: MAX }]);
  assert.equal(page.get("HBO Max").checked, false);
});

test("the grid: a no leaves no tick; a part is ticked by half; a wider permission is not taken away", async (t) => {
  const refused = await open(t, "options", { state: stateWith({ sites: [] }), grants: false });
  await refused.click("HBO Max");
  assert.deepEqual([refused.get("HBO Max").checked, refused.rig.asked("grant")], [false, []]);
  const page = await open(t, "options", { state: stateWith({ sites: allowed(MAX[0], "https://*.netflix.com/*") }) });
  assert.deepEqual([page.get("HBO Max").checked, page.get("HBO Max").indeterminate], [false, true]);
  assert.match(page.shown(), /Allowed in part · Known to work: \w+ 20\d\d/);
  await page.click("HBO Max");
  assert.deepEqual(page.rig.asked("permissions.request")[0].origins, MAX.slice(1));
  await page.click("Netflix");
  assert.match(page.said(), /still allowed/);
  assert.deepEqual([page.get("Netflix").checked, page.rig.asked("ungrant")], [true, []]);
});

test("the grid is searched, and offers a server of one's own", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [] }) });
  for (const [typed, found] of /** @type {[string, string[]][]} */ ([["NETF", ["Netflix"]], ["disney plus", ["Disney+"]], ["hbomax.com", ["HBO Max"]], ["zzz", []]])) {
    page.type("Search", typed);
    assert.deepEqual(["Netflix", "Disney+", "HBO Max", "Jellyfin …"].filter((name) => page.named(name)), found, typed);
  }
  page.type("Search", "");
  await page.click("Jellyfin …");
  page.type("Address of your Jellyfin server", "http://192.168.1.7:8096/web/index.html");
  await page.click("Allow this site");
  assert.deepEqual(page.rig.asked("grant")[0].origins, ["https://192.168.1.7/*", "http://192.168.1.7/*"]);
});

test("thresholds in percents and minutes, kept in parts and seconds; out of range they are refused", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  assert.deepEqual(["#movie-played", "#episode-position", "#movie-minimum", "#rule-last"].map((id) => page.get(id).value), ["50", "80", "5", "0"]);
  page.type("#episode-position", "90");
  page.type("#rule-last", "5");
  await page.click("#rule-form [value=save]");
  const { rule } = page.rig.asked("settings")[0].settings;
  assert.deepEqual([rule.episode, rule.last], [{ played: 0.5, position: 0.9, minimum: 300 }, 300]);
  for (const [id, value] of [["#movie-played", "0"], ["#movie-played", "101"], ["#episode-minimum", "-1"], ["#rule-last", "five"], ["#movie-position", "1.5"]]) {
    await page.click("Back to the defaults");
    const kept = page.rig.asked("settings").length;
    page.type(id, value);
    await page.click("#rule-form [value=save]");
    assert.match(page.fault(`${id}`), /^A whole number from \d+ to \d+\.$/);
    assert.equal(page.rig.asked("settings").length, kept, `${id} ${value}`);
  }
});

test("private mode is kept as it is switched, and ends with the pause button, too", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  await page.click("Private mode");
  assert.equal(page.rig.asked("settings")[0].settings.private, true);
  assert.match(page.shown(), /Private mode: nothing is recorded/);
  await page.click("End private mode");
  assert.equal(page.get("Private mode").checked, false);
});

const unpaired = () => stateWith({ link: { state: "unpaired", pairedLabel: null } });

test("pairing: the form is open and filled in, takes the code in any spelling, and leads to the grid", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  assert.deepEqual([page.get("#pair").open, page.get("#paired").hidden, page.get("#pair-address").value], [true, true, "127.0.0.1:43456"]);
  assert.equal(page.get("Open the page").href, "http://127.0.0.1:43456/");
  assert.notEqual(page.get("#pair-label").value, "");
  assert.equal(page.document.activeElement?.id, "pair-code");
  page.type("#pair-label", "  Living room ");
  page.type("#pair-address", "http://localhost:50000/");
  page.rig.script.state = stateWith({ sites: [] });
  const paste = new page.document.defaultView.Event("paste");
  page.get("#pair-code").dispatchEvent(Object.assign(paste, { clipboardData: { getData: () => " k7m2 – 9qxd" } })); // it is sent
  await settle();
  assert.deepEqual(page.rig.asked("pair"), [{ kind: "pair", code: "K7M29QXD", label: "Living room", address: "localhost:50000" }]);
  assert.match(page.shown(), /This browser is paired as “Firefox at home”/);
  assert.deepEqual([page.get("#pair-code").value, page.said(), page.document.activeElement?.id], ["", "Paired.", "to-sites"]);
  await page.click("Choose where you watch");
  assert.equal(page.document.activeElement?.id, "sites-heading");
  page.rig.script.state = stateWith();
  page.rig.change();
  await settle();
  assert.equal(page.named("Choose where you watch"), undefined);
});

test("a field that the user is typing into is not filled in again", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  page.get("#pair-address").focus();
  page.type("#pair-address", "");
  for (const [focused, value] of [["#pair-address", ""], ["#pair-code", "127.0.0.1:43456"]]) {
    page.get(focused).focus();
    page.rig.change();
    await settle();
    assert.equal(page.get("#pair-address").value, value);
  }
});

/** @type {[string, string, RegExp][]} the field, what is typed, and what is wrong with it */
const BAD = [
  ["pair-code", " ", /Type the code that Filmspool's page or filmspool sources pair shows/],
  ["pair-code", "K7M29QXO", /without 0, 1, I and O/],
  ["pair-address", "192.168.1.5:43456", /An address on this computer/],
  ["pair-label", "x".repeat(61), /At most 60 characters; this has 61/],
];
for (const [field, value, words] of BAD) {
  test(`pairing: a bad ${field}, "${value.slice(0, 20)}"`, async (t) => {
    const page = await open(t, "options", { state: unpaired() });
    page.type("#pair-code", "K7M29QXD");
    page.type(`#${field}`, value);
    await page.click("#pair-form [type=submit]");
    assert.match(page.fault(`#${field}`), words);
    assert.deepEqual([page.document.activeElement?.id, page.get(`#${field}`).value, page.rig.asked("pair")], [field, value, []]);
  });
}

test("a refused pairing keeps the code and says what to do", async (t) => {
  const page = await open(t, "options", { state: unpaired(), answers: { pair: { ok: false, code: "PAIRING_CODE_INVALID" } } });
  page.type("#pair-code", "K7M2-9QXD");
  await page.click("#pair-form [type=submit]");
  assert.match(page.fault("#pair-code"), /older than ten minutes. Get a new one/);
  assert.equal(page.get("#pair-code").value, "K7M2-9QXD");
});

test("unpairing takes two steps, and Escape goes back; a new address is checked", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  for (const [typed, kept] of [["nonsense", []], ["50000", ["127.0.0.1:50000"]]]) {
    page.type("#new-address", typed);
    await page.click("#address-form [type=submit]");
    assert.deepEqual(page.rig.asked("settings").map(({ settings }) => settings.address), kept);
  }
  await page.click("#unpair");
  assert.equal(page.document.activeElement?.id, "unpair-no");
  const { KeyboardEvent } = page.document.defaultView;
  page.get("#unpair-no").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  assert.equal(page.document.activeElement?.id, "unpair");
  await page.click("#unpair");
  page.rig.script.state = unpaired();
  await page.click("#unpair-yes");
  assert.deepEqual([page.rig.asked("unpair"), page.get("#pair").open], [[{ kind: "unpair" }], true]);
});

test("what was said goes away after a while; that nothing answers stays", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const page = await open(t, "options", { state: stateWith() });
  await page.click("Private mode");
  assert.equal(page.said(), "Saved.");
  t.mock.timers.tick(20_000);
  assert.equal(page.said(), "");
  const silent = await open(t, "options", { state: undefined });
  t.mock.timers.tick(20_000);
  assert.match(silent.said(), /does not answer/);
});
