// What scenarios in a real browser share: their visit, their films, and the pairing.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

let number = 9000;
/** A film that no other scenario has. @param {string} title */
export const film = (title) => ({ title, year: 1990, tmdb: ++number });

/** @param {Visit} visit */
export async function pairs(visit) {
  const { home, browser } = visit;
  assert.equal((await visit.state()).link.state, "unpaired");
  await visit.typePairing(home.pairingCode());
  await until("the browser is paired", () => home.clients().length === 1);
  await visit.linkIs("connected");
  const [client] = home.clients();
  assert.equal(client.origin, browser.origin(SOURCE));
  assert.equal(client.browser, browser.name);
}

/** Firefox gives an extension 30 s without work; here it is 4, so that the scenarios see it suspended again and again. */
export const SUSPENDED = { prefs: { "extensions.background.idle.timeout": 4000 } };

/**
 * @param {any} Browser
 * @returns {{visit: Visit, scenario: (name: string, body: () => Promise<void>) => void}}
 */
export function household(Browser, options = {}) {
  const visit = new Visit(Browser, options);
  /** @param {string} name @param {() => Promise<void>} body */
  const scenario = (name, body) => void it(name, async () => {
    await visit.ready();
    await body();
  });
  before(() => visit.open());
  after(() => visit.close());
  return { visit, scenario };
}
