// Every page once as axe sees it: light and dark, and 320 pixels wide, where nothing may be cut off.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { chromium, signIn, visit } from "./browser.js";
import { film, plain, play } from "./films.js";
import { eventually, Filmspool, tmdb } from "./fixture.js";

const axe = fs.readFileSync(path.join(import.meta.dirname, "../node_modules/axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** @param {import("puppeteer-core").Page} page @param {string} name */
async function isAccessible(page, name) {
  await page.mouse.move(0, 0);
  await page.evaluate(axe); // as the page's policy allows no script of ours in it
  const found = [];
  for (const [look, scheme, width] of ([["light", "light", 1000], ["dark", "dark", 1000], ["320 pixels", "light", 320]])) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }, { name: "prefers-reduced-motion", value: "reduce" }]);
    await page.setViewport({ width, height: 900 });
    const wrong = await page.evaluate(async (runOnly) => {
      const { violations } = await globalThis.axe.run(document, { runOnly });
      const root = document.documentElement;
      const cut = root.scrollWidth <= root.clientWidth ? [] : [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1);
      return [...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`), ...cut.map((one) => `cut off: ${one.outerHTML.slice(0, 80)}`)];
    }, RULES);
    found.push(...wrong.map((one) => `${name}, ${look}: ${one}`));
  }
  return found;
}

test("the daemon's pages", async (t) => {
  const home = await Filmspool.start(t, { tmdb: await tmdb(t) });
  await home.run(["add", "603"]);
  await home.run(["add", "604", "--watchlist"]);
  await home.post({ type: "movie", title: "A title that is far too long for a narrow page, and that has_a_word_without_any_place_to_break_it_in_two", year: 2031 });
  const [entry] = await eventually("everything is decided", () => home.queue(), (all) => all.length === 3 && all.every(({ state }) => ["delivered", "held"].includes(state)));
  const page = await (await chromium(t)).newPage();
  await signIn(page, home);
  const { host } = new URL(page.url());
  page.on("request", (request) => assert.ok([host, ""].includes(new URL(request.url()).host), request.url()));
  const links = await page.$$eval("nav a", (all) => all.map((one) => one.pathname));
  assert.ok(links.length >= 4, `only ${links}`);
  const found = [];
  await page.goto(new URL("/import", page.url()).href);
  fs.writeFileSync(path.join(home.dir, "diary.csv"), "tmdbID,Title,Year,WatchedDate\n949,Heat,1995,2024-05-01\n");
  await (await page.$("#file")).uploadFile(path.join(home.dir, "diary.csv"));
  await Promise.all([page.waitForNavigation(), page.click("#add")]);
  for (const where of [...links, "/import", `/diary/${entry.id}`, "/log", "/status", "/about", ...[1, 2, 3, 4, 5].map((step) => `/setup?step=${step}`)]) {
    const answer = await page.goto(new URL(where, page.url()).href);
    assert.equal(answer?.status(), 200, where);
    found.push(...await isAccessible(page, where));
    const posters = { "/": 1, "/diary": 1, "/review": 2, "/watchlist": 1, [`/diary/${entry.id}`]: 2 }[where];
    if (posters) await eventually(`${where} shows its posters`, () => page.$$eval(".tile img", (all) => all.filter((one) => one.naturalWidth > 0).length), (n) => n === posters);
  }
  assert.deepEqual(found, []);
});

test("the extension's options, before and after pairing", async (t) => {
  const person = await visit(t, { paired: false });
  const found = await isAccessible(person.options, "not paired");
  await person.pair();
  await person.allow("http://films.example");
  await person.options.reload();
  await person.options.waitForSelector("#link[data-ready]");
  found.push(...await isAccessible(person.options, "paired"));
  assert.deepEqual(found, []);
});

test("the extension's popup, with and without something that plays", async (t) => {
  const person = await visit(t);
  const page = await person.open(plain(film("Seen by axe")));
  const found = [];
  for (const name of ["nothing plays", "something plays"]) {
    if (name === "something plays") {
      await page.evaluate(play.begin);
      await person.sees(page);
    }
    const popup = await person.popup(page);
    found.push(...await isAccessible(popup, name));
    await popup.close();
  }
  assert.deepEqual(found, []);
});
