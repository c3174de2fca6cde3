// Somebody who has never used a terminal, with a browser and the extension. They get Filmspool's page as
// a menu opens it, go through setup by clicks, and watch one episode.
//
//   node newcomer.js ADDRESS KEY <FILES
//
// ADDRESS and KEY are those of their tracking service. When the browser is there, it prints "ready", and reads the
// name of the file that the browser is told to open. When the page says that all is delivered, it prints "delivered".
// packaging/test runs it beside a package that was just installed.
import { createInterface } from "node:readline";
import { Chromium } from "./chromium.js";
import { CLIP, play, titled } from "./films.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

/** Where Filmspool listens unless somebody says otherwise. The extension looks there by itself. */
const USUAL = "127.0.0.1:43456";

/** Where the episode is watched. */
const SITE = "http://films.example";

/** What a site says about the one episode. */
const ABOUT = JSON.stringify({
  "@context": "https://schema.org", "@type": "TVEpisode", name: "Cat's in the Bag...", episodeNumber: 2,
  partOfSeason: { "@type": "TVSeason", seasonNumber: 1 },
  partOfSeries: { "@type": "TVSeries", name: "Breaking Bad", sameAs: "https://www.themoviedb.org/tv/1396" },
});
const EPISODE = titled("Cat's in the Bag...", `<script type="application/ld+json">${ABOUT}</script>
<video id="clip" src="/clip-${CLIP}.wav"></video><script>globalThis.clip = document.getElementById("clip");</script>`);

/** @typedef {import("./chromium.js").Tab} Tab */

/** Waits for these words on the page. @param {Tab} page @param {RegExp} wanted */
const shows = (page, wanted) => until(`the page says ${wanted}`, async () => {
  const said = await page.run(() => `${location.href}\n${document.body.innerText}`);
  if (!wanted.test(said)) throw new Error(said);
  return true;
});

/** Steps 1 and 2: address and key; and a code from here, pasted into the extension. @param {Visit} visit @param {Tab} page @param {string} address @param {string} key */
async function meets(visit, page, address, key) {
  await shows(page, /Step 1 of 5/);
  await page.type("#address", address);
  await page.type("#key", key);
  await page.click("form[action='/setup/login'] button.main");
  await shows(page, /The key is good[^]*Step 2 of 5/);
  await page.click("#pair");
  const code = await until("the page shows a code", () => page.run(() => document.querySelector(".big")?.textContent));
  await visit.options.front();
  await visit.options.type("#pair-code", code);
  await visit.options.click("#pair-form [type=submit]");
  await visit.linkIs("connected");
  await page.front();
  await page.click("p.actions > a.button");
}

/** Steps 3 to 5: a site is allowed; there is no Kodi here. @param {Visit} visit @param {Tab} page */
async function goesOn(visit, page) {
  await shows(page, /Step 3 of 5/);
  await visit.options.front();
  await visit.allow(SITE);
  await page.front();
  for (const step of [4, 5]) {
    await page.click("p.actions > a.button");
    await shows(page, new RegExp(`Step ${step} of 5`));
  }
  await page.click("form[action='/setup/finish'] button.main");
  await shows(page, /Nothing has been watched yet/);
}

const [address, key] = process.argv.slice(2);
const visit = new Visit(Chromium, { home: /** @type {any} */ ({ address: USUAL }) });
try {
  await visit.open();
  console.log("ready");
  const { value: file } = await createInterface(process.stdin)[Symbol.asyncIterator]().next();
  if (file) { // else nothing has told the browser to open anything
    const page = await visit.browser.tab(`file://${file}`);
    await meets(visit, page, address, key);
    await goesOn(visit, page);
    const tab = await visit.browser.tab(visit.pages.put("/episode", EPISODE));
    await tab.run(play);
    await page.front();
    await shows(page, /All is delivered/);
    console.log("delivered");
  }
} finally {
  await visit.close();
}
process.exit();
