// How the daemon's pages look and read, in a real Chromium: axe, narrow and large,
// light and dark, without colours, without JavaScript, in German, and as a screen
// reader hears them. FILMSPOOL_SCREENSHOTS=DIR keeps a picture of each page.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { CHROMIUM } from "./chromium.js";
import { Household } from "./household.js";

const axe = path.join(import.meta.dirname, "../node_modules/axe-core/axe.min.js");
const words = path.join(import.meta.dirname, "../../../../daemon/words");
const pictures = process.env.FILMSPOOL_SCREENSHOTS;
const skip = fs.existsSync(CHROMIUM) || process.env.FILMSPOOL_BROWSERS === "required" ? false : `no Chromium at ${CHROMIUM}`;
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const LONG = "Der unaussprechlich lange und umständliche Titel eines Filmes, den niemand je gesehen hat, Teil 2: Die Rückkehr";

/** @typedef {import("playwright-core").Page} Page */

/** All texts of a language. @param {string} tag @returns {Record<string, string | {one: string, other: string}>} */
const catalogue = (tag) => Object.assign({}, ...fs.readdirSync(path.join(words, tag)).map((file) => JSON.parse(fs.readFileSync(path.join(words, tag, file), "utf8"))));

/** What axe finds. @param {Page} page */
const findings = (page) => page.evaluate(async (runOnly) => {
  const { violations } = await /** @type {any} */ (globalThis).axe.run(document, { runOnly });
  return violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map((/** @type {any} */ node) => node.html).join(" | ")}`);
}, RULES);

/** What is wider than the page. @param {Page} page */
const overflow = (page) => page.evaluate(() => {
  const root = document.documentElement;
  return root.scrollWidth <= root.clientWidth ? [] : [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > root.clientWidth + 1 && !element.closest(".unseen, .wide, .skip")).map((element) => element.outerHTML.slice(0, 80));
});

describe("how the pages look", { skip, timeout: 15 * 60_000 }, () => {
  const home = new Household();
  /** @type {import("playwright-core").Browser} */ let browser;
  /** @type {string[]} */ let pages;
  /** @type {string} */ let origin;
  /** @type {string[]} */ const complaints = [];

  /** A browser that is signed in. @param {import("playwright-core").BrowserContextOptions} [options] */
  async function signedIn(options) {
    const context = await browser.newContext({ reducedMotion: "reduce", locale: "en", ...options });
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
    const address = home.ticket();
    origin = new URL(address).origin;
    await page.goto(address);
    await page.waitForURL(`${origin}/`);
    return { page, context };
  }

  before(async () => {
    await home.open();
    home.run(["add", "movie", "603"]);
    home.run(["add", "movie", "550", "--watched-at", new Date(Date.now() - 40 * 3600_000).toISOString()]);
    home.run(["add", "episode", "--show", "1396", "--season", "1", "--episode", "2"]);
    await home.post({ media: { type: "movie", title: LONG, year: 2031 } }, { media: { type: "movie", title: "<b>Fett</b> & <script>alert(1)</script>" } });
    browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: process.getuid?.() !== 0 });
    const { page, context } = await signedIn();
    const links = await page.$$eval("nav a", (all) => all.map((one) => one.getAttribute("href")));
    const entry = home.queue()[0].id;
    pages = [...links, "/setup", `/diary/${entry}`].map(String);
    await context.close();
  });
  after(async () => {
    await browser?.close();
    await home.close();
  });

  for (const [name, options, zoom] of /** @type {const} */ ([
    ["wide and light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }, 1],
    ["dark", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }, 1],
    ["320 pixels wide", { viewport: { width: 320, height: 640 }, colorScheme: "light" }, 1],
    ["320 pixels wide and dark, in German", { viewport: { width: 320, height: 640 }, colorScheme: "dark", locale: "de" }, 1],
    ["twice as large", { viewport: { width: 1280, height: 800 } }, 2],
    ["without colours", { viewport: { width: 1280, height: 800 }, forcedColors: "active" }, 1],
  ])) {
    it(`every page, ${name}: nothing for axe, nothing cut off`, async () => {
      const { page, context } = await signedIn(/** @type {any} */ (options));
      await context.addInitScript({ path: axe });
      for (const where of pages) {
        const answer = await page.goto(origin + where);
        assert.equal(answer?.status(), 200, where);
        if (zoom !== 1) await page.evaluate((zoom) => { document.documentElement.style.fontSize = `${100 * zoom}%`; }, zoom);
        assert.deepEqual(await findings(page), [], `${where}, ${name}`);
        assert.deepEqual(await overflow(page), [], `${where}, ${name}`);
        assert.equal((await page.$$("h1")).length, 1, where);
        if (pictures) await page.screenshot({ path: path.join(pictures, `${where.replace(/\W+/g, "-").replace(/^-|-$/g, "") || "now"}-${name.replace(/\W+/g, "-")}.png`), fullPage: true });
      }
      await context.close();
    });
  }

  it("no page mixes languages", async () => {
    const [en, de] = [catalogue("en"), catalogue("de")];
    const english = new Set(Object.entries(en).filter(([key, text]) => typeof text === "string" && text !== de[key] && !text.includes("{") && / /.test(text)).map(([, text]) => text));
    const { page, context } = await signedIn({ locale: "de" });
    for (const where of pages) {
      await page.goto(origin + where);
      assert.equal(await page.getAttribute("html", "lang"), "de", where);
      const foreign = await page.evaluate((english) => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) {
          const text = walker.currentNode.nodeValue?.trim() ?? "";
          const spoken = walker.currentNode.parentElement?.closest("[lang], code, script")?.closest("code, script, [lang=en]");
          if (!spoken && (english.includes(text) || /\b(the|and|is|were|your|this|with|which|has been)\b/i.test(text))) found.push(text);
        }
        return found;
      }, [...english]);
      assert.deepEqual(foreign, [], where);
    }
    await context.close();
  });

  it("everything is read and sent without JavaScript", async () => {
    const { page, context } = await signedIn({ javaScriptEnabled: false });
    for (const where of pages) {
      await page.goto(origin + where);
      const held = await page.locator("main").innerText();
      assert.ok(held.trim().length > 20, where);
    }
    await context.close();
  });

  it("nobody has complained", () => assert.deepEqual(complaints, []));
});
