// From a film that plays in a page to one record of the service; and what is none of Filmspool's business.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./browser.js";
import { eventually } from "./fixture.js";
import { film, framed, plain, play } from "./films.js";

test("a film in the page is delivered once, at the time it was watched", async (t) => {
  const person = await visit(t);
  const from = Math.floor(Date.now() / 1000) * 1000;
  const one = film("Plain");
  await person.watch(plain(one));
  const to = Date.now();
  await person.home.delivered(one.tmdb);
  const { history: [{ watchedAt }] } = await person.home.records();
  const at = Date.parse(watchedAt);
  assert.ok(from <= at && at <= to, `${watchedAt} is not between ${new Date(from)} and ${new Date(to)}`);
});

test("a film in a frame of another allowed site is delivered", async (t) => {
  const person = await visit(t, { sites: ["http://films.example", "http://player.example"] });
  const one = film("Framed");
  await person.watch(framed(one, person.put(plain(one), "player.example")), "player.example");
  await person.home.delivered(one.tmdb);
});

// In each of these a film that counts is played last: what was sent before it would have arrived before it.

test("what plays in a private window is not recorded, nor anything while private viewing is on", async (t) => {
  const person = await visit(t);
  const context = await person.browser.createBrowserContext();
  const hidden = await context.newPage();
  await hidden.goto(person.put(plain(film("In a private window"))));
  await hidden.evaluate(play.begin);
  await hidden.evaluate(play.toEnd, 8);
  await person.set({ private: true });
  await person.watch(plain(film("While private")));
  await person.set({ private: false });
  const last = film("In public");
  await person.watch(plain(last));
  await person.home.delivered(last.tmdb);
});

test("what plays on a site that is not allowed is not recorded", async (t) => {
  const person = await visit(t);
  const page = await person.open(plain(film("Elsewhere")), "other.example");
  await page.evaluate(play.begin);
  await page.evaluate(play.toEnd, 8);
  const last = film("Allowed");
  await person.watch(plain(last));
  await person.home.delivered(last.tmdb);
});
