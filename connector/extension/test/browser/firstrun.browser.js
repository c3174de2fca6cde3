// The first run in real browsers, by keyboard alone: from the page that opens to the first
// delivered viewing, with the real program and the real extension.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { coverage } from "../../source/pages/coverage.js";
import { CLIP } from "./films.js";
import { Household, SECRET } from "./household.js";
import { stage } from "./stage.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

/** What a person reads. */
const text = () => /** @type {HTMLElement} */ (document.querySelector("main")).innerText;

/** Whether the focus is there. @param {string} selector */
const focused = (selector) => document.activeElement?.matches(selector) ?? false;

/** A site of the grid, and what it says of a film that the service knows by title and year. */
const SITE = { box: "#place-tubi", host: "tubitv.com", film: "/movies/900100/the-matrix" };
const FILM = { title: "The Matrix", year: 1999, tmdb: 603 };
const shown = `<!doctype html><title>Watch ${FILM.title} (${FILM.year}) - Free Movies | Tubi</title>
<video id="clip" src="/clip-${CLIP}.wav"></video><script>globalThis.clip = document.getElementById("clip");</script>`;

/** Fields that are filled, buttons that are pressed and boxes that are ticked. */
const MOST_INPUTS = 7;

/** No page has as many places for the focus. */
const FAR = 150;

for (const name of /** @type {const} */ (["chromium", "firefox"])) {
  stage(name, "the first run, by keyboard alone", (Browser) => {
    const home = new Household();
    const visit = new Visit(Browser, { home, names: [SITE.host] });
    /** @type {any} */ let page;
    let inputs = 0;

    before(async () => {
      await home.open({ login: false });
      await visit.open();
    });
    after(async () => {
      await visit.close();
      await home.close();
    });

    /** @param {RegExp} wanted */
    const shows = (wanted) => until(`the page says ${wanted}`, async () => wanted.test(await page.run(text)));

    /** Tabs there, as far as it takes. @param {any} tab @param {string} selector */
    async function reaches(tab, selector) {
      await until(`${selector} is there`, () => tab.run((/** @type {string} */ selector) => document.querySelector(selector)?.checkVisibility(), selector));
      for (let i = 0; i < FAR; i++) {
        if (await tab.run(focused, selector)) return;
        await tab.press("Tab");
      }
      assert.fail(`${FAR} times Tab do not lead to ${selector}`);
    }

    /** Fills a field: one input. @param {any} tab @param {string} selector @param {string} value */
    async function fills(tab, selector, value) {
      await reaches(tab, selector);
      await tab.write(value);
      inputs++;
    }

    /** Presses a button, sends the form of a field or ticks a box: one input. @param {any} tab @param {string} selector @param {string} [key] */
    async function presses(tab, selector, key = "Enter") {
      await reaches(tab, selector);
      await tab.press(key);
      inputs++;
    }

    /** Address and key. @param {string} key */
    async function keyed(key) {
      await fills(page, "#address", `http://${home.service}`);
      await fills(page, "#key", key);
      await presses(page, "#key");
    }

    it("a wrong key is told as such, and kept nowhere", async () => {
      page = await visit.browser.tab(home.ticket());
      await page.front();
      await shows(/Step 1 of 5/);
      await keyed(`${SECRET}x`);
      await shows(/does not take this key/);
      assert.equal(await page.run(() => /** @type {HTMLInputElement} */ (document.getElementById("key")).value), "");
      assert.equal((await home.control("GET", "/status")).accounts[0].baseUrl, undefined);
      await page.close();
    });

    it("from the page that opens to the first delivered viewing", async (test) => {
      inputs = 0;
      page = await visit.browser.tab(home.ticket());
      const began = Date.now();
      await page.front();
      await keyed(SECRET);
      await shows(/Step 2 of 5/);

      await presses(page, "#pair");
      const code = await until("the page shows a code", () => page.run(() => document.querySelector(".big")?.textContent));
      await visit.options.front();
      await fills(visit.options, "#pair-code", code);
      await presses(visit.options, "#pair-form [type=submit]");
      await visit.linkIs("connected");
      const paired = inputs;

      await visit.browser.allow(SOURCE, coverage(SITE.host) ?? []); // what a person says to the browser's own question
      await visit.options.front();
      await presses(visit.options, SITE.box, "Space");
      await until("the site is allowed", async () => (await visit.state()).sites.some((/** @type {any} */ one) => one.granted && one.origin.includes(SITE.host)));
      await visit.watch(visit.pages.secure(visit.pages.put(SITE.film, shown, SITE.host)), FILM);
      await visit.allArrived();
      test.diagnostic(`${inputs} inputs, ${paired} of them until the browser is paired; ${((Date.now() - began) / 1000).toFixed(1)} s`);
      assert.ok(inputs <= MOST_INPUTS, `${inputs} inputs until something is delivered`);
      await page.front();
      await page.goto(new URL("/", await page.run(() => location.href)).href);
      await shows(/All is delivered/);
    });
  });
}
