// Makes the pictures of the README and of the stores, from the real program and the real extension, with invented viewings:
// `npm run pictures` writes them into the folder that FILMSPOOL_PICTURES names.
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { signIn, visit } from "./browser.js";
import { film, plain, play } from "./films.js";
import { eventually } from "./fixture.js";

const folder = process.env.FILMSPOOL_PICTURES ?? "pictures";
const FILMS = ["The Lighthouse Keeper's Daughter", "Nine Doors", "A Short Walk Home", "Paper Moons", "The Last Ferry", "Salt"];
const DAY = 24 * 3600_000;

test("pictures", async (t) => {
  const person = await visit(t);
  const { home, browser, options } = person;
  fs.mkdirSync(folder, { recursive: true });
  const shoot = (page, name) => page.screenshot({ path: path.join(folder, `${name}.png`) });
  const evening = Math.floor(Date.now() / DAY) * DAY - 3 * 3600_000;
  const at = (days) => new Date(evening - days * DAY).toISOString();
  await home.post(
    ...FILMS.map((title, i) => ({ type: "movie", title, year: 1960 + 7 * i, ids: { tmdb: 9000 + i }, at: at(4 * i) })),
    ...Array.from({ length: 12 }, (_, i) => ({ type: "episode", show: { title: "Harbour Street", ids: { tmdb: 1396 } }, season: 1, episode: i + 1, at: at(24 - 2 * i) })),
    { type: "movie", title: "Winter in the Valley", year: 2024 },
  );
  await eventually("everything is decided", () => home.queue(), (all) => all.every(({ state }) => ["delivered", "held"].includes(state)));

  const page = await browser.newPage();
  await page.setViewport({ width: 900, height: 640 });
  await signIn(page, home);
  for (const name of ["home", "diary", "review", "sources"]) {
    await page.goto(new URL(name === "home" ? "/" : `/${name}`, page.url()).href, { waitUntil: "networkidle2" });
    await shoot(page, name);
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
