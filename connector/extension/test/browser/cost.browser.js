// What the extension costs: processor time of the browser's content processes
// while a film plays, on a site where it watches and on one where it does not,
// by turns in the same run; what a quiet page costs; and the memory of an
// evening. Speed is told, not judged.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { plain } from "./films.js";
import { contentBytes, contentSeconds } from "./processes.js";
import { plays, Site } from "./sites.js";
import { stage } from "./stage.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

const ROUNDS = Number(process.env.FILMSPOOL_ROUNDS ?? 3);
/** Of an evening. */
const EPISODES = Number(process.env.FILMSPOOL_EPISODES ?? 60);
const SETTLED = 5;
/** That the scripts of the page may hold more after an evening: the sittings that are kept, in bytes. */
const MOST_MORE = 2 << 20;
const WINDOW = 5000; // milliseconds
const QUIET = 2 * ROUNDS * WINDOW;
const FILM = { title: "Long", year: 1990, tmdb: 77 };
const ELSEWHERE = "other.example"; // is never allowed
const [RULED, SERIES] = [new Site("hulu"), new Site("tubi")]; // the one has a slider and several sources

/** For Tab.run: plays on, and comes back once it does. */
const begin = async () => {
  const { clip } = /** @type {any} */ (globalThis);
  clip.mozCaptureStream?.(); // as in films.js
  await clip.play();
  await new Promise((moved) => clip.addEventListener("timeupdate", moved, { once: true }));
};

/** Processor time per second, meanwhile, in per cent. @param {any} visit @param {() => Promise<unknown>} meanwhile */
async function share(visit, meanwhile) {
  const [{ id }] = await visit.browser.processes("browser");
  const from = contentSeconds(id);
  const start = performance.now();
  await meanwhile(); // this is the measuring itself
  return (100_000 * (contentSeconds(id) - from)) / (performance.now() - start);
}

/** The same while that tab plays. @param {any} visit @param {any} tab */
async function played(visit, tab) {
  await tab.run(begin);
  const used = await share(visit, () => pause(WINDOW));
  await tab.run(() => /** @type {any} */ (globalThis).clip.pause());
  return used;
}

/** One odd window shall not count. @param {number[]} numbers */
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** What our scripts in the page work. @param {any} visit @param {any} tab @param {number} window milliseconds */
async function worked(visit, tab, window) {
  const own = await tab.worked(visit.browser.origin(SOURCE), () => pause(window));
  return `our scripts in the page ${((own * 60_000) / window).toFixed(2)} ms a minute`;
}

/** A page with so long a film. @param {Site} site */
const long = (site) => site.html("episode").replace("<video ", '<video src="/clip-600.wav" ')
  .replace("</body>", '<script>globalThis.clip = document.querySelector("video");</script></body>');

/**
 * Plays the same page where it is watched and where not.
 * @param {any} visit @param {string} what @param {string} watched its address @param {string} alone the other address
 */
async function compare(visit, what, watched, alone) {
  const tabs = [await visit.browser.tab(watched), await visit.browser.tab(alone)];
  const loaded = () => /** @type {any} */ (globalThis).clip.duration > 500;
  for (const tab of tabs) await until("it has loaded", () => tab.run(loaded));
  /** @type {number[][]} */ const [withIt, without] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await played(visit, tabs[1]));
    withIt.push(await played(visit, tabs[0]));
  }
  const figures = (/** @type {number[]} */ shares) => shares.map((one) => one.toFixed(2)).join(" ");
  const { name } = visit.browser;
  console.log(`  ${name}: % of a core while ${what} plays: with ${figures(withIt)}, without ${figures(without)}; `
    + `the extension costs ${(middle(withIt) - middle(without)).toFixed(2)}`);
  await tabs[0].run(begin);
  if (tabs[0].worked) console.log(`  ${name}: while ${what} plays: ${await worked(visit, tabs[0], QUIET)}`);
  await Promise.all(tabs.map((tab) => tab.close()));
}

for (const name of /** @type {const} */ (["chromium", "firefox"])) {
  stage(name, "cost", (Browser) => {
    const hosts = [RULED, SERIES].map((site) => site.url("episode").hostname);
    const visit = new Visit(Browser, { names: ["films.example", "player.example", ELSEWHERE, ...hosts] });
    /** @param {string} where @param {string} html @param {string} host */
    const put = (where, html, host) => visit.pages.put(where, html, host);
    before(async () => {
      await visit.open();
      await visit.typePairing(visit.home.pairingCode());
      await visit.linkIs("connected");
      await visit.allowSites();
      await visit.allow(...hosts.map((host) => `http://${host}`));
    });
    after(() => visit.close());
    /** @type {any} a page that has long been loaded when it is measured */ let quiet;

    it("of watching", async () => {
      const many = "<article><h2>A film</h2><p><a href=/>More</a></p></article>".repeat(500);
      quiet = await visit.browser.tab(put("/all", `<!doctype html><title>Films</title>${many}`, hosts[0]));
      const html = plain(FILM, { seconds: 600 });
      return compare(visit, "a film", put("/long", html, "films.example"), put("/alone", html, ELSEWHERE));
    });

    it("of watching by a rule", () => {
      const [{ pathname }, html] = [RULED.url("episode"), long(RULED)];
      const [watched, alone] = [hosts[0], ELSEWHERE].map((host) => put(pathname, html, host));
      return compare(visit, "an episode of a site with a rule", watched, alone);
    });

    it("of a quiet page without a film", async () => {
      const all = async () => `${(await share(visit, () => pause(QUIET))).toFixed(3)} % of a core, all processes of pages`;
      const told = quiet.worked ? await worked(visit, quiet, QUIET) : await all();
      console.log(`  ${name}: a quiet page without a film: ${told}`);
    });

    it("of the memory of an evening", async () => {
      const tab = await visit.browser.tab(put("/tv-shows/900000/x", SERIES.html("episode"), hosts[1]));
      const [{ id }] = await visit.browser.processes("browser");
      const held = async () => ({ content: contentBytes(id), heap: await tab.heap?.() });
      let before = await held();
      for (let number = 1; number <= EPISODES; number++) {
        const html = SERIES.html("episode").replace("E03", `E${number}`);
        await tab.run(plays, `/tv-shows/${900_000 + number}/s02-e${number}-x`, "/clip-3.wav", [[0, html]]);
        if (number === SETTLED) before = await held();
      }
      const now = await held();
      /** @param {"content" | "heap"} what */
      const grew = (what) => `${Math.round(before[what] / 1024)} → ${Math.round(now[what] / 1024)} KiB`;
      console.log(`  ${name}: memory after ${SETTLED} and ${EPISODES} episodes on one page: `
        + `content processes ${grew("content")}${now.heap ? `, scripts of the page ${grew("heap")}` : ""}`);
      if (now.heap) assert.ok(now.heap - before.heap < MOST_MORE, "what is kept of an evening has a bound");
      await tab.close();
    });
  });
}
