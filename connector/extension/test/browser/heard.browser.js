// Now and Review as a screen reader walks through them: roles and names, in order. What is
// expected stands in heard/; FILMSPOOL_HEARD=update writes it anew, to be looked at.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, it } from "node:test";
import { Household } from "./household.js";
import { stage } from "./stage.js";
import { until } from "./until.js";

const expected = path.join(import.meta.dirname, "heard");

/** What differs from day to day and from run to run. @param {string} tree */
const steady = (tree) => tree.replace(/127\.0\.0\.1:\d+/g, "HOST").replace(/\d{4}-\d\d-\d\d( \d\d:\d\d)?/g, "DAY")
  .replace(/time: .*/g, "time: TIME").replace(/just now|\d+ \w+ ago/g, "AGO").replace(/at most \d+ on one day/g, "at most N on one day").replace(/\/diary\/\d+/g, "/diary/N");

stage("chromium", "as a screen reader hears the pages", (Browser) => {
  const home = new Household();
  const browser = new Browser({ extensions: [] });
  /** @type {any} */ let tab;

  before(async () => {
    await home.open();
    home.run(["add", "movie", "603"]);
    await home.post({ media: { type: "movie", title: "Nobody Knows This One", year: 2031 } }, { media: { type: "episode", show: { title: "Nobody Knows This Series" }, season: 2, episode: 5 } });
    await until("all is decided", () => home.queue().filter(({ state }) => ["held", "delivered"].includes(state)).length === 3);
    await browser.open();
    tab = await browser.tab(home.ticket());
  });
  after(async () => {
    await browser.close();
    await home.close();
  });

  for (const [name, where] of [["now", "/"], ["review", "/review"]]) {
    it(`${name}: roles and names, in order`, async () => {
      const file = path.join(expected, `${name}.txt`);
      let heard = "";
      const hears = async () => {
        await tab.goto(new URL(where, tab.page.url()).href);
        heard = `${steady(await tab.page.locator("body").ariaSnapshot())}\n`;
      };
      if (process.env.FILMSPOOL_HEARD === "update") {
        await hears();
        fs.writeFileSync(file, heard);
      }
      const wanted = fs.readFileSync(file, "utf8");
      // Problems and the state of the account come a moment after what they tell of.
      await until("it is heard as expected", async () => { await hears(); return heard === wanted; }).catch(() => assert.equal(heard, wanted));
    });
  }
});
