// The options before pairing, while it goes on, and after it.
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
