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
  assert.equal(page.find("#code-page").href, "http://127.0.0.1:43456/sources");
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
  ["no code", { "pair-code": " " }, "pair-code", /Type the code that Filmspool's page or filmspool sources pair shows/],
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
  ["PAIRING_CODE_INVALID", /older than two minutes. Get a new one. It says: “the daemon's own words”$/],
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
