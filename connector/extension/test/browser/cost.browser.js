// What the extension costs while a film plays: processor time of the
// browser's content processes, on a site where it watches and on one where it
// does not, by turns in the same run. Told, not judged.
import { after, before, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { plain } from "./films.js";
import { contentSeconds } from "./processes.js";
import { stage } from "./stage.js";
import { until } from "./until.js";
import { Visit } from "./visit.js";

const ROUNDS = Number(process.env.FILMSPOOL_ROUNDS ?? 3);
const WINDOW = 5000; // milliseconds
const FILM = { title: "Long", year: 1990, tmdb: 77 };

/** For Tab.run: plays on, and comes back once it does. */
const begin = async () => {
  const { clip } = /** @type {any} */ (globalThis);
  clip.mozCaptureStream?.(); // as in films.js
  await clip.play();
  await new Promise((moved) => clip.addEventListener("timeupdate", moved, { once: true }));
};

/** Processor time per second of play, in that tab. @param {any} visit @param {any} tab */
async function share(visit, tab) {
  await tab.run(begin);
  const [{ id }] = await visit.browser.processes("browser");
  const from = contentSeconds(id);
  const start = performance.now();
  await pause(WINDOW); // this is the measuring itself
  const used = contentSeconds(id) - from;
  const seconds = (performance.now() - start) / 1000;
  await tab.run(() => /** @type {any} */ (globalThis).clip.pause());
  return (100 * used) / seconds;
}

/** One odd window shall not count. @param {number[]} numbers */
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

for (const name of /** @type {const} */ (["chromium", "firefox"])) {
  stage(name, "cost", (Browser) => {
    const visit = new Visit(Browser);
    before(() => visit.open());
    after(() => visit.close());
    it("of watching", async () => {
      await visit.typePairing(visit.home.pairingCode());
      await visit.linkIs("connected");
      await visit.allowSites();
      const html = plain(FILM, { seconds: 600 });
      const watched = await visit.browser.tab(visit.pages.put("/long", html));
      const alone = await visit.browser.tab(visit.pages.put("/alone", html, "other.example"));
      await until("both have loaded", async () => (await watched.run(() => /** @type {any} */ (globalThis).clip.duration > 500))
        && alone.run(() => /** @type {any} */ (globalThis).clip.duration > 500));
      /** @type {number[]} */ const withIt = [];
      /** @type {number[]} */ const without = [];
      for (let round = 0; round < ROUNDS; round++) {
        without.push(await share(visit, alone));
        withIt.push(await share(visit, watched));
      }
      const figures = (/** @type {number[]} */ shares) => shares.map((one) => one.toFixed(2)).join(" ");
      console.log(`  ${name}: % of a core while a film plays: with ${figures(withIt)}, without ${figures(without)}; `
        + `the extension costs ${(middle(withIt) - middle(without)).toFixed(2)}`);
    });
  });
}
