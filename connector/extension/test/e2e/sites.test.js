// Every site with a rule, on pages that were made by hand and are served under the sites' own addresses: an episode, and
// then the next one by itself. Old words linger, the controls hide, and the title stays. Then the mouse moves, and the
// page shows what plays. What the extension knows is right at any time, or it knows nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { identify } from "../../source/identify/index.js";
import { coverage } from "../../source/pages/sites.js";
import { rules } from "../../source/sites/index.js";
import { expected, read } from "../site-page.js";
import { visit } from "./browser.js";
import { play, withClip } from "./films.js";
import { eventually } from "./fixture.js";

const AT_ONCE = 4;
/** As fast as Chromium plays. */
const RATE = 16;
const series = Object.keys(rules).filter((name) => expected(name).next);

/** @param {{season?: number | null, episode?: number | null}} of */
const place = ({ season, episode }) => [season ?? null, episode ?? null];

/**
 * Two episodes on one site.
 * @param {import("./browser.js").Person} person @param {string} name
 * @returns {Promise<{ids: string[], unseen: ReturnType<typeof identify>}>} ids of the viewings; unseen: what is known of the second before the mouse moves
 */
async function evening(person, name) {
  const { episode, next } = expected(name);
  const page = await person.browser.newPage();
  const html = (/** @type {string} */ one) => read(name, `${one}.html`);
  await page.setRequestInterception(true);
  page.on("request", (request) => (request.isNavigationRequest() ? request.respond({ contentType: "text/html; charset=utf-8", body: withClip(html("episode")) })
    : request.url().startsWith("blob:") ? request.continue() : request.respond({ status: 404 })));
  const shown = async (/** @type {string} */ one, /** @type {any} */ answer) => {
    await page.evaluate(play.turn, html(one), one === "next");
    const known = await eventually(`${name}: ${one} is read`, () => person.sees(page), ({ session }) => {
      const { episode, title } = identify(session).evidence;
      return episode === answer.episode && title === answer.series;
    });
    await page.evaluate(play.turn, html("hidden"), false);
    return known.session.id;
  };
  await page.goto(episode.url);
  await page.evaluate(play.begin);
  const first = await shown("episode", episode.answer);
  await page.evaluate(play.toEnd, RATE);
  await page.evaluate(play.turn, html("episode"), false);
  await page.evaluate(play.next, next.url);
  await pause(1500); // the old words linger
  await page.evaluate(play.turn, html("hidden"), false);
  await page.evaluate(play.on, RATE);
  const unseen = identify((await person.sees(page)).session);
  const second = await shown("next", next.answer);
  await page.evaluate(play.toEnd, RATE);
  await page.close();
  return { ids: [first, second], unseen };
}

test("from one episode to the next on every site, before and after the mouse moves: nothing is wrong", async (t) => {
  const person = await visit(t, { sites: [] });
  const origins = series.flatMap((name) => coverage(new URL(expected(name).episode.url).hostname) ?? []);
  await person.agree(origins);
  await person.options.bringToFront();
  await person.options.evaluate((origins) => chrome.permissions.request({ origins }), origins);
  const waiting = [...series];
  /** @type {Record<string, Awaited<ReturnType<typeof evening>>>} */
  const evenings = {};
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) evenings[name] = await evening(person, name);
  }));
  const all = await eventually("all is in the queue", () => person.home.queue(), ({ length }) => length >= 2 * series.length);
  for (const name of series) {
    const { episode, next } = expected(name);
    const { ids, unseen } = evenings[name];
    const [first, second] = ids.map((id) => all.find(({ eventId }) => eventId === id)?.media ?? assert.fail(`${name}: not in the queue`));
    assert.deepEqual([place(first), place(second)], [place(episode.answer), place(next.answer)], name);
    if (next.answer.series) assert.equal(second.show.title, next.answer.series, name);
    for (const is of [second, unseen.media ?? {}]) {
      if (is.episode !== undefined) assert.deepEqual(place(is), place(next.answer), `${name}, unseen`);
      assert.notEqual(is.title ?? "", episode.answer.title ?? "none", `${name}: the title of the first`);
      if (next.answer.numbers?.title) assert.notEqual(is.site?.title, episode.answer.numbers.title, `${name}: the number of the first`);
    }
  }
});
