// Players that make it hard, in real browsers: from the page to one record of
// the service, or to none.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { head } from "./films.js";
import { stage } from "./stage.js";
import { streamed } from "./streams.js";
import { until } from "./until.js";
import { Visit } from "./visit.js";

const part = { played: 0.5, position: 0.8, minimum: 30 };
const RULE = { movie: part, episode: part, last: 0 };
let number = 8000;
/** @param {string} title */
const film = (title) => ({ title, year: 1990, tmdb: ++number });

/** The length is that of what is loaded, 40 s ahead, until the film ends after 200. */
const GROWS = `
media.duration = 40;
await fill(0, 40);
let loaded = 40;
async function ahead() {
  while (loaded < 200) {
    await reached(loaded - 40);
    await fill(loaded, loaded += 20);
  }
  media.endOfStream();
}
globalThis.begin = () => {
  ahead();
  return reached(199.5);
};`;

/** The element has no end, and tells another time; the slider tells the film's, which lasts 300 s. */
const CLOCK = `
const base = 1_000_000;
media.duration = Infinity;
await fill(base, base + 300);
await jump(base);
const tell = () => {
  for (const [name, value] of [["min", 0], ["now", Math.floor(clip.currentTime - base)], ["max", 300]]) slider.setAttribute("aria-value" + name, value);
};
slider.setAttribute("role", "slider");
clip.addEventListener("timeupdate", tell);
tell();
globalThis.begin = () => reached(base + 242);`;

/** The same without a slider: a broadcast. */
const BROADCAST = CLOCK.replace('slider.setAttribute("role", "slider");', "");

/** Of a film of 80 s, an advertisement of 20 takes the place three times, in the same source. */
const SPLICED = `
media.duration = 80;
await fill(0, 80);
async function splice() {
  for (const at of [20, 35, 50]) {
    await reached(at);
    await instead(20, 0);
    await reached(17);
    await instead(80, at);
  }
}
globalThis.begin = async () => {
  await splice();
  await reached(65);
};`;

/** For Tab.run: plays as the page says, and tells when that was done. @param {number} rate */
const begin = async (rate) => {
  const { clip, begin } = /** @type {any} */ (globalThis);
  clip.mozCaptureStream?.(); // as in films.js
  clip.playbackRate = rate;
  const done = begin();
  await clip.play();
  const stuck = new Promise((_, failed) => setTimeout(() => failed(new Error(`it stands at ${clip.currentTime} of ${clip.duration}`)), 60_000));
  await Promise.race([done, stuck]);
  return Date.now();
};

for (const name of /** @type {const} */ (["chromium", "firefox"])) {
  stage(name, "players that make it hard", (Browser) => {
    const visit = new Visit(Browser);
    before(async () => {
      await visit.open();
      await visit.typePairing(visit.home.pairingCode());
      await visit.linkIs("connected");
      await visit.allowSites();
      await visit.settle({ rule: RULE });
    });
    after(() => visit.close());

    /** @param {ReturnType<typeof film>} one @param {string} script @param {number} rate */
    async function plays(one, script, rate) {
      const tab = await visit.browser.tab(visit.pages.put(`/${one.tmdb}`, streamed(head(one), script)));
      await until("the player is ready", () => tab.run(() => /** @type {any} */ (globalThis).ready));
      await tab.click("#clip"); // Firefox mutes what plays faster than four times, and what is muted has to be asked for
      return [tab, await tab.run(begin, rate)];
    }

    for (const [what, script, rate] of /** @type {const} */ ([
      ["a length that grows while more is loaded", GROWS, 16],
      ["a clock that is not the film's", CLOCK, 16],
      ["an advertisement spliced into the source", SPLICED, 4],
    ])) {
      it(what, async () => {
        const one = film(what);
        const [tab, at] = await plays(one, script, rate);
        visit.expected.set(one.tmdb, at);
        await visit.allArrived();
        await tab.close();
      });
    }

    it("a broadcast", async () => {
      const [tab] = await plays(film("Broadcast"), BROADCAST, 16);
      const [after, at] = await plays(film("After"), SPLICED, 4); // comes after it in every queue
      visit.expected.set(number, at);
      await visit.allArrived();
      assert.deepEqual((await visit.state()).outbox.unknown, []);
      await Promise.all([tab.close(), after.close()]);
    });
  });
}
