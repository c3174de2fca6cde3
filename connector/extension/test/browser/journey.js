// From a clip that plays in a real browser to one record of the service, and
// everything that can come between. Both browsers run these scenarios.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { framed, linked, LONG, named, oneByOne, plain, play, shadowed, titled, unnamed } from "./films.js";
import { Relay } from "./relay.js";
import { Squatter } from "./squatter.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

let number = 9000;
/** A film that no other scenario has. @param {string} title */
const film = (title) => ({ title, year: 1990, tmdb: ++number });

/** @param {Visit} visit */
async function pairs(visit) {
  const { home, browser } = visit;
  assert.equal((await visit.state()).link.state, "unpaired");
  await visit.typePairing(home.pairingCode());
  await until("the browser is paired", () => home.clients().length === 1);
  await visit.linkIs("connected");
  const [client] = home.clients();
  assert.equal(client.origin, browser.origin(SOURCE));
  assert.equal(client.browser, browser.name);
}

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

/** What an element of the popup says, once it says anything. @param {any} popup @param {string} selector */
const said = (popup, selector) => until(`${selector} says something`, () => popup.run((/** @type {string} */ selector) => {
  const element = /** @type {HTMLElement | null} */ (document.querySelector(selector));
  return element && !element.hidden && element.textContent?.trim();
}, selector));

/** A player in a frame of a site that is not allowed is named, allowed in the options, and then bears the page's title. @param {Visit} visit */
async function framedByStranger(visit) {
  const { browser, pages } = visit;
  const inner = pages.put("/embed", unnamed({ seconds: LONG }), "embed.example");
  const where = pages.put("/around", titled("The Long Night (1999)", `<iframe src="${inner}" allow="autoplay" width="640" height="360"></iframe>`));
  const tab = await browser.tab(where);
  const popup = await visit.popup(tab);
  assert.match(await said(popup, "#now-more"), /embed\.example/);
  assert.match(await said(popup, "#allow-site"), /embed\.example/);
  assert.equal(await popup.run(() => document.getElementById("now-empty")?.hidden), true, "nobody knows whether nothing plays");
  await popup.close();
  await visit.allow("http://embed.example");
  const playing = tab.runIn("/embed", play); // the page was not loaded again
  const second = await visit.popup(tab);
  await until("it is named", async () => (await said(second, "#now-title")) === "The Long Night (1999)");
  assert.match(await said(second, "#now-site"), /^films\.example/);
  await playing;
  const card = await until("it is asked about", async () => (await visit.state()).outbox.unknown[0]);
  assert.equal(card.title, "The Long Night (1999)");
  assert.equal(card.address, where);
  await visit.ask({ kind: "discard", id: card.id });
  await Promise.all([second.close(), tab.close()]);
}

/** What is not counted says so. @param {Visit} visit */
async function saysWhy(visit) {
  const tab = await visit.browser.tab(visit.pages.put("/silent", plain(film("Silent"), { attributes: "muted", seconds: LONG })));
  const playing = tab.run(play);
  const popup = await visit.popup(tab);
  await until("the reason is told", async () => /without sound|ohne Ton/.test(await said(popup, "#now-empty")));
  await playing;
  await Promise.all([popup.close(), tab.close()]);
}

/** Two viewings of what no page names for certain: one is no film, of the other it is said what it was, by number. @param {Visit} visit */
async function asks(visit) {
  const { browser, pages } = visit;
  for (const title of ["A long talk", "A film of ours"]) {
    const tab = await browser.tab(pages.put(`/${title.length}`, titled(title, unnamed())));
    await tab.run(play);
    await tab.close();
  }
  await until("both are asked about", async () => (await visit.state()).outbox.unknown.length === 2);
  const popup = await visit.popup(visit.options);
  const titles = await popup.run(() => [...document.querySelectorAll("#unknown h3")].map((heading) => heading.textContent));
  assert.deepEqual(titles, ["A film of ours", "A long talk"], "the latest first");
  const wanted = film("A film of ours");
  const [card] = (await visit.state()).outbox.unknown.filter((/** @type {any} */ { title }) => title === "A film of ours");
  await popup.type(`#what-${card.id}`, String(wanted.tmdb));
  await popup.click(`#what-${card.id}-kind-movie`);
  await popup.click(`[data-ids="${card.id}"] [type=submit]`);
  visit.expected.set(wanted.tmdb, Date.parse(card.at));
  await visit.allArrived();
  await popup.click("#unknown .quiet:nth-of-type(3)");
  await popup.click("#unknown .danger");
  await until("it is not asked about any more", async () => (await visit.state()).outbox.unknown.length === 0);
  const tab = await browser.tab(pages.put("/again", titled("A long talk", unnamed())));
  await tab.run(play);
  const after = film("Afterwards");
  const last = await visit.watch(pages.put("/afterwards", plain(after)), after);
  await visit.allArrived();
  assert.deepEqual((await visit.state()).outbox.unknown, []);
  const [{ key }] = (await visit.state()).ignored.films;
  assert.deepEqual(await visit.ask({ kind: "takeBack", key }), { ok: true });
  for (const answer of await visit.ask({ kind: "answers" })) await visit.ask({ kind: "forgetAnswer", key: answer.key });
  await Promise.all([popup.close(), tab.close(), last.close()]);
}

/** A film half seen is marked in the popup, then seen to its end: once. @param {Visit} visit */
async function marks(visit) {
  const marked = film("Marked");
  const tab = await visit.browser.tab(visit.pages.put("/marked", plain(marked, { seconds: LONG })));
  const begun = tab.run(play);
  const popup = await visit.popup(tab);
  await popup.click("#now-mark");
  visit.expected.set(marked.tmdb, Date.now());
  await begun;
  await visit.allArrived();
  await Promise.all([popup.close(), tab.close()]);
}

/** What the service knows is not asked of the user. @param {Visit} visit */
async function resolves(visit) {
  const tab = await visit.watch(visit.pages.put("/resolved", named("Watch The Matrix (1999) online | SomeFlix")), { title: "The Matrix", year: 1999, tmdb: 603 });
  await visit.allArrived();
  assert.deepEqual((await visit.state()).outbox.unknown, []);
  assert.equal(visit.home.queue().find(({ media }) => media?.ids?.tmdb === 603)?.media.title, "The Matrix");
  await tab.close();
}

/** How status ends. @param {Visit} visit */
function statusOf(visit) {
  try {
    return { code: 0, out: visit.home.run(["status"]) };
  } catch (error) {
    const { status, stdout } = /** @type {any} */ (error);
    return { code: status, out: stdout };
  }
}

/** "Not this?", the question, an answer of another kind, a wrong answer taken back, the right one. @param {Visit} visit */
async function corrects(visit) {
  const [wrong, right] = [film("Wrong"), film("Right")];
  const tab = await visit.browser.tab(visit.pages.put("/wrong", plain(wrong, { seconds: LONG })));
  const begun = tab.run(play);
  const popup = await visit.popup(tab);
  await popup.click("#now-wrong");
  visit.expected.set(right.tmdb, await begun);
  await until("the question is there", () => popup.run(() => document.querySelector("#unknown input") !== null));
  const waits = "1 viewing waits in the browser";
  const { code, out } = await until("status says so", () => {
    const told = statusOf(visit);
    return told.out.startsWith(waits) && told;
  });
  assert.equal(code, 4, out);
  await popup.type("#unknown input[inputmode=url]", `https://www.themoviedb.org/movie/${wrong.tmdb}`);
  await popup.click("#unknown [type=submit]");
  await until("it can be taken back", () => popup.run((/** @type {string} */ name) => document.querySelector("#recent-list li")?.textContent?.includes(name), `TMDB ${wrong.tmdb}`));
  await popup.click("#recent-list li:first-child button");
  await until("the question is there again", () => popup.run(() => document.querySelector("#unknown input") !== null));
  assert.deepEqual(await visit.ask({ kind: "answers" }), []);
  await popup.type("#unknown input[inputmode=url]", `https://www.themoviedb.org/movie/${right.tmdb}`);
  await popup.click("#unknown [type=submit]");
  await visit.allArrived(30_000);
  assert.equal((await visit.ask({ kind: "answers" })).length, 1);
  await until("status says that all is well", () => statusOf(visit).code === 0);
  await Promise.all([popup.close(), tab.close()]);
}

/** @param {Visit} visit */
async function wishes(visit) {
  const wished = film("Wished");
  const tab = await visit.browser.tab(visit.pages.put("/wished", plain(wished)));
  visit.expected.set(wished.tmdb, await tab.run(play));
  const popup = await visit.popup(tab);
  await popup.click("#now-wish");
  await until("it is on the watchlist", async () => (await visit.home.records()).watchlist.length > 0);
  await popup.click("#entry summary");
  await popup.type("#entry-link", "https://www.themoviedb.org/tv/1396-breaking-bad");
  await popup.click('#entry-form button[value="wish"]');
  await until("so is the other", async () => (await visit.home.records()).watchlist.length > 1);
  const { watchlist } = await visit.home.records();
  assert.deepEqual(watchlist.map(({ type, id }) => `${type} ${id}`), [`movie ${wished.tmdb}`, "tv 1396"]);
  await visit.allArrived();
  await Promise.all([popup.close(), tab.close()]);
}

/** @param {Visit} visit */
async function lists(visit) {
  const popup = await visit.popup(visit.options);
  await popup.click("#list summary");
  await popup.type("#list-name", "Für Regentage");
  await popup.click('#list-form button[type="submit"]');
  await until("the list is there", async () => (await visit.home.records()).lists.length > 0);
  await visit.home.settled();
  assert.deepEqual((await visit.home.records()).lists.map(({ name }) => name), ["Für Regentage"]);
  await popup.close();
}

/** Plays a page that has a name, and nothing that is certain. @param {Visit} visit @param {string} title */
async function playsNamed(visit, title) {
  const tab = await visit.browser.tab(visit.pages.put(`/${title.replaceAll(" ", "-")}`, titled(title, unnamed())));
  await tab.run(play);
  await tab.close();
}

/** Waits until the service has exactly these episodes of that series. @param {Visit} visit @param {number} tmdb @param {string[]} wanted */
async function hasEpisodes({ home }, tmdb, wanted) {
  const episodes = async () => (await home.records()).history.filter(({ tvShowId }) => tvShowId === tmdb).map(({ seasonNumber, episodeNumber }) => `${seasonNumber}x${episodeNumber}`).sort();
  await until(`the service has ${wanted}`, async () => (await episodes()).length >= wanted.length, 40_000);
  assert.deepEqual(await episodes(), wanted);
}

/** A series of which no page tells a number: one question, answered by words or by a suggestion; then none, in any browser. @param {Visit} visit @param {any} Browser @param {object} options */
async function seriesOnce(visit, Browser, options) {
  const { home } = visit;
  await playsNamed(visit, "Drahtseil S2 E5");
  await until("it is asked about", async () => (await visit.state()).outbox.unknown.length === 1);
  const popup = await visit.popup(visit.options);
  await popup.type("#unknown input[inputmode=url]", "the wire");
  await popup.click("#unknown [type=submit]");
  await until("it was found", () => popup.run(() => document.querySelector("#unknown .offers button")?.textContent === "The Wire (2002) · series"));
  await popup.click("#unknown .offers button");
  await hasEpisodes(visit, 1438, ["2x5"]);
  await playsNamed(visit, "Drahtseil S2 E6");
  await hasEpisodes(visit, 1438, ["2x5", "2x6"]);
  await playsNamed(visit, "Fargo S1 E1");
  await until("the service suggests it", () => popup.run(() => document.querySelector("#unknown .offers button")?.textContent === "Fargo (2014) · series"));
  await popup.click("#unknown .offers button");
  await hasEpisodes(visit, 60622, ["1x1"]);
  await popup.close();
  const other = new Visit(Browser, { ...options, home });
  try {
    await other.open();
    await other.typePairing(home.pairingCode());
    await other.linkIs("connected");
    await other.allowSites();
    await playsNamed(other, "Drahtseil S2 E7");
    await hasEpisodes(visit, 1438, ["2x5", "2x6", "2x7"]);
    for (const one of [visit, other]) assert.deepEqual((await one.state()).outbox.unknown, []);
  } finally {
    await other.close();
  }
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

/** Firefox gives an extension 30 s without work; here it is 4, so that the scenarios see it suspended again and again. */
export const SUSPENDED = { prefs: { "extensions.background.idle.timeout": 4000 } };

/**
 * @param {any} Browser
 * @returns {{visit: Visit, scenario: (name: string, body: () => Promise<void>) => void}}
 */
function household(Browser, options = {}) {
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

/** What a person does in the popup. @param {any} Browser */
export function popups(Browser, options = {}) {
  const { visit, scenario } = household(Browser, options);
  scenario("pairs, and takes sites", async () => {
    await pairs(visit);
    await visit.allowSites();
  });
  scenario("the popup: a player in a frame of a site that is not allowed", () => framedByStranger(visit));
  scenario("the popup: why a muted film does not count", () => saysWhy(visit));
  scenario("the popup: a question answered by number, and one that is no film", () => asks(visit));
  scenario("the popup: mark as watched", () => marks(visit));
  scenario("the service knows the film: no question", () => resolves(visit));
  scenario("the popup: not this, a wrong answer taken back, the right one", () => corrects(visit));
  scenario("the popup: add to the watchlist", () => wishes(visit));
  scenario("the popup: a new list", () => lists(visit));
  scenario("a series that no page numbers: one question, in all browsers of a household", () => seriesOnce(visit, Browser, options));
}
