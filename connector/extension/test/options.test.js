// The options' logic, in jsdom with a scripted background.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateWith } from "./fake-api.js";
import { open, settle } from "./page-rig.js";

const unpaired = () => stateWith({ link: { state: "unpaired", pairedLabel: null } });

test("unpaired: the form is open, with name and address filled in", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  assert.equal(page.find("#pair").open, true);
  assert.equal(page.find("#paired").hidden, true);
  assert.equal(page.find("#pair-address").value, "127.0.0.1:43456");
  assert.notEqual(page.find("#pair-label").value, "");
});

test("pairing takes the code in any spelling", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  page.type("#pair-code", " k7m2 – 9qxd");
  page.type("#pair-label", "  Living room ");
  page.type("#pair-address", "http://localhost:50000/");
  page.rig.script.state = stateWith();
  await page.click("#pair-form [type=submit]");
  assert.deepEqual(page.rig.asked("pair"), [{ kind: "pair", code: "K7M29QXD", label: "Living room", address: "localhost:50000" }]);
  assert.equal(page.words("#paired-words"), "This browser is paired as “Firefox at home”.");
  assert.equal(page.find("#pair-code").value, "");
  assert.match(page.said(), /^Paired\./);
});

test("a field that the user is typing into is not filled in again", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  page.find("#pair-address").focus();
  page.type("#pair-address", "");
  page.rig.change();
  await settle();
  assert.equal(page.find("#pair-address").value, "");
  page.find("#pair-code").focus();
  page.rig.change();
  await settle();
  assert.equal(page.find("#pair-address").value, "127.0.0.1:43456");
});

/** @type {[string, Record<string, string>, string, RegExp][]} */
const BAD = [
  ["no code", { "pair-code": " " }, "pair-code", /Type the code that filmspool pair shows/],
  ["a short code", { "pair-code": "K7M2" }, "pair-code", /8 letters and digits/],
  ["a code with O", { "pair-code": "K7M29QXO" }, "pair-code", /without 0, 1, I and O/],
  ["an address elsewhere", { "pair-code": "K7M29QXD", "pair-address": "192.168.1.5:43456" }, "pair-address", /An address on this computer/],
  ["a long name", { "pair-code": "K7M29QXD", "pair-label": "x".repeat(61) }, "pair-label", /At most 60 characters; this has 61/],
];
for (const [what, values, field, words] of BAD) {
  test(`pairing: ${what}`, async (t) => {
    const page = await open(t, "options", { state: unpaired() });
    for (const [id, value] of Object.entries(values)) page.type(`#${id}`, value);
    await page.click("#pair-form [type=submit]");
    assert.match(page.words(`#${field}-fault`), words);
    assert.equal(page.document.activeElement?.id, field);
    for (const [id, value] of Object.entries(values)) assert.equal(page.find(`#${id}`).value, value);
    assert.deepEqual(page.rig.asked("pair"), []);
  });
}

/** @type {[string, RegExp][]} */
const REFUSALS = [
  ["PAIRING_CODE_INVALID", /older than two minutes. Run filmspool pair for a new one. It says: “the daemon's own words”$/],
  ["OFFLINE", /Start it with: filmspool service start/],
  ["STRANGER", /Another program answers/],
  ["UNSUPPORTED_VERSION", /Update the older/],
  ["RATE_LIMITED", /Wait a minute/],
  ["LOST", /connection was lost/],
  ["SOMETHING_NEW", /“the daemon's own words”/],
];
for (const [code, words] of REFUSALS) {
  test(`pairing refused with ${code} keeps the code and says what to do`, async (t) => {
    const page = await open(t, "options", { state: unpaired(), answers: { pair: { ok: false, code, message: "the daemon's own words" } } });
    page.type("#pair-code", "K7M2-9QXD");
    await page.click("#pair-form [type=submit]");
    assert.match(page.words("#pair-code-fault"), words);
    assert.equal(page.find("#pair-code").value, "K7M2-9QXD");
  });
}

const knock = (change = {}) => ({ number: "070998", accepted: false, agreed: false, phase: "open", alone: false, ...change });
/** Options of a browser that knocks; then brings its knock to another state. */
async function knocking(t) {
  const page = await open(t, "options", { state: unpaired() });
  page.type("#pair-label", " Living room ");
  page.type("#pair-address", "localhost:50000");
  page.rig.script.state = { ...unpaired(), knock: knock() };
  await page.click("#knock");
  const becomes = async (change, state = unpaired()) => {
    page.rig.script.state = { ...state, knock: change && knock(change) };
    page.rig.change();
    await settle();
  };
  return { page, becomes };
}

test("knocking: the number is large and spoken in digits, and the way on is told", async (t) => {
  const { page, becomes } = await knocking(t);
  assert.deepEqual(page.rig.asked("knock"), [{ kind: "knock", label: "Living room", address: "localhost:50000" }]);
  assert.equal(page.words("#knock-digits"), "070 998");
  assert.equal(page.words("#knock-spoken"), "0 7 0 9 9 8");
  assert.equal(page.find("#knock-start").hidden, true);
  assert.equal(page.document.activeElement?.id, "knock-open");
  assert.match(page.words("#knock-next"), /if the number is the same there/);
  await becomes({ accepted: true });
  assert.match(page.said(), /^A browser was added on Filmspool's page. Was it the same number\?/);
  assert.equal(page.find("#knock-agree").hidden, false);
  await page.click("#knock-agree");
  assert.deepEqual(page.rig.asked("knockAgree"), [{ kind: "knockAgree" }]);
});

test("agreed here first: the other click is asked for; then it is paired, and the sites come next", async (t) => {
  const { page, becomes } = await knocking(t);
  await becomes({ agreed: true });
  assert.equal(page.find("#knock-agree").hidden, true);
  assert.match(page.words("#knock-next"), /^Now add this browser/);
  await becomes({ accepted: true, agreed: true, phase: "paired" }, stateWith({ sites: [] }));
  assert.match(page.said(), /^Paired\./);
  assert.equal(page.find("#pair").open, false);
  assert.equal(page.document.activeElement?.id, "to-sites");
});

/** @type {[string, RegExp][]} */
const KNOCKS_ENDED = [
  ["refused", /^This browser was refused.*in an hour/],
  ["expired", /^Two minutes are over/],
  ["lost", /^It did not work/],
];
for (const [phase, words] of KNOCKS_ENDED) {
  test(`a knock that is ${phase} says so at its button, and takes nobody from the code`, async (t) => {
    const { page, becomes } = await knocking(t);
    await becomes({ phase });
    assert.match(page.words("#knock-fault"), words);
    assert.equal(page.find("#knock-open").hidden, true);
    assert.equal(page.document.activeElement?.id, "knock");
    await becomes({});
    page.find("#pair-code").focus();
    await becomes({ phase });
    assert.equal(page.document.activeElement?.id, "pair-code");
  });
}

test("the background has died with the knock: it is said", async (t) => {
  const { page, becomes } = await knocking(t);
  await becomes(null);
  assert.match(page.words("#knock-fault"), /^It did not work/);
});

test("a knock is cancelled, and that is no fault", async (t) => {
  const { page, becomes } = await knocking(t);
  page.rig.script.state = unpaired();
  await page.click("#knock-end");
  assert.deepEqual(page.rig.asked("knockEnd"), [{ kind: "knockEnd" }]);
  assert.equal(page.find("#knock-fault").hidden, true);
  assert.equal(page.document.activeElement?.id, "knock");
  await becomes({});
  await becomes({ phase: "lost" });
  assert.equal(page.find("#knock-fault").hidden, false, "the next one is told of again");
});

test("unpaired and in front: it asks without a click, and says that it does, but takes the focus from nobody", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  assert.deepEqual(page.rig.asked("knockAlone"), [{ kind: "knockAlone", label: "Chrome" }]);
  page.find("#pair-code").focus();
  page.rig.script.state = { ...unpaired(), knock: knock({ alone: true }) };
  page.rig.change();
  await settle();
  assert.equal(page.words("#knock-digits"), "070 998");
  assert.match(page.said(), /if the number is the same there/);
  assert.equal(page.document.activeElement?.id, "pair-code");
  page.rig.script.state = { ...unpaired(), knock: knock({ alone: true, phase: "expired" }) };
  page.rig.change();
  await settle();
  assert.equal(page.find("#knock-fault").hidden, true, "nobody has to be told that nobody has clicked");
  assert.equal(page.document.activeElement?.id, "pair-code");
});

test("who stands on the button when it asks by itself comes to the number", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  page.find("#knock").focus();
  page.rig.script.state = { ...unpaired(), knock: knock({ alone: true }) };
  page.rig.change();
  await settle();
  assert.equal(page.document.activeElement?.id, "knock-open");
});

/** @type {[string, any, boolean][]} */
const NOT_ALONE = [
  ["paired", stateWith(), false],
  ["removed in Filmspool", stateWith({ link: { state: "revoked" } }), false],
  ["in another tab", unpaired(), true],
];
for (const [what, state, behind] of NOT_ALONE) {
  test(`${what}: it asks nobody by itself`, async (t) => {
    let hidden = behind;
    const before = (/** @type {any} */ window) => Object.defineProperty(window.document, "hidden", { get: () => hidden, configurable: true });
    const page = await open(t, "options", { state }, { before });
    assert.deepEqual(page.rig.asked("knockAlone"), []);
    if (!hidden) return;
    hidden = false;
    page.document.dispatchEvent(new page.document.defaultView.Event("visibilitychange"));
    await settle();
    assert.equal(page.rig.asked("knockAlone").length, 1);
  });
}

/** @type {[string, string, RegExp][]} */
const NO_KNOCKS = [
  ["KNOCK_OLD", "", /too old for that. Pair with a code/],
  ["KNOCK_LATER", "2026-11-23T20:15:00Z", /before \d+:15.* Pair with a code, or wait/],
  ["OFFLINE", "", /Start it with: filmspool service start/],
];
for (const [code, message, words] of NO_KNOCKS) {
  test(`a knock that fails with ${code} says what to do, and shows no number`, async (t) => {
    const page = await open(t, "options", { state: unpaired(), answers: { knock: { ok: false, code, message } } });
    await page.click("#knock");
    assert.match(page.words("#knock-fault"), words);
    assert.equal(page.find("#knock-open").hidden, true);
    page.type("#pair-address", "192.168.1.5:1");
    await page.click("#knock");
    assert.equal(page.rig.asked("knock").length, 1);
    assert.equal(page.document.activeElement?.id, "pair-address");
  });
}

test("unpairing takes two steps; Escape goes back", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  await page.click("#unpair");
  assert.equal(page.document.activeElement?.id, "unpair-no");
  await page.press("#unpair-no", "Escape");
  assert.equal(page.document.activeElement?.id, "unpair");
  await page.click("#unpair");
  page.rig.script.state = unpaired();
  await page.click("#unpair-yes");
  assert.deepEqual(page.rig.asked("unpair"), [{ kind: "unpair" }]);
  assert.equal(page.find("#pair").open, true);
});

test("a new address", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  page.type("#new-address", "nonsense");
  await page.click("#address-form [type=submit]");
  assert.match(page.words("#new-address-fault"), /An address on this computer/);
  page.type("#new-address", "50000");
  await page.click("#address-form [type=submit]");
  assert.equal(page.rig.asked("settings")[0].settings.address, "127.0.0.1:50000");
});

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

test("after pairing, one sentence and one button lead to the grid", async (t) => {
  const page = await open(t, "options", { state: unpaired() });
  assert.equal(page.find("#first-step").hidden, true);
  page.type("#pair-code", "k7m2 9qxd");
  page.rig.script.state = stateWith({ sites: [] });
  await page.click("#pair-form [type=submit]");
  assert.equal(page.find("#first-step").hidden, false);
  assert.equal(page.document.activeElement?.id, "to-sites");
  await page.click("#to-sites");
  assert.equal(page.document.activeElement?.id, "sites-heading");
  page.rig.script.state = stateWith();
  page.rig.change();
  await settle();
  assert.equal(page.find("#first-step").hidden, true);
});

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

test("thresholds in percents and minutes, kept in parts and seconds", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  assert.deepEqual(["movie-played", "episode-position", "movie-minimum", "rule-last"].map((id) => page.find(`#${id}`).value), ["50", "80", "5", "0"]);
  page.type("#episode-position", "90");
  page.type("#rule-last", "5");
  await page.click("#rule-form [value=save]");
  const { rule } = page.rig.asked("settings")[0].settings;
  assert.deepEqual(rule.episode, { played: 0.5, position: 0.9, minimum: 300 });
  assert.equal(rule.last, 300);
  await page.click("#rule-form [value=defaults]");
  assert.equal(page.find("#episode-position").value, "80");
});

for (const [id, value] of [["movie-played", "0"], ["movie-played", "101"], ["episode-minimum", "-1"], ["rule-last", "five"], ["movie-position", "1.5"]]) {
  test(`a threshold out of range: ${id} ${value}`, async (t) => {
    const page = await open(t, "options", { state: stateWith() });
    page.type(`#${id}`, value);
    await page.click("#rule-form [value=save]");
    assert.match(page.words(`#${id}-fault`), /^A whole number from \d+ to \d+\.$/);
    assert.equal(page.find(`#${id}`).value, value);
    assert.deepEqual(page.rig.asked("settings"), []);
  });
}

test("private mode and asking are kept as they are switched", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  await page.click("#private");
  await page.click("#ask-unknown");
  const [first, second] = page.rig.asked("settings").map(({ settings }) => settings);
  assert.deepEqual([first.private, first.askUnknown, second.private, second.askUnknown], [true, true, true, false]);
  assert.equal(page.words("#recording"), "Private mode: nothing is recorded.");
  await page.click("#pause");
  assert.equal(page.find("#private").checked, false);
});

test("remembered answers are listed with what they mean, and can be forgotten", async (t) => {
  const remembered = [
    { key: "films.example|the wire", host: "films.example", about: "The Wire", kind: "tv", tmdb: 1438, title: "The Wire" },
    { key: "films.example|page|/play|x", host: "films.example", about: "Player", kind: "tv", tmdb: 9, title: "", season: 1, episode: 2 },
    { key: "films.example|film|solaris|1972", host: "films.example", kind: "movie", tmdb: 593, title: "Solaris" },
  ];
  const page = await open(t, "options", { state: stateWith(), remembered });
  const rows = [...page.document.querySelectorAll("#answers li > span")].map(({ textContent }) => textContent);
  assert.deepEqual(rows, [
    "The Wire on films.example means The Wire: Series 1438 on themoviedb.org",
    "Player on films.example means Series 9 on themoviedb.org S01E02",
    "Solaris on films.example means Solaris: Film 593 on themoviedb.org",
  ]);
  assert.equal(page.find("#answers-empty").hidden, true);
  page.rig.script.remembered = [];
  await page.click("#answers button");
  assert.deepEqual(page.rig.asked("forgetAnswer"), [{ kind: "forgetAnswer", key: "films.example|the wire" }]);
  assert.equal(page.said(), "Forgotten: The Wire");
  assert.equal(page.find("#answers-empty").hidden, false);
  assert.equal(page.document.activeElement?.id, "answers-heading");
});

test("what is not asked about is listed and taken back", async (t) => {
  const ignored = {
    sites: ["tube.example"], films: [{ key: "films.example|a talk", title: "A talk", host: "films.example" }],
    discarded: [{ id: "aaaaaaaa-2222-4333-8444-555555555555", title: "Night Train", host: "films.example", at: "2026-11-21T20:45:00+01:00" }],
  };
  const page = await open(t, "options", { state: stateWith({ ignored }) });
  assert.equal(page.find("#ignored-empty").hidden, true);
  await page.click('[aria-label="Take back: tube.example"]');
  await page.click('[aria-label="Take back: A talk"]');
  assert.deepEqual(page.rig.asked("takeBack").map(({ key }) => key), ["tube.example", "films.example|a talk"]);
  await page.click('[aria-label="Take back: Night Train"]');
  assert.deepEqual(page.rig.asked("restore"), [{ kind: "restore", id: ignored.discarded[0].id }]);
  assert.equal(page.said(), "Taken back: Night Train");
  await page.click("#discarded-all .quiet");
  assert.match(page.words("#discarded-all .sure"), /^1 discarded viewing is gone for good then/);
  await page.click("#discarded-all .danger");
  assert.deepEqual(page.rig.asked("emptyBin"), [{ kind: "emptyBin" }]);
  const none = await open(t, "options", { state: stateWith() });
  assert.equal(none.words("#ignored-empty"), "Nothing yet.");
  assert.equal(none.find("#never-heading").hidden, true);
});
