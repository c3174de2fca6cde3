// Makes the pictures of the README, from the real program with invented viewings:
// node page-pictures.js FOLDER
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { Household } from "./browser/household.js";
import { until } from "./browser/until.js";
import { executablePath } from "./served.js";

const folder = process.argv[2];
if (!folder) throw new Error("which folder? node page-pictures.js FOLDER");
fs.mkdirSync(folder, { recursive: true });

const FILMS = ["The Lighthouse Keeper's Daughter", "Nine Doors", "A Short Walk Home", "Paper Moons", "The Last Ferry", "Under the Bridge", "Salt"];
const DAY = 24 * 3600_000;
const home = new Household();
await home.open();
const evening = Math.floor(Date.now() / DAY) * DAY - 3 * 3600_000;
const films = FILMS.map((title, i) => ({ media: { type: "movie", title, year: 1960 + 7 * i, ids: { tmdb: 9000 + i } }, watchedAt: new Date(evening - 4 * i * DAY).toISOString() }));
const episodes = Array.from({ length: 12 }, (_, i) => ({
  media: { type: "episode", show: { title: "Harbour Street", ids: { tmdb: 1396 } }, season: 1, episode: i + 1 },
  watchedAt: new Date(evening - (24 - 2 * i) * DAY + 3600_000).toISOString(),
}));
await home.post(...films, ...episodes);
await home.post({ media: { type: "movie", title: "Winter in the Valley", year: 2024 } });
await home.post({ media: { type: "movie", title: "Dune" } });
for (const [i, number] of [603, 550, 680].entries()) home.run(["add", "movie", String(number), "--watched-at", new Date(evening - 9 * (i + 1) * DAY).toISOString()]);
await home.settled();
const dune = home.queue().find(({ media }) => media.title === "Dune");
await until("the service has suggested a film", () => /may be/.test(home.run(["queue", "show", String(dune?.id)])));

const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
const page = await browser.newPage({ viewport: { width: 900, height: 640 }, reducedMotion: "reduce", locale: "en" });
await page.goto(home.run(["open", "--print"]).trim());
await page.waitForURL(/localhost:\d+\/$/);
for (const [name, where] of [["now", "/"], ["diary", "/diary"], ["review", "/review"], ["sources", "/sources"]]) {
  await page.goto(new URL(where, page.url()).href);
  if (name === "sources") {
    await page.click("#pair");
    await page.waitForSelector("#code .big"); // while a page gives way to the next, no picture can be taken
  }
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
await browser.close();
await home.close();
