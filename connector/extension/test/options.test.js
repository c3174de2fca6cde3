// The options beside pairing: the sites that Filmspool may look at, what counts as watched, private mode.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateWith } from "./fake-api.js";
import { open } from "./page-rig.js";
import { coverage, grouped } from "../source/pages/coverage.js";

const https = (/** @type {string[]} */ ...hosts) => hosts.map((host) => `https://${host}/*`);
const allowed = (/** @type {string[]} */ ...origins) => origins.map((origin) => ({ origin, granted: true }));

/** @type {[string, string[] | null][]} what is typed, and the match patterns that it covers */
const SITES = [
  ["films.example", https("films.example", "www.films.example")],
  ["www.films.example", https("films.example", "www.films.example")],
  ["films.co.uk", https("films.co.uk", "www.films.co.uk")],
  ["player.films.example", https("player.films.example")],
  ["www.player.films.example", https("player.films.example", "www.player.films.example")],
  [" https://www.films.example:8096/watch/7?x=1 ", https("films.example", "www.films.example")],
  ["http://films.example", ["https://films.example/*", "http://films.example/*", "https://www.films.example/*", "http://www.films.example/*"]],
  ["HTTP://192.168.1.5:8096", ["https://192.168.1.5/*", "http://192.168.1.5/*"]],
  ["172.16.0.9", ["https://172.16.0.9/*", "http://172.16.0.9/*"]],
  ["8.8.8.8", https("8.8.8.8")],
  ["[fd00::7]", ["https://[fd00::7]/*", "http://[fd00::7]/*"]],
  ["nas", ["https://nas/*", "http://nas/*"]],
  ["nas.local:8096/web/index.html", ["https://nas.local/*", "http://nas.local/*"]],
  ["https://nas.lan", https("nas.lan")],
  ["*.films.example", https("*.films.example")],
  ...["", "*", "1234", "chrome://settings", "file:///etc/passwd", "not a site", "javascript:alert(1)"].map((typed) => /** @type {[string, null]} */ ([typed, null])),
];
for (const [typed, origins] of SITES) test(`the site "${typed}"`, () => assert.deepEqual(coverage(typed), origins));

/** @type {[string[], string[]][]} what is allowed, and the other of its two names */
const HALVES = [
  [https("tube.example"), https("www.tube.example")],
  [https("www.tube.example"), https("tube.example")],
  [https("player.tube.example"), []],
  [https("*.tube.example", "tube.example"), []],
  [["https://nas.lan/*"], []],
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

test("the popup's site is filled in; junk is not", async (t) => {
  const page = await open(t, "options", { state: stateWith() }, { hash: "#site=films.example" });
  assert.equal(page.get("Address of the site").value, "films.example");
  assert.equal(page.document.activeElement, page.get("Address of the site"));
  const other = await open(t, "options", { state: stateWith() }, { hash: "#site=javascript%3Aalert(1)" });
  assert.equal(other.get("Address of the site").value, "");
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
    assert.match(page.words(`${id}-fault`), /^A whole number from \d+ to \d+\.$/);
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
