// In Firefox: a film, and a background that the browser suspends when it has nothing to do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./browser.js";
import { film, plain } from "./films.js";
import { eventually } from "./fixture.js";

/** Waits until Firefox has suspended the background. Nothing may be asked of it meanwhile. @param {import("./browser.js").Person} person */
const suspended = ({ options }) => eventually("the background is suspended", () => options.evaluate(() => globalThis.browser.extension.getBackgroundPage() === null));

test("Firefox: a film wakes the suspended background and is delivered", async (t) => {
  const person = await visit(t, { on: "firefox" });
  await suspended(person);
  const one = film("Woken");
  await person.watch(plain(one));
  await person.home.delivered(one.tmdb);
  assert.equal((await person.home.clients())[0].browser, "firefox");
});

test("Firefox: what waits when the background is suspended is delivered once the daemon is back", async (t) => {
  const person = await visit(t, { on: "firefox" });
  await person.home.stopDaemon();
  const one = film("Waited");
  await person.watch(plain(one));
  await eventually("it waits", async () => (await person.state()).outbox.waiting, (waiting) => waiting === 1);
  await suspended(person);
  await person.home.startDaemon();
  await person.alarm();
  await person.home.delivered(one.tmdb);
});
