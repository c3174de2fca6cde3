// The extension's popup: what plays there, why it does not count, and what a person can do about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { says, signIn, text, visit } from "./browser.js";
import { film, plain, play } from "./films.js";
import { eventually } from "./fixture.js";

test("the popup shows what plays; marked as watched it is delivered at once, and not again at its end", async (t) => {
  const person = await visit(t);
  const one = film("Marked");
  const page = await person.open(plain(one));
  await page.evaluate(play.begin);
  await person.sees(page);
  const popup = await person.popup(page);
  await says(popup, "#now", /Marked/);
  await popup.locator("aria/Mark as watched").click();
  await person.home.delivered(one.tmdb);
  await page.evaluate(play.toEnd, person.rate);
  const last = film("After it");
  await person.watch(plain(last));
  await person.home.delivered(one.tmdb, last.tmdb);
});

test("the popup allows the site of the page in front, and follows what plays there already", async (t) => {
  const person = await visit(t, { sites: [] });
  const one = film("Allowed here");
  const page = await person.open(plain(one));
  await page.evaluate(play.begin);
  await person.agree(["https://films.example/*", "https://www.films.example/*", "http://films.example/*", "http://www.films.example/*"]);
  const popup = await person.popup(page);
  await says(popup, "#now", /films\.example/);
  assert.deepEqual((await person.state()).sites, []);
  assert.match(await text(popup, "#allow-site"), /films\.example/);
  await popup.locator("#allow-site").click();
  await says(popup, "#now", /Allowed here/);
  await page.evaluate(play.toEnd, person.rate);
  await person.home.delivered(one.tmdb);
});

test("what needs attention is counted, with a link that opens Review for who is signed in", async (t) => {
  const person = await visit(t);
  const { browser, home } = person;
  const page = await browser.newPage();
  await signIn(page, home);
  await home.post({ type: "movie", title: "A film that nobody knows" });
  await eventually("it needs attention", async () => (await person.state()).daemon?.attention, (n) => n === 1);
  const popup = await person.popup(page);
  await says(popup, "#needs", /1 entry needs your attention/);
  const opens = browser.waitForTarget((one) => one.url().endsWith("/review"), { timeout: 60_000 });
  void popup.locator("aria/Open Review").click().catch(() => {}); // the popup closes under the click
  const review = await (await opens).asPage();
  await review.waitForSelector("nav a");
  await says(review, "main", /A film that nobody knows/);
});
