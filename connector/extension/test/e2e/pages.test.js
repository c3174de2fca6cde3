// The daemon's own pages in both browsers: a first evening with all that a person does there, setup by keyboard alone, the
// pages without JavaScript, and nothing for who is not signed in.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { chromium, fill, firefox, says, signIn, text } from "./browser.js";
import { eventually, Filmspool, KEY } from "./fixture.js";

/** No page has as many places for the focus. */
const FAR = 150;

/** @typedef {import("puppeteer-core").Page} Page */

/** A browser that is signed in, on the first page. @param {import("node:test").TestContext} t @param {Filmspool} home @param {{launch?: typeof chromium, scripts?: boolean}} [options] */
async function signedIn(t, home, { launch = chromium, scripts = true } = {}) {
  const page = await (await launch(t)).newPage();
  if (!scripts && launch === chromium) await page.setJavaScriptEnabled(false);
  if (!scripts && launch === firefox) { // which cannot be driven with its scripts off
    await page.setRequestInterception(true);
    page.on("request", (request) => (request.url().endsWith(".js") ? request.abort() : request.continue()));
  }
  await signIn(page, home);
  return page;
}

/** Tabs to a place; returns how many tabs it took. @param {Page} page @param {string} selector */
async function reach(page, selector) {
  for (let tabs = 0; tabs < FAR; tabs++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector), selector)) return tabs;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${FAR} times Tab do not lead to ${selector}`);
}

/** Does what leads to another page, and waits for that. @param {Page} page @param {() => Promise<unknown>} act */
const leads = (page, act) => Promise.all([page.waitForNavigation(), act()]);

/** A held viewing of which only words are known. @param {Filmspool} home */
async function held(home) {
  await home.post({ type: "episode", show: { title: "The Chemistry Teacher" }, season: 1, episode: 1 });
  const [entry] = await eventually("it is held", () => home.queue(), ([entry]) => entry?.state === "held");
  return entry;
}

/** The service has that episode, and the person has nothing left to do. @param {Filmspool} home @param {Page} page */
async function isKnown(home, page) {
  const { history } = await eventually("it is recorded", () => home.records(), ({ history }) => history.length > 0);
  assert.deepEqual(history.map(({ tvShowId, seasonNumber, episodeNumber }) => [tvShowId, seasonNumber, episodeNumber]), [[1396, 1, 1]]);
  await page.goto(new URL("/review", page.url()).href);
  assert.equal((await page.$$(".cards .card")).length, 0);
}

/** The titles of the diary's rows. @param {Page} page */
const rows = (page) => page.$$eval(".day .what > b", (all) => all.map((one) => one.textContent));

/** Opens the review, and says there what was held. @param {Page} page @param {number} id */
async function answer(page, id) {
  await page.goto(new URL("/review", page.url()).href);
  await page.$eval(`#what-${id}`, (field) => { field.closest("details").open = true; });
  await fill(page, `#what-${id}`, "Breaking Bad");
  await leads(page, () => page.click(`#entry-${id} form[action$="/search"] button`));
  await leads(page, () => page.click('button[name="choice"][value^="1396 "]'));
}

for (const [name, launch] of /** @type {const} */ ([["Chromium", chromium], ["Firefox", firefox]])) {
  test(`${name}: from an empty page to a full diary`, async (t) => {
    const home = await Filmspool.start(t, { login: false });
    const page = await signedIn(t, home, { launch });
    const go = (/** @type {string} */ where) => page.goto(new URL(where, page.url()).href);
    const press = (/** @type {string} */ selector) => leads(page, () => page.click(selector));

    const enter = () => leads(page, () => page.keyboard.press("Enter"));
    await page.keyboard.type(home.service); // the address has the focus; this machine's needs no scheme
    await page.keyboard.press("Tab");
    await page.keyboard.type(`${KEY}x`);
    await enter();
    assert.match(await text(page), /does not/);
    assert.equal(await page.$eval("#key", (field) => field.value), "", "a key is shown again");
    await page.keyboard.type(KEY); // its field has the focus now
    await enter();
    let keys = 4; // without the wrong one
    for (const next of ["a.button", "a.button", "a.button", "button"]) {
      keys += 1 + await reach(page, `main .steps ${next}`);
      await enter();
    }
    assert.equal(new URL(page.url()).pathname, "/");
    assert.ok(keys <= 25, `setup takes ${keys} keys and pastes`);

    const { id } = await held(home);
    await answer(page, id);
    await isKnown(home, page);
    await go(`/diary/${id}`);
    await press('form[action$="/undo"] button');
    assert.equal((await home.records()).history.length, 1, "it is taken back before the person is sure");
    await press('form[action$="/undo"] .danger');
    assert.deepEqual((await home.records()).history, []);

    await go("/log");
    await page.type("#what", "Dune 1984 2026-03-01 20:15"); // it is found while it is typed
    await page.waitForSelector('#found [name="choice"][value^="841 "]');
    await press('#found button[value="diary"]');
    const [{ id: film }] = (await eventually("it is recorded", () => home.records(), ({ history }) => history.length > 0)).history;
    assert.equal(film, 841);

    await home.post({ type: "movie", title: "Amélie", year: 2001, ids: { tmdb: 194 } }, { type: "movie", title: "The Matrix", year: 1999, ids: { tmdb: 603 } },
      { type: "episode", show: { title: "Severance", ids: { tmdb: 95396 } }, title: "Half Loop", season: 1, episode: 2 },
      { type: "episode", show: { title: "Shōgun", ids: { tmdb: 126308 } }, season: 1, episode: 1 }, { type: "episode", show: { title: "Breaking Bad", ids: { tmdb: 1396 } }, season: 1, episode: 3 });
    for (const [words, title] of [["half loop", "Severance"], ["breaking bad s01e03", "Breaking Bad"], ["amelie", "Amélie"], ["shogun", "Shōgun"], ["matrix 1999", "The Matrix"], ["603", "The Matrix"]]) {
      await fill(page, "#search", words);
      await enter();
      assert.deepEqual(await rows(page), [title], words);
    }

    await go("/");
    await home.stopDaemon();
    await says(page, "body", /does not answer/);
    await home.startDaemon();
    await home.run(["add", "550"]);
    await says(page, "#last", /movie 550/);
    await says(page, "body", /^((?!does not answer)[^])*$/);

    const file = path.join(home.dir, "diary.csv");
    fs.writeFileSync(file, "tmdbID,Title,Year,WatchedDate\n949,Heat,1995,2024-05-01\n");
    await go("/import");
    await (await page.$("#file")).uploadFile(file);
    await press("#add");
    await press('form[action="/import/begin"] button');
    await page.waitForSelector('#files a[href="/diary?source=file"]');
    await press('#files a[href="/diary?source=file"]');
    assert.deepEqual(await rows(page), ["Heat"]);
  });

  test(`${name}, without JavaScript: every page is read, and what was held is chosen and delivered`, async (t) => {
    const home = await Filmspool.start(t);
    const { id } = await held(home);
    const page = await signedIn(t, home, { launch, scripts: false });
    const links = await page.$$eval("nav a", (all) => all.map((one) => one.href));
    assert.ok(links.length >= 4, `only ${links}`);
    for (const where of links) {
      const answer = await page.goto(where);
      assert.equal(answer?.status(), 200, where);
      assert.ok((await text(page, "main")).length > 20, where);
    }
    await answer(page, id);
    await isKnown(home, page);
  });
}

test("an address signs one browser in, once; other names and other pages get nothing", async (t) => {
  const home = await Filmspool.start(t);
  const browser = await chromium(t);
  const page = await browser.newPage();
  const address = await signIn(page, home);
  assert.equal(await page.evaluate(() => document.cookie), "", "scripts can read the cookie");
  const { origin, port } = new URL(page.url());

  const stranger = await (await browser.createBrowserContext()).newPage();
  for (const where of [address, `${origin}/`, `http://127.0.0.1:${port}/`, `http://localhost:${port}/diary`, `http://evil.example:${port}/`]) {
    const answer = await stranger.goto(where);
    assert.ok(answer?.status() !== 200 || !(await stranger.$("nav")), `${where} shows a page to a stranger`);
  }

  const hostile = await browser.newPage(); // in the browser that is signed in
  await hostile.setRequestInterception(true);
  hostile.on("request", (request) => (request.url().includes("evil.example") ? request.respond({ contentType: "text/html", body: "<!doctype html><body>" }) : request.continue()));
  await hostile.goto("http://evil.example/");
  const got = await hostile.evaluate(async (origin) => {
    document.body.innerHTML = `<iframe src="${origin}/"></iframe><iframe name="into"></iframe><form method="post" action="${origin}/status/pause" target="into"></form>`;
    const sent = new Promise((loaded) => { document.getElementsByName("into")[0].onload = loaded; });
    document.forms[0].submit();
    await sent;
    return fetch(`${origin}/`, { credentials: "include" }).then((answer) => answer.text(), () => "refused");
  }, origin);
  assert.equal(got, "refused");
  assert.equal((await home.json("status")).accounts[0].state, "ok", "a form of another page has paused it");
});
