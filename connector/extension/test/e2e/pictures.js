// Makes the pictures of every page with 300 viewings, wide and narrow, light and dark, from the real program and the real
// extension: `npm run pictures` writes them into the folder that FILMSPOOL_PICTURES names. The README and the stores use some.
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { chromium, signIn, visit } from "./browser.js";
import { plain, play } from "./films.js";
import { eventually, tmdb } from "./fixture.js";

const folder = process.env.FILMSPOOL_PICTURES ?? "pictures";
const DAY = 24 * 3600_000;
const FILMS = [
  ["The Lighthouse Keeper's Daughter", 1961], ["Nine Doors", 1995], ["A Short Walk Home", 2016], ["Paper Moons", 2001], ["The Last Ferry", 2019],
  ["Salt", 1979], ["Winter in the Valley", 2024], ["Amber", 2022], ["The Cartographers", 2014], ["Two Suns", 2021], ["Gare du Nord", 2000],
];
const SERIES = [["Harbour Street", 2019, 8], ["The Night Desk", 2002, 10], ["Undertow", 2022, 9], ["Kitchen Light", 2023, 8], ["Ōkami", 2024, 10]];
const EPISODES = ["Pilot", "The Detail", "Low Water", "Half a Loaf", "Secrets", "The Pilot Boat", "Review", "Hands", "Doubles", "Ten Eggs"];

/** What somebody watches in 330 days, three series at a time. */
function diary(now = Date.now()) {
  const all = [];
  for (let day = 0; day < 330; day++) {
    const at = (hour, minute) => new Date(Math.min(new Date(now - day * DAY).setHours(hour, minute, 0, 0), now - (1 + all.length) * 1200_000)).toISOString();
    for (let n = 0; n < [1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2][(day * 7 + (day >> 4)) % 11]; n++) {
      const series = (Math.floor(day / 24) + (day * 2 + n) % 3) % SERIES.length;
      const [title, year, episodes] = SERIES[series];
      const episode = 1 + (660 - day * 2 + n) % episodes;
      all.push({ type: "episode", show: { title, year, ids: { tmdb: 7000 + series } }, title: EPISODES[episode - 1], season: 1 + Math.floor((330 - day) / 120), episode, at: at(20 + n, 10 + (day * 7) % 40) });
    }
    const film = (day >> 1) % FILMS.length;
    if (day % 5 === 1 && day % 3 || day % 13 === 2) all.push({ type: "movie", title: FILMS[film][0], year: FILMS[film][1], ids: { tmdb: 9000 + film }, at: at(22, 5 + (day * 3) % 50) });
  }
  return all;
}

/** A poster for each film and series: a sky, a moon, two hills and the title. @param {import("node:test").TestContext} t */
async function posters(t) {
  const page = await (await chromium(t)).newPage();
  await page.setViewport({ width: 370, height: 556 });
  const known = new Map();
  for (const [i, [title, year]] of [...FILMS, ...SERIES].entries()) {
    const hue = (i * 137) % 360;
    const hill = (x, y, light) => `radial-gradient(95% ${y}% at ${x}% 108%, hsl(${hue} 40% ${light}%) 99.5%, transparent)`;
    const moon = `radial-gradient(circle at ${25 + (i * 23) % 50}% ${26 + (i * 17) % 20}%, hsl(${hue + 60} 80% 80%) ${8 + (i * 5) % 9}%, transparent ${8.3 + (i * 5) % 9}%)`;
    await page.setContent(`<body style="margin:0;height:100vh;display:grid;align-items:end;color:#fff;background:${hill(10 + (i * 31) % 60, 42, 11)},${hill(95 - (i * 41) % 70, 56, 20)},${moon},
      linear-gradient(hsl(${hue} 45% 24%),hsl(${hue + 40} 60% 58%))"><h1 style="margin:28px;font:${i % 2 ? "600 44px/1 serif" : "800 38px/1 sans-serif;text-transform:uppercase"}">${title}</h1>`);
    known.set(i < FILMS.length ? 9000 + i : 7000 + i - FILMS.length, { title, year, picture: Buffer.from(await page.screenshot({ type: "jpeg" })) });
  }
  return known;
}

test("pictures", async (t) => {
  const person = await visit(t, { tmdb: await tmdb(t, await posters(t)) });
  const { home, browser, options } = person;
  fs.mkdirSync(folder, { recursive: true });
  await home.run(["sources", "rename", (await home.clients())[0].id, "Chrome"]);
  const viewings = diary();
  for (let i = 0; i < viewings.length; i += 40) await home.postAs(i % 120 ? "Jellyfin" : "Plex", ...viewings.slice(i, i + 40));
  for (const id of ["9003", "9006", "9009"]) await home.run(["add", id, "--watchlist"]);
  await eventually("everything is delivered", () => home.queue(), (all) => all.every(({ state }) => state === "delivered"));

  const page = await browser.newPage();
  await signIn(page, home);
  const shoot = async (page, name, fullPage = false) => {
    await page.waitForFunction(() => [...document.images].every((one) => one.loading !== "lazy" || one.complete || one.getBoundingClientRect().top > innerHeight));
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage });
  };
  const look = async (names, width = 1200, height = 800, scheme = "light") => {
    await page.bringToFront();
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const [name, where = `/${name}`] of names) {
      await page.goto(new URL(where, page.url()).href);
      await shoot(page, width === 1200 && scheme === "light" ? name : `${name}-${width}-${scheme}`);
    }
  };
  const one = await person.open(plain({ title: "The Last Ferry", year: 2019, tmdb: 9004 }));
  await one.evaluate(play.begin);
  await one.evaluate(() => { globalThis.clip.currentTime = 130; });
  await person.sees(one);
  const popup = await person.popup(one);
  await shoot(popup, "popup");
  await popup.close();
  await eventually("it plays", () => home.json("status"), ({ playing }) => playing?.length === 1);
  await look([["home", "/"], ["diary"], ["statistics"]], 1200, 960); // those of the README

  await home.postAs("Jellyfin", { type: "movie", title: "The Long Afternoon" }, { type: "episode", show: { title: "Undertow Live" }, season: 1, episode: 3 });
  const all = await eventually("two are held", () => home.queue(), (all) => all.filter(({ state }) => state === "held").length === 2);
  const pages = [["home-held", "/"], ["diary-held", "/diary"], ["review"], ["watchlist"], ["numbers", "/statistics"], ["sources"], ["settings"], ["status"], ["about"], ["setup"],
    ["entry", `/diary/${all.find(({ media }) => media?.title === "Pilot").id}`], ["held", `/diary/${all[0].id}`], ["setup-browser", "/setup?step=2"], ["log", "/log?what=dune"], ["import"]];
  for (const [width, height] of [[1200, 800], [375, 740]]) for (const scheme of ["light", "dark"]) await look(pages, width, height, scheme);

  await options.bringToFront();
  await options.setViewport({ width: 1280, height: 800 });
  for (const part of ["sites", "privacy"]) {
    await options.$eval(`#${part}-heading`, (heading) => heading.scrollIntoView());
    await shoot(options, `options-${part}`);
  }
});
