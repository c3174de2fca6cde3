// The rules of sites in real browsers: the pages that were made for their
// tests, under the site's own name, which leads to this machine.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, it } from "node:test";
import { LONG } from "./films.js";
import { stage } from "./stage.js";
import { until } from "./until.js";
import { Visit } from "./visit.js";

/** The sites of which one episode follows the other here. */
const SITES = ["netflix", "tubi"];
const SERIES = 1396;

/** @param {string} site @param {string} page */
const read = (site, page) => fs.readFileSync(path.join(import.meta.dirname, "../sites", site, page), "utf8");

/**
 * For Tab.run: plays the page's video to its end. The words change while it plays: [[at second, page], …].
 * @param {string} address @param {string} clip @param {[number, string][]} turns
 */
const plays = (address, clip, turns) => {
  const page = /** @type {any} */ (globalThis);
  const video = page.clip ??= document.querySelector("video");
  const turn = (/** @type {string} */ html) => {
    document.title = /<title>([^<]*)/.exec(html)?.[1] ?? "";
    const body = document.createElement("body");
    body.setHTMLUnsafe(html);
    body.querySelector("video")?.replaceWith(video);
    document.body.replaceChildren(...body.childNodes);
  };
  history.pushState({}, "", address);
  video.mozCaptureStream?.(); // as in films.js
  video.src = clip;
  for (const [at, html] of turns) setTimeout(turn, at * 1000, html);
  return new Promise((done, failed) => {
    let passed = 0;
    video.ontimeupdate = () => (passed ||= video.currentTime >= 0.8 * video.duration ? Date.now() : 0);
    video.onended = () => done(passed);
    setTimeout(() => failed(new Error(`it stands at ${video.currentTime} of ${video.duration}`)), 60_000);
    video.play().catch(failed);
  });
};

for (const browser of /** @type {const} */ (["chromium", "firefox"])) for (const site of SITES) {
  stage(browser, `a site with a rule: ${site}`, (Browser) => {
    const pages = JSON.parse(read(site, "expected.json"));
    const host = new URL(pages.episode.url).hostname;
    const visit = new Visit(Browser, { names: [host] });
    before(async () => {
      await visit.open();
      await visit.typePairing(visit.home.pairingCode());
      await visit.linkIs("connected");
      await visit.settle();
    });
    after(() => visit.close());

    it("one question for the series, then the next episode by itself", async () => {
      const path = (/** @type {string} */ page) => new URL(pages[page].url).pathname;
      const [episode, next, hidden] = ["episode", "next", "hidden"].map((page) => read(site, `${page}.html`));
      await visit.allow(`http://${host}`);
      const tab = await visit.browser.tab(visit.pages.put(path("episode"), episode, host));
      const first = await tab.run(plays, path("episode"), `/clip-${LONG}.wav`, [[5, hidden]]);
      const card = await until("it is asked about", async () => (await visit.state()).outbox.unknown[0]);
      const { series, season, episode: number, numbers } = pages.episode.answer;
      assert.deepEqual(card.evidence, { kind: "episode", title: series, season, episode: number, site: { name: site, ...numbers } });
      const media = { type: "episode", show: { ids: { tmdb: SERIES } }, season, episode: number };
      assert.deepEqual(await visit.ask({ kind: "identify", id: card.id, media, remember: true }), { ok: true });
      const second = await tab.run(plays, path("next"), `/clip-${LONG + 1}.wav`, [[0, episode], [2, hidden], [4, next], [8, hidden]]);
      const records = await until("both are recorded", async () => {
        const { history } = await visit.home.records();
        return history.length === 2 && history;
      });
      const places = records.map((/** @type {any} */ one) => [one.tvShowId, one.seasonNumber, one.episodeNumber]);
      assert.deepEqual(places.sort(), [[SERIES, season, number], [SERIES, season, pages.next.answer.episode]]);
      for (const { episodeNumber, watchedAt } of records) assert.ok(Math.abs(Date.parse(watchedAt) - (episodeNumber === number ? first : second)) < 2000, watchedAt);
      assert.deepEqual((await visit.state()).outbox.unknown, []);
      await tab.close();
    });
  });
}
