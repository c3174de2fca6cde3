// From a clip that plays in a real browser to one record of the service, and
// everything that can come between. Both browsers run these scenarios.
import assert from "node:assert/strict";
import { framed, linked, oneByOne, plain, play, shadowed } from "./films.js";
import { Relay } from "./relay.js";
import { film, household, pairs } from "./scenarios.js";
import { Squatter } from "./squatter.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

/** The way of whoever has just paired: a button, a tick, the browser's question; and the tick taken away. @param {Visit} visit */
async function ticks(visit) {
  const { options, browser } = visit;
  const origins = ["web.stremio.com", "web.strem.io", "app.strem.io"].map((host) => `https://${host}/*`);
  const ticked = () => options.run(() => /** @type {HTMLInputElement} */ (document.getElementById("place-stremio")).checked);
  const granted = async () => (await visit.state()).sites.filter(({ granted }) => granted).map(({ origin }) => origin).sort();
  assert.deepEqual(await granted(), []);
  await until("the next step is offered", () => options.run(() => document.activeElement?.id === "to-sites"));
  await options.click("#to-sites");
  assert.equal(await options.run(() => document.activeElement?.id), "sites-heading");
  await browser.allow(SOURCE, origins); // what the user will say
  assert.equal(await ticked(), false);
  await options.click("#place-stremio");
  await until("the site is allowed", async () => (await granted()).length === origins.length);
  assert.deepEqual(await granted(), origins.sort());
  assert.equal(await ticked(), true);
  await until("it is said", () => options.run(() => document.getElementById("said")?.textContent?.includes("Stremio")));
  await options.click("#place-stremio");
  await until("it is given back", async () => !(await ticked()) && (await granted()).length === 0);
}

/** @param {Visit} visit */
async function wrongCode(visit) {
  await visit.typePairing("AAAAAAAA");
  const told = await until("the options page says so", () => visit.told());
  assert.doesNotMatch(told, /undefined|\[object/);
  assert.deepEqual(visit.home.clients(), []);
}

/** @param {Visit} visit */
async function plays(visit) {
  const { pages } = visit;
  const one = film("Plain");
  const two = film("Linked");
  const three = film("Shadowed");
  const four = film("Framed");
  const inner = pages.put("/player", plain(four), "player.example");
  const tabs = await Promise.all([
    visit.watch(pages.put("/plain", plain(one)), one),
    visit.watch(pages.secure(pages.put("/linked", linked(two))), two),
    visit.watch(pages.put("/shadowed", shadowed(three)), three),
    visit.watch(pages.put("/framed", framed(four, inner)), four, "player.example"),
  ]);
  await visit.allArrived();
  await Promise.all(tabs.map((tab) => tab.close()));
}

/** @param {Visit} visit */
async function playsOneByOne(visit) {
  const films = [film("First"), film("Second")];
  const tab = await visit.watch(visit.pages.put("/series", oneByOne(films)), films[0]);
  await tab.run(() => /** @type {any} */ (globalThis).next(1));
  visit.expected.set(films[1].tmdb, await tab.run(play));
  await visit.allArrived();
  await tab.close();
}

/** What plays by itself and muted, on a site that is not allowed, or while nothing may be recorded, is nobody's. @param {Visit} visit */
async function leavesAlone(visit) {
  const { browser, pages } = visit;
  const places = [
    pages.put("/muted", plain(film("Muted"), { attributes: "muted autoplay" })),
    pages.put("/other", plain(film("Elsewhere")), "other.example"),
  ];
  const tabs = await Promise.all(places.map(async (where) => {
    const tab = await browser.tab(where);
    await tab.run(play);
    return tab;
  }));
  await visit.settle({ private: true });
  const hidden = await browser.tab(pages.put("/private", plain(film("Private"))));
  await hidden.run(play);
  await visit.settle({ private: false });
  // A film that counts comes after them in every queue.
  const last = film("Counts");
  const tab = await visit.watch(pages.put("/counts", plain(last)), last);
  await visit.allArrived();
  const { outbox } = await visit.state();
  assert.deepEqual(outbox.unknown, []);
  await Promise.all([...tabs, hidden, tab].map((one) => one.close()));
}

/** @param {Visit} visit */
async function daemonAway(visit) {
  const { home, pages } = visit;
  await home.stop();
  const away = film("Away");
  const tab = await visit.watch(pages.put("/away", plain(away)), away);
  await until("the event waits", async () => (await visit.state()).outbox.waiting === 1);
  await visit.linkIs("offline");
  await until("the badge says so", async () => (await visit.badge()) !== "");
  await tab.close();
  await home.start();
  const from = Date.now();
  await visit.allArrived(90_000);
  console.log(`  ${visit.browser.name}: delivered ${Date.now() - from} ms after the daemon was back`);
}

/**
 * The background dies after it has sent, before it has heard.
 * @param {Visit} visit
 * @param {string} how
 * @param {(relay: Relay) => Promise<unknown>} die
 */
export async function dies(visit, how, die) {
  const { home, pages } = visit;
  const relay = new Relay(home.address);
  await relay.open();
  try {
    await visit.settle({ address: relay.address });
    await visit.linkIs("connected");
    relay.hold();
    const unheard = film(`Unheard: ${how}`);
    const tab = await visit.watch(pages.put(`/unheard-${unheard.tmdb}`, plain(unheard)), unheard);
    await visit.helped(until("the daemon has acknowledged it", () => relay.lost > 0));
    await tab.close();
    assert.equal((await visit.state()).outbox.waiting, 1);
    await die(relay);
    relay.release();
    const from = Date.now();
    // The extension is not asked meanwhile: it has to come to life by itself.
    await until("it was sent again", () => relay.duplicates > 0, 90_000);
    console.log(`  ${visit.browser.name}: ${how}: sent again ${Date.now() - from} ms after the daemon could be heard`);
    await visit.allArrived();
    assert.equal(relay.duplicates, 1, "it was sent again, and the daemon knew it");
  } finally {
    await visit.settle({ address: home.address });
    await relay.close();
  }
}

/** A program on the daemon's port asks for the token in each way it can think of. @param {Visit} visit */
async function squatted(visit) {
  const { home, pages } = visit;
  const hidden = film("For nobody else");
  await home.stop();
  const ways = [
    new Squatter({ paired: true }),
    new Squatter({ paired: false, proof: "A".repeat(43) }),
    new Squatter({ paired: false }, { say: [{ type: "error", code: "PAIRING_REQUIRED", message: "the token, please", retryable: false }] }),
    new Squatter({ paired: true, proof: "" }, { say: [{ type: "paired", id: "x", clientId: "evil", token: "evil" }] }),
    new Squatter({ paired: false }, { close: 4403 }),
  ];
  let tab;
  for (const squatter of ways) {
    await squatter.open(home.address);
    tab ??= await visit.watch(pages.put("/hidden", plain(hidden)), hidden);
    await visit.ask({ kind: "retry" });
    await until("it was spoken to", () => squatter.sockets > 0 && squatter.heard.some((words) => words.includes('"hello"')));
    await until("it was seen through", async () => ["stranger", "revoked"].includes((await visit.state()).link.state));
    await squatter.close();
    const heard = squatter.heard.join("\n");
    assert.doesNotMatch(heard, /"type":"(auth|viewing|pair)"|"token"|For nobody else/);
    assert.ok(!heard.includes(String(hidden.tmdb)), heard);
  }
  await tab?.close();
  await home.start();
  await visit.ask({ kind: "retry" });
  await visit.allArrived();
}

/** @param {Visit} visit */
export async function revoked(visit) {
  const { home, pages } = visit;
  home.run(["clients", "revoke", home.clients()[0].id]);
  const kept = film("Kept");
  const tab = await visit.watch(pages.put("/kept", plain(kept)), kept);
  await visit.linkIs("revoked");
  const badge = await until("the badge says so", () => visit.badge());
  assert.equal((await visit.state()).outbox.waiting, 1);
  const popup = await visit.popup(tab);
  const words = await popup.run(() => document.body.innerText);
  assert.match(words, /pair/i);
  console.log(`  ${visit.browser.name}: revoked: badge ${JSON.stringify(badge)}`);
  await Promise.all([popup.close(), tab.close()]);
  await visit.typePairing(home.pairingCode());
  await visit.allArrived();
}

/** What plays, and what comes between. Returns what else this browser plays with. @param {any} Browser */
export function journey(Browser, options = {}) {
  const { visit, scenario } = household(Browser, options);
  scenario("a wrong code", () => wrongCode(visit));
  scenario("pairs by the code typed into the options page", () => pairs(visit));
  scenario("a button leads to the sites, and a tick allows one", () => ticks(visit));
  scenario("takes sites and thresholds", () => visit.allowSites());
  scenario("a film in the page, by a link over https, in a shadow root, in a frame: each once, at its time", () => plays(visit));
  scenario("two films in one page without loading anew", () => playsOneByOne(visit));
  scenario("leaves alone what is not for it", () => leavesAlone(visit));
  scenario("daemon away while a film plays, then back", () => daemonAway(visit));
  scenario("a squatter on the port learns nothing", () => squatted(visit));
  scenario("the browser is killed between send and acknowledgement", () => dies(visit, "killed", () => visit.crash()));
  return { visit, scenario };
}
