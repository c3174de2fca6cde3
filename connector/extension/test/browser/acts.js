// What a person does on the daemon's pages, with JavaScript and without.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { until } from "./until.js";

/** @typedef {import("./household.js").Household} Household */

/** What a person reads. */
const text = () => /** @type {HTMLElement} */ (document.querySelector("main")).innerText;

/** A real Kodi's library, with one film that was watched. */
const LIBRARY = path.resolve(import.meta.dirname, "../../../../kodi/kodisim/sample.db.gz");

/** A person in front of one tab. */
export class Person {
  /** @param {Household} home @param {any} tab @param {string} origin */
  constructor(home, tab, origin) {
    this.home = home;
    this.tab = tab;
    this.origin = origin;
  }

  /** @param {string} where */
  async opens(where) {
    await this.tab.goto(this.origin + where);
  }

  /** @param {RegExp} wanted */
  async reads(wanted) {
    let last = "";
    await until(`the page says ${wanted}`, async () => wanted.test(last = await this.tab.run(text))).catch((error) => { throw new Error(`${error.message}\n${last}`); });
  }

  /** Reads it on a page that is opened again and again. @param {string} where @param {RegExp} wanted */
  async finds(where, wanted) {
    await until(`${where} says ${wanted}`, async () => {
      await this.opens(where);
      return wanted.test(await this.tab.run(text));
    }, 30_000);
  }

  /** Presses it, and waits for the page that it leads to: to go on at once would cut the request. @param {string} selector */
  async presses(selector) {
    await until(`${selector} is there`, () => this.tab.run((/** @type {string} */ selector) => document.querySelector(selector)?.checkVisibility(), selector));
    const leads = await this.tab.run((/** @type {string} */ selector) => /** @type {any} */ (globalThis).left = Boolean(document.querySelector(selector)?.matches("form button, a[href]")), selector);
    await this.tab.click(selector);
    if (leads) await until("the page that follows", () => this.tab.run(() => !(/** @type {any} */ (globalThis).left) && document.readyState === "complete").catch(() => false));
  }

  /** The newest entry with such a title. @param {string} title */
  entry(title) {
    const found = this.home.queue().filter(({ label, media }) => JSON.stringify([label, media]).includes(title));
    assert.ok(found.length > 0, `no entry of ${title}`);
    return found.reduce((a, b) => (a.id > b.id ? a : b));
  }

  /** Waits until the entry stands so. @param {string} title @param {string} state */
  async stands(title, state) {
    await until(`${title} is ${state}`, () => this.entry(title).state === state);
  }

  /** The numbers of what the service has. */
  async recorded() {
    return (await this.home.records()).history.map(({ tmdbId }) => tmdbId);
  }
}

/** A viewing of which only words are known, but not which film it is. @param {string} title */
const words = (title) => ({ media: { type: "movie", title } });

/** @param {number} episode */
const chemistry = (episode) => ({ media: { type: "episode", show: { title: "The Chemistry Teacher" }, season: 1, episode } });

/** A key that the service takes no more is told, mended on the page, and gone. @param {Person} person @param {string} key the next one */
export async function refused(person, key) {
  const { home } = person;
  await home.serve(key);
  home.run(["add", "movie", "604"]);
  await person.finds("/", /does not accept the key/);
  await person.presses(".problem a");
  await person.presses("#account-default details:not([open]) > summary");
  await person.tab.type('#account-default input[name="key"]', key);
  await person.presses("#account-default button.main");
  await person.reads(/The key of account default is kept/);
  await person.finds("/", /^All is delivered/);
  assert.doesNotMatch(await person.tab.run(text), /does not accept/);
  assert.deepEqual((await person.recorded()).filter((id) => id === 604), [604]);
}

/** Words alone are held; a candidate is chosen, delivered, and known from then on. @param {Person} person */
export async function chosen(person) {
  const { home } = person;
  await home.post(chemistry(1));
  await person.stands("The Chemistry Teacher", "held");
  const { id } = person.entry("The Chemistry Teacher");
  await person.opens("/review");
  await person.reads(/The Chemistry Teacher/);
  await person.tab.type(`#what-${id}`, "Breaking Bad");
  await person.presses(`#entry-${id} form[action$="/search"] button`);
  await person.reads(/Which one is it/);
  await person.presses('button[name="choice"][value^="1396 "]');
  await person.reads(/It is “Breaking Bad” now/);
  await until("it is delivered", () => home.queue().find((one) => one.id === id)?.state === "delivered");
  await home.post(chemistry(2));
  await until("the next episode is delivered", () => home.queue().some(({ state, media }) => state === "delivered" && media?.episode === 2));
  await person.finds("/review", /Nothing waits for you/);
  const { history } = await home.records();
  assert.deepEqual(history.filter(({ tvShowId }) => tvShowId === 1396).map(({ seasonNumber, episodeNumber }) => [seasonNumber, episodeNumber]), [[1, 1], [1, 2]]);
}

/** What the service has suggested needs one click. @param {Person} person */
export async function suggested(person) {
  const { home } = person;
  await home.post(words("Dune"));
  await person.stands("Dune", "held");
  const { id } = person.entry("Dune");
  await person.finds("/review", /Dune \(\d{4}\)/);
  await person.presses(`#entry-${id} button[name="choice"][value^="841 "]`);
  await person.reads(/It is “Dune” now/);
  await until("it is delivered", async () => (await person.recorded()).includes(841));
}

/** What was delivered is taken back. @param {Person} person */
export async function undone(person) {
  person.home.run(["add", "movie", "550"]);
  await until("it is recorded", async () => (await person.recorded()).includes(550));
  const [{ id }] = person.home.queue().filter(({ media }) => media?.ids?.tmdb === 550);
  await person.opens(`/diary/${id}`);
  await person.presses('form[action$="/undo"] button');
  await person.reads(/Take it back\?/);
  assert.ok((await person.recorded()).includes(550), "the question alone took it back");
  await person.presses("button.danger");
  await person.reads(/was taken back from the service/);
  assert.ok(!(await person.recorded()).includes(550));
}

/** Many are dropped, held back and sent; each time the person sees first what would happen. @param {Person} person */
export async function bulk(person) {
  const { home } = person;
  const each = async (/** @type {number[]} */ ids, /** @type {string} */ verb, /** @type {RegExp} */ would, /** @type {RegExp} */ did) => {
    const before = JSON.stringify(home.queue());
    await person.opens("/diary");
    for (const id of ids) await person.presses(`input[name="entry"][value="${id}"]`);
    await person.presses(`button[name="verb"][value="${verb}"]`);
    await person.reads(would);
    assert.equal(JSON.stringify(home.queue()), before, "the preview has changed something");
    await person.presses('form[action="/diary/do"] button');
    await person.reads(did);
  };
  await home.post(words("Nobody Knows One"), words("Nobody Knows Two"));
  await person.stands("Nobody Knows Two", "held");
  const ids = ["Nobody Knows One", "Nobody Knows Two"].map((title) => person.entry(title).id);
  await each(ids, "drop", /2 entries would be dropped/, /2 entries were dropped/);
  assert.deepEqual(ids.map((id) => home.queue().find((one) => one.id === id)?.state), ["dropped", "dropped"]);

  home.run(["pause"]);
  for (const film of ["13", "27205"]) home.run(["add", "movie", film]);
  const waiting = home.queue().filter(({ media }) => [13, 27205].includes(media?.ids?.tmdb)).map(({ id }) => id);
  assert.equal(waiting.length, 2);
  await each(waiting, "hold", /2 entries would be held back/, /2 entries are held back/);
  home.run(["resume"]);
  await each(waiting, "release", /2 entries would be sent/, /2 entries are sent now/);
  await until("both are recorded", async () => (await person.recorded()).filter((id) => [13, 27205].includes(id)).length === 2);
}

/** One tab changes an entry; the form of the other, which is older, does nothing. @param {Person} person @param {Person} other */
export async function twoTabs(person, other) {
  await person.home.post(words("Two Tabs"));
  await person.stands("Two Tabs", "held");
  const { id } = person.entry("Two Tabs");
  await other.opens(`/diary/${id}`);
  await other.tab.run(() => document.querySelectorAll("details").forEach((one) => { one.open = true; })); // a person who is at it sees no other page
  await person.opens(`/diary/${id}`);
  await person.presses('form[action$="/drop"] button');
  await person.reads(/was dropped/);
  await other.tab.front();
  await other.presses('form[action$="/time"] button');
  await other.reads(/has changed meanwhile, so nothing was done/);
  assert.equal(person.entry("Two Tabs").state, "dropped");
}

/** What a Kodi here has. To be made before the daemon starts. @param {Household} home */
export function shelves(home) {
  const database = home.path(".kodi", "userdata", "Database");
  fs.mkdirSync(database, { recursive: true });
  fs.writeFileSync(path.join(database, "MyVideos121.db"), gunzipSync(fs.readFileSync(LIBRARY)));
}

/** The library that was found is watched; its past is shown and imported. @param {Person} person */
export async function imported(person) {
  const { home } = person;
  const before = home.queue().length;
  await person.opens("/sources");
  await person.presses('form[action="/sources/watch"] button.main');
  await person.reads(/is watched from now on/);
  await person.finds("/sources", /userdata\s+Watched/);
  await person.presses("#preview");
  await person.finds("/sources", /films to send/);
  assert.equal(home.queue().length, before, "the preview has added something");
  await person.presses("#begin");
  await person.finds("/sources", /Imported: [\d,.]+ viewings are on disk/);
}
