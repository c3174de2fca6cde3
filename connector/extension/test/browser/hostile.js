// What hostile pages and a hostile extension can do to a running daemon, from
// within a real browser: nothing.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";

export const STRANGER = path.join(import.meta.dirname, "stranger");

/** Stands in the queue while they try; none of them may read it. */
export const SECRET_FILM = 424242;

const ATTACK = fs.readFileSync(path.join(STRANGER, "attack.js"), "utf8");
const TRIES = ["blindHealth", "health", "control", "blindControl", "queue", "blindPair", "viewings", "blindViewings"];

/** A function for Tab.run that attacks from within the page. */
const fromPage = /** @type {any} */ (`async (address) => { ${ATTACK}; return globalThis.attack(address); }`);

/**
 * @typedef {object} Spoils
 * @property {{opened: boolean, heard: Record<string, any>[], code: number, late?: boolean}} socket
 * @typedef {Record<string, {reached: boolean, type?: string, status?: number, text?: string}>} Requests
 */

/** @param {any} tab @param {string} address @returns {Promise<Spoils & Requests>} */
export const attackFrom = (tab, address) => tab.run(fromPage, address);

/** @param {any} tab @param {string} part @param {string} address @returns {Promise<Spoils & Requests>} */
export const attackFromFrame = (tab, part, address) => tab.runIn(part, fromPage, address);

/** Another extension's content script attacks, in the page's process. @param {any} tab @param {string} address @returns {Promise<Spoils & Requests>} */
export const attackFromContent = (tab, address) => tab.run((/** @type {string} */ address) => new Promise((done) => {
  const root = document.documentElement;
  new MutationObserver(() => root.dataset.result && done(JSON.parse(root.dataset.result))).observe(root, { attributes: true });
  root.dataset.attack = address;
  document.dispatchEvent(new Event("attack"));
}), address);

/** From another extension's own page, with permission for every host. @param {any} browser @param {string} address @returns {Promise<Spoils & Requests>} */
export async function attackFromExtension(browser, address) {
  const tab = await browser.tab(`${browser.origin(STRANGER)}/page.html`);
  const spoils = await tab.run((/** @type {string} */ address) => /** @type {any} */ (globalThis).attack(address), address);
  await tab.close();
  return spoils;
}

/** A page must get nothing: no socket, and no word of any answer. @param {Spoils & Requests} spoils */
export function gotNothing(spoils) {
  assert.equal(spoils.socket.opened, false, JSON.stringify(spoils.socket));
  assert.deepEqual(spoils.socket.heard, []);
  for (const name of TRIES) {
    const { reached, type, text } = spoils[name];
    assert.ok(!reached || (type === "opaque" && text === ""), `${name} was read: ${JSON.stringify(spoils[name])}`);
  }
}

/** A rebound page may read the daemon's refusals, as they are its own origin's. @param {Spoils & Requests} spoils */
export function gotRefusals(spoils) {
  assert.equal(spoils.socket.opened, false, JSON.stringify(spoils.socket));
  for (const name of TRIES) {
    const { reached, status, text } = spoils[name];
    assert.ok(reached, name);
    assert.equal(status, 403, name);
    assert.match(text ?? "", /HOST_NOT_ALLOWED/, name);
  }
}

/** An extension that is not paired gets a socket, and with it only refusals. @param {Spoils & Requests} spoils */
export function gotUnpaired(spoils) {
  const [welcome, ...rest] = spoils.socket.heard;
  assert.equal(welcome?.type, "welcome", JSON.stringify(spoils.socket));
  assert.equal(welcome.paired, false);
  assert.equal(welcome.proof, undefined);
  assert.equal(rest.length, 4, JSON.stringify(rest));
  for (const answer of rest) {
    assert.equal(answer.code, "PAIRING_REQUIRED", JSON.stringify(answer));
  }
  for (const name of ["control", "queue", "viewings"]) {
    const { reached, status = 0 } = spoils[name];
    assert.ok(!reached || [401, 403, 404].includes(status), `${name}: ${JSON.stringify(spoils[name])}`);
  }
  assert.doesNotMatch(JSON.stringify(spoils), new RegExp(String(SECRET_FILM)));
}

/** Says that to the daemon from the other extension. @param {any} tab @param {string} address @param {unknown[]} speech */
const talk = (tab, address, speech) => tab.run((/** @type {string} */ address, /** @type {any[]} */ speech) =>
  /** @type {any} */ (globalThis).attack.talk(address, speech.map((words) =>
    words === "BINARY" ? new Uint8Array([1, 2, 3]) : words === "OVERSIZE" ? "x".repeat(70_000) : words)), address, speech);

/** A fault costs the stranger its socket, or is answered as one. @param {any} browser @param {string} address */
export async function faults(browser, address) {
  const tab = await browser.tab(`${browser.origin(STRANGER)}/page.html`);
  const said = [];
  for (const words of ["BINARY", "OVERSIZE", "{garbage", '{"type":"auth","token":"AAAA"}', '{"type":"viewing"}']) {
    const { opened, heard, code, late } = await talk(tab, address, [words]);
    assert.ok(opened && !late, `${words}: ${JSON.stringify({ heard, code, late })}`);
    assert.ok(heard.every((/** @type {any} */ one) => one.type === "error"), `${words}: ${JSON.stringify(heard)}`);
    said.push(`${words.slice(0, 16)} → ${heard[0]?.code ?? code}`);
  }
  await tab.close();
  return said;
}

/** Guesses until the code is dead; then the right one is as wrong. @param {any} browser @param {string} address @param {string} code */
export async function guess(browser, address, code) {
  const tab = await browser.tab(`${browser.origin(STRANGER)}/page.html`);
  const hello = { type: "hello", v: 1, client: { name: "evil", version: "1", browser: "evil" } };
  const tries = ["AAAAAAA2", "AAAAAAA3", "AAAAAAA4", "AAAAAAA5", "AAAAAAA6", "AAAAAAA7", code];
  const answers = [];
  for (const guessed of tries) {
    const { heard } = await talk(tab, address, [hello, { type: "pair", id: "p", code: guessed, label: "evil" }]);
    answers.push(heard[1]?.code ?? heard[1]?.type);
  }
  await tab.close();
  return answers;
}
