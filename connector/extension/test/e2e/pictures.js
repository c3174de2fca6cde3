// Makes the pictures of every page with 300 viewings, wide and narrow, light and dark, from the real program and the real
// extension: `npm run pictures` writes them into the folder that FILMSPOOL_PICTURES names. The README and the stores use some.
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { signIn, visit } from "./browser.js";
import { film, plain, play } from "./films.js";
import { eventually } from "./fixture.js";

const folder = process.env.FILMSPOOL_PICTURES ?? "pictures";
const DAY = 24 * 3600_000;
const FILMS = [
  ["The Lighthouse Keeper's Daughter", 1961], ["Nine Doors", 1995], ["A Short Walk Home", 2016], ["Paper Moons", 2001], ["The Last Ferry", 2019],
  ["Salt", 1979], ["Winter in the Valley", 2024], ["Amber", 2022], ["The Cartographers", 2014], ["Two Suns", 2021], ["Gare du Nord", 2000],
];
const SERIES = [["Harbour Street", 2019, 8], ["The Night Desk", 2002, 10], ["Undertow", 2022, 9], ["Kitchen Light", 2023, 8], ["Ōkami", 2024, 10]];
const EPISODES = ["Pilot", "The Detail", "Low Water", "Half a Loaf", "Secrets", "The Pilot Boat", "Review", "Hands", "Doubles", "Ten Eggs"];

/** What somebody watches in 200 days. */
function diary(now = Date.now()) {
  const all = [];
  for (let day = 0; day < 200; day++) {
    const at = (hour, minute) => new Date(Math.min(new Date(now - day * DAY).setHours(hour, minute, 0, 0), now - (1 + all.length) * 60_000)).toISOString();
    const series = Math.floor(day / 9) % SERIES.length;
    const [title, year, episodes] = SERIES[series];
    for (let n = 0; n < (day % 3 === 2 ? 0 : 2); n++) {
      const episode = 1 + (day * 2 + n) % episodes;
      all.push({ type: "episode", show: { title, year, ids: { tmdb: 7000 + series } }, title: EPISODES[episode - 1], season: 1 + Math.floor(day / 45), episode, at: at(20 + n, 10 + (day * 7) % 40) });
    }
    const [name, made] = FILMS[(day >> 2) % FILMS.length];
    if (day % 4 === 1) all.push({ type: "movie", title: name, year: made, ids: { tmdb: 9000 + (day >> 2) % FILMS.length }, at: at(22, 5 + (day * 3) % 50) });
  }
  return all;
}

test("pictures", async (t) => {
  const person = await visit(t);
  const { home, browser, options } = person;
  fs.mkdirSync(folder, { recursive: true });
  const shoot = (page, name, fullPage = false) => page.screenshot({ path: path.join(folder, `${name}.png`), fullPage });
  const viewings = diary();
  for (let i = 0; i < viewings.length; i += 40) await home.post(...viewings.slice(i, i + 40));
  await home.post({ type: "movie", title: "The Long Afternoon" }, { type: "episode", show: { title: "Undertow Live" }, season: 1, episode: 3 });
  for (const id of ["9003", "9006", "9009"]) await home.run(["add", id, "--watchlist"]);
  const all = await eventually("everything is decided", () => home.queue(), (all) => all.every(({ state }) => ["delivered", "held"].includes(state)));

  const page = await browser.newPage();
  await signIn(page, home);
  const some = { entry: `/diary/${all.at(-1).id}`, "setup-browser": "/setup?step=2", log: "/log?what=dune" };
  for (const [width, height] of [[1200, 800], [375, 740]]) {
    for (const scheme of ["light", "dark"]) {
      await page.setViewport({ width, height });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      for (const name of ["home", "diary", "review", "watchlist", "statistics", "sources", "settings", "status", "about", "setup", ...Object.keys(some)]) {
        await page.goto(new URL(name === "home" ? "/" : some[name] ?? `/${name}`, page.url()).href);
        await shoot(page, width === 1200 && scheme === "light" ? name : `${name}-${width}-${scheme}`);
      }
    }
  }

  const one = await person.open(plain(film("The Last Ferry")));
  await one.evaluate(play.begin);
  await person.sees(one);
  await shoot(await person.popup(one), "popup");
  await options.bringToFront();
  await options.setViewport({ width: 1280, height: 800 });
  for (const part of ["sites", "privacy"]) {
    await options.$eval(`#${part}-heading`, (heading) => heading.scrollIntoView());
    await shoot(options, `options-${part}`);
  }
});
