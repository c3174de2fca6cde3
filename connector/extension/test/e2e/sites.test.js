// Two sites with a rule of their own, on pages that were made by hand and are served under the sites' own addresses: what
// the rule reads while a film plays is what the daemon is told.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { visit } from "./browser.js";
import { play, withClip } from "./films.js";
import { eventually } from "./fixture.js";

for (const [name, made] of [["disneyplus", "episode"], ["tubi", "film"]]) {
  test(`${name}: ${made}`, async (t) => {
    const dir = path.join(import.meta.dirname, "../sites", name);
    const { url, answer } = JSON.parse(fs.readFileSync(path.join(dir, "expected.json"), "utf8"))[made];
    const person = await visit(t, { sites: [] });
    await person.allow(new URL(url).hostname);
    const page = await person.browser.newPage();
    await page.setRequestInterception(true);
    const body = withClip(fs.readFileSync(path.join(dir, `${made}.html`), "utf8"));
    page.on("request", (request) => (request.url() === url ? request.respond({ contentType: "text/html; charset=utf-8", body })
      : request.url().startsWith("blob:") ? request.continue() : request.respond({ status: 404 })));
    await page.goto(url);
    await page.evaluate(play.begin);
    await person.sees(page);
    await page.evaluate(play.toEnd, person.rate);
    const [{ media }] = await eventually("it is held, as the service does not know it", () => person.home.queue(), ([entry]) => entry?.state === "held");
    const { kind, title, series, season, episode, year, numbers } = answer;
    assert.deepEqual({ type: media.type, title: media.title, year: media.year, series: media.show?.title, season: media.season, episode: media.episode, number: media.site?.title },
      { type: kind, title, year, series, season, episode, number: numbers.title });
  });
}
