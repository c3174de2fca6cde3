// What a person does in the popup of a real browser. Both browsers run these scenarios.
import assert from "node:assert/strict";
import { LONG, named, plain, play, titled, unnamed } from "./films.js";
import { film, household, pairs } from "./scenarios.js";
import { until } from "./until.js";
import { Visit } from "./visit.js";

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
  const answers = async (/** @type {number} */ number) => {
    await popup.type("#unknown input[inputmode=url]", `https://www.themoviedb.org/movie/${number}`);
    await popup.click("#unknown [type=submit]");
    const listed = (/** @type {string} */ name) => document.querySelector("#recent-list li")?.textContent?.includes(name);
    await until("it can be taken back", () => popup.run(listed, `TMDB ${number}`));
  };
  await answers(wrong.tmdb);
  await popup.click("#recent-list li:first-child button");
  await until("the question is there again", () => popup.run(() => document.querySelector("#unknown input") !== null));
  assert.deepEqual(await visit.ask({ kind: "answers" }), []);
  await answers(right.tmdb);
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
