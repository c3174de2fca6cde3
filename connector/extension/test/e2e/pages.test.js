// The daemon's own pages: by keyboard alone, without JavaScript, and for nobody who is not signed in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium, says, signIn, text } from "./browser.js";
import { eventually, Filmspool, KEY } from "./fixture.js";

/** No page has as many places for the focus. */
const FAR = 150;

/** @typedef {import("puppeteer-core").Page} Page */

/** A browser that is signed in, on the first page. @param {import("node:test").TestContext} t @param {Filmspool} home @param {{scripts?: boolean}} [options] */
async function signedIn(t, home, { scripts = true } = {}) {
  const page = await (await chromium(t)).newPage();
  await page.setJavaScriptEnabled(scripts);
  await signIn(page, home);
  return page;
}

/** Tabs to a place and presses a key there; returns how many tabs it took. @param {Page} page @param {string} selector @param {import("puppeteer-core").KeyInput | ""} [key] */
async function reach(page, selector, key = "") {
  await page.waitForSelector(selector);
  let tabs = 0;
  for (; tabs < FAR && !(await page.evaluate((selector) => document.activeElement?.matches(selector), selector)); tabs++) await page.keyboard.press("Tab");
  assert.ok(await page.evaluate((selector) => document.activeElement?.matches(selector), selector), `${FAR} times Tab do not lead to ${selector}`);
  if (key) await page.keyboard.press(key);
  return tabs;
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

test("by keyboard alone: a wrong key, then the right one", async (t) => {
  const home = await Filmspool.start(t, { login: false });
  const page = await signedIn(t, home);
  for (const [key, wanted] of [[`${KEY}x`, /does not/], [KEY, /Step 2/]]) {
    await reach(page, "#address");
    await page.keyboard.down("Control");
    await page.keyboard.press("a");
    await page.keyboard.up("Control");
    await page.keyboard.type(`http://${home.service}`);
    await reach(page, "#key");
    assert.equal(await page.$eval("#key", (field) => field.value), "", "a key is shown again");
    await page.keyboard.type(String(key));
    await leads(page, () => page.keyboard.press("Enter"));
    assert.match(await text(page), wanted);
  }
});

test("by keyboard alone: from nothing to the end of setup in 25 keys and pastes", async (t) => {
  const home = await Filmspool.start(t, { login: false });
  const page = await signedIn(t, home);
  await page.keyboard.type(home.service); // the address has the focus; this machine's needs no scheme
  await page.keyboard.press("Tab");
  await page.keyboard.type(KEY);
  await leads(page, () => page.keyboard.press("Enter"));
  let keys = 4;
  for (const next of ["a.button", "a.button", "a.button", "button"]) {
    await leads(page, async () => { keys += 1 + await reach(page, `main .steps ${next}`, "Enter"); });
  }
  assert.equal(new URL(page.url()).pathname, "/");
  assert.ok(keys <= 25, `${keys} keys`);
});

test("by keyboard alone: what was held is looked for, chosen and delivered", async (t) => {
  const home = await Filmspool.start(t);
  const { id } = await held(home);
  const page = await signedIn(t, home);
  await leads(page, () => reach(page, 'nav a[href="/review"]', "Enter"));
  if (!(await page.$(`#entry-${id} details[open]`))) await reach(page, `#entry-${id} summary`, "Enter");
  await reach(page, `#what-${id}`);
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.type("Breaking Bad");
  await leads(page, () => page.keyboard.press("Enter"));
  await leads(page, () => reach(page, 'button[name="choice"][value^="1396 "]', "Enter"));
  await isKnown(home, page);
});

test("without JavaScript: every page is read, and what was held is chosen and delivered", async (t) => {
  const home = await Filmspool.start(t);
  const { id } = await held(home);
  const page = await signedIn(t, home, { scripts: false });
  const links = await page.$$eval("nav a", (all) => all.map((one) => one.href));
  assert.ok(links.length >= 4, `only ${links}`);
  for (const where of links) {
    const answer = await page.goto(where);
    assert.equal(answer?.status(), 200, where);
    assert.ok((await text(page, "main")).length > 20, where);
  }
  await page.goto(new URL("/review", page.url()).href);
  const field = await page.waitForSelector(`#what-${id}`);
  await field?.evaluate((field) => field.closest("details")?.setAttribute("open", ""));
  await field?.click({ count: 3 });
  await field?.type("Breaking Bad");
  await leads(page, () => page.click(`#entry-${id} form[action$="/search"] button`));
  await leads(page, () => page.click('button[name="choice"][value^="1396 "]'));
  await isKnown(home, page);
});

test("a page follows what happens, also after the daemon was away", async (t) => {
  const home = await Filmspool.start(t);
  const page = await signedIn(t, home);
  await page.goto(new URL("/status", page.url()).href);
  await home.run(["pause"]);
  await page.waitForSelector('form[action$="/resume"]');
  await home.stopDaemon();
  await says(page, "body", /does not answer/);
  await home.startDaemon();
  await home.run(["resume"]);
  await page.waitForSelector('form[action$="/pause"]');
});

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
