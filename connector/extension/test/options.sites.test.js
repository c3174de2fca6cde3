// The sites in the options: allowed, found in the grid, listed and removed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateWith } from "./fake-api.js";
import { open, settle } from "./page-rig.js";

/** @type {[string, string[] | null][]} */
const SITES = [
  ["films.example", ["https://films.example/*", "https://www.films.example/*"]],
  ["www.films.example", ["https://films.example/*", "https://www.films.example/*"]],
  ["films.co.uk", ["https://films.co.uk/*", "https://www.films.co.uk/*"]],
  ["player.films.example", ["https://player.films.example/*"]],
  ["www.player.films.example", ["https://player.films.example/*", "https://www.player.films.example/*"]],
  [" https://www.films.example:8096/watch/7?x=1 ", ["https://films.example/*", "https://www.films.example/*"]],
  ["http://films.example", ["https://films.example/*", "http://films.example/*", "https://www.films.example/*", "http://www.films.example/*"]],
  ["HTTP://192.168.1.5:8096", ["https://192.168.1.5/*", "http://192.168.1.5/*"]],
  ["192.168.1.5:8096", ["https://192.168.1.5/*", "http://192.168.1.5/*"]],
  ["172.16.0.9", ["https://172.16.0.9/*", "http://172.16.0.9/*"]],
  ["8.8.8.8", ["https://8.8.8.8/*"]],
  ["[fd00::7]", ["https://[fd00::7]/*", "http://[fd00::7]/*"]],
  ["nas", ["https://nas/*", "http://nas/*"]],
  ["nas.lan", ["https://nas.lan/*", "http://nas.lan/*"]],
  ["nas.local:8096/web/index.html", ["https://nas.local/*", "http://nas.local/*"]],
  ["nas.home.arpa", ["https://nas.home.arpa/*", "http://nas.home.arpa/*"]],
  ["https://nas.lan", ["https://nas.lan/*"]],
  ["*.films.example", ["https://*.films.example/*"]],
  ["http://*.films.example/x", ["https://*.films.example/*", "http://*.films.example/*"]],
  ["localhost:8096", ["https://localhost/*", "http://localhost/*"]],
  ["", null],
  ["*", null],
  ["1234", null],
  ["chrome://settings", null],
  ["file:///etc/passwd", null],
  ["not a site", null],
  ["javascript:alert(1)", null],
];
for (const [typed, origins] of SITES) {
  test(`the site "${typed}"`, async (t) => {
    const page = await open(t, "options", { state: stateWith({ sites: [] }) });
    page.type("#site", typed);
    await page.click("#site-form [type=submit]");
    assert.deepEqual(page.rig.asked("grant"), origins ? [{ kind: "grant", origins }] : []);
    assert.deepEqual(page.rig.asked("permissions.request"), origins ? [{ kind: "permissions.request", origins }] : []);
    if (!origins) assert.equal(page.find("#site").value, typed);
    assert.equal(page.find("#site-fault").hidden, origins !== null);
  });
}

test("a no to the browser's question changes nothing and loses nothing", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [] }), grants: false });
  page.type("#site", "films.example");
  await page.click("#site-form [type=submit]");
  assert.deepEqual(page.rig.asked("grant"), []);
  assert.match(page.words("#site-fault"), /nothing has changed/);
  assert.equal(page.find("#site").value, "films.example");
});

test("the popup's site is filled in; junk is not", async (t) => {
  const page = await open(t, "options", { state: stateWith() }, { hash: "#site=films.example" });
  assert.equal(page.find("#site").value, "films.example");
  assert.equal(page.document.activeElement?.id, "site");
  const other = await open(t, "options", { state: stateWith() }, { hash: "#site=javascript%3Aalert(1)" });
  assert.equal(other.find("#site").value, "");
});

test("the popup's site comes into view only when the list stands", async (t) => {
  const shown = [];
  const page = await open(t, "options", { state: stateWith() }, { hash: "#site=films.example", before: (window) => {
    window.HTMLElement.prototype.scrollIntoView = () => void shown.push(window.document.querySelectorAll("#sites li").length);
  } });
  assert.deepEqual(shown, [1]);
  assert.equal(page.document.activeElement?.id, "site");
});

test("sites are listed by what they cover; removed, allowed again", async (t) => {
  const sites = [
    { origin: "https://films.example/*", granted: true }, { origin: "https://www.films.example/*", granted: true },
    { origin: "http://tv.example/*", granted: false }, { origin: "http://nas.lan/*", granted: true }, { origin: "https://nas.lan/*", granted: true },
  ];
  const page = await open(t, "options", { state: stateWith({ sites }) });
  const rows = [...page.document.querySelectorAll("#sites li")].map((row) => row.querySelector("span")?.textContent);
  assert.deepEqual(rows, ["films.example, www.films.example (https) allowed", "tv.example (http) taken back in the browser", "nas.lan (https, http) allowed"]);
  assert.deepEqual([...page.document.querySelectorAll("#sites li")].map((row) => /http, which is not encrypted/.test(row.textContent ?? "")), [false, true, true]);
  await page.click('[aria-label="Allow again: tv.example"]');
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins: ["http://tv.example/*"] }]);
  await page.click('[aria-label="Remove: films.example"]');
  assert.deepEqual(page.rig.asked("ungrant"), [{ kind: "ungrant", origins: ["https://films.example/*", "https://www.films.example/*"] }]);
});

const PLACES = [
  { name: "nordlicht", label: "Nordlicht", hosts: ["www.nordlicht.example", "play.nordlicht-tv.example"], seen: "2026-11-20" },
  { name: "kinoplus", label: "Kino+", hosts: ["kinoplus.example"] },
];
const NORDLICHT = ["https://nordlicht.example/*", "https://www.nordlicht.example/*", "https://play.nordlicht-tv.example/*"];
const allowed = (/** @type {string[]} */ ...origins) => origins.map((origin) => ({ origin, granted: true }));
const tiles = (/** @type {{document: Document}} */ { document }) => [...document.querySelectorAll("#places li")].filter((item) => !(/** @type {HTMLElement} */ (item).hidden)).map((item) => item.querySelector("label, button")?.textContent?.trim());

test("the grid: sites in order, a server with its address", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [], places: PLACES }) });
  assert.deepEqual(tiles(page), ["Emby …", "Jellyfin …", "Kino+", "Nordlicht", "Plex …"]);
  assert.equal(page.words("#place-nordlicht-seen"), "Known to work: Nov 2026");
  assert.equal(page.words("#place-kinoplus-seen"), "");
  await page.click("#place-jellyfin");
  assert.equal(page.document.activeElement?.id, "site");
  assert.equal(page.words("#site-label"), "Address of your Jellyfin server");
  assert.match(page.words("#site-hint"), /192\.168\.1\.5:8096/);
  page.type("#site", "http://192.168.1.7:8096/web/index.html");
  await page.click("#site-form [type=submit]");
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins: ["https://192.168.1.7/*", "http://192.168.1.7/*"] }]);
  assert.equal(page.words("#site-label"), "Address of the site");
});

test("the grid: a tick asks for all names of the site at once, and gives them back", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [], places: PLACES }) });
  page.rig.script.state.sites = allowed(...NORDLICHT);
  await page.click("#place-nordlicht");
  assert.deepEqual(page.rig.asked("permissions.request"), [{ kind: "permissions.request", origins: NORDLICHT }]);
  assert.deepEqual(page.rig.asked("grant"), [{ kind: "grant", origins: NORDLICHT }]);
  assert.equal(page.find("#place-nordlicht").checked, true);
  assert.equal(page.said(), "Allowed: Nordlicht");
  assert.equal(page.document.querySelectorAll("#sites li").length, 0, "it stands in the grid, and not once more below");
  page.rig.script.state.sites = [];
  await page.click("#place-nordlicht");
  assert.deepEqual(page.rig.asked("ungrant"), [{ kind: "ungrant", origins: NORDLICHT }]);
  assert.equal(page.find("#place-nordlicht").checked, false);
  assert.equal(page.said(), "Removed: Nordlicht");
});

test("the grid: a second click does nothing while the browser asks", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [], places: PLACES }) });
  const box = page.find("#place-nordlicht");
  box.click();
  box.click();
  assert.equal(box.checked, true);
  await settle();
  assert.deepEqual([page.rig.asked("grant").length, page.rig.asked("ungrant").length], [1, 0]);
});

test("the grid: a no to the browser's question leaves the site without a tick", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: [], places: PLACES }), grants: false });
  await page.click("#place-kinoplus");
  assert.deepEqual(page.rig.asked("grant"), []);
  assert.equal(page.find("#place-kinoplus").checked, false);
  assert.match(page.said(), /nothing has changed/);
});

test("the grid: what was allowed before is ticked, a part of it half, and the rest is asked for", async (t) => {
  const page = await open(t, "options", { state: stateWith({ sites: allowed("https://*.kinoplus.example/*", NORDLICHT[0]), places: PLACES }) });
  assert.deepEqual([page.find("#place-kinoplus").checked, page.find("#place-kinoplus").indeterminate], [true, false]);
  assert.deepEqual([page.find("#place-nordlicht").checked, page.find("#place-nordlicht").indeterminate], [false, true]);
  assert.equal(page.words("#place-nordlicht-seen"), "Allowed in part · Known to work: Nov 2026");
  await page.click("#place-kinoplus");
  assert.match(page.said(), /^Kino\+ is still allowed, since/, "a wider permission is not taken away");
  assert.deepEqual(page.rig.asked("ungrant"), []);
  assert.equal(page.find("#place-kinoplus").checked, true);
  await page.click("#place-nordlicht");
  assert.deepEqual(page.rig.asked("permissions.request"), [{ kind: "permissions.request", origins: NORDLICHT.slice(1) }]);
});

for (const [typed, found] of /** @type {[string, string[]][]} */ ([["NORD", ["Nordlicht"]], ["kino plus", ["Kino+"]], ["nordlicht-tv.ex", ["Nordlicht"]], ["plex", ["Plex …"]], ["zzz", []], [" ", ["Emby …", "Jellyfin …", "Kino+", "Nordlicht", "Plex …"]]])) {
  test(`the grid: the search for "${typed}"`, async (t) => {
    const page = await open(t, "options", { state: stateWith({ sites: [], places: PLACES }) });
    page.type("#place-search", typed);
    assert.deepEqual(tiles(page), found);
    assert.equal(page.find("#places-none").hidden, found.length > 0);
    assert.equal(/below/.test(page.said()), found.length === 0);
    page.rig.change();
    await settle();
    assert.deepEqual(tiles(page), found, "news do not bring the others back");
  });
}

/** @type {[string[], string | null, string[]][]} what is allowed, the button, what it asks for */
const HALVES = [
  [["https://tube.example/*"], "Allow www.tube.example too", ["https://www.tube.example/*"]],
  [["https://www.tube.example/*"], "Allow tube.example too", ["https://tube.example/*"]],
  [["http://tube.example/*", "https://tube.example/*"], "Allow www.tube.example too", ["http://www.tube.example/*", "https://www.tube.example/*"]],
  [["https://player.tube.example/*"], null, []],
  [["https://*.tube.example/*", "https://tube.example/*"], null, []],
  [["https://nas.lan/*"], null, []],
  [["<all_urls>"], null, []],
];
for (const [allowed, label, origins] of HALVES) {
  test(`the other of the two names: ${allowed.join(" ")}`, async (t) => {
    const page = await open(t, "options", { state: stateWith({ sites: allowed.map((origin) => ({ origin, granted: true })) }) });
    const button = [...page.document.querySelectorAll("#sites button")].find((one) => !(/** @type {HTMLElement} */ (one).hidden) && /too$/.test(one.textContent ?? ""));
    assert.equal(button?.textContent ?? null, label);
    if (!button) return;
    /** @type {HTMLElement} */ (button).click();
    await settle();
    assert.deepEqual(page.rig.asked("grant").map((asked) => [...asked.origins].sort()), [origins]);
  });
}
