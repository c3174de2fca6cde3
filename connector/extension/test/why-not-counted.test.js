/** What a frame tells the popup when nothing there counts. */
import assert from "node:assert/strict";
import { answer, screened, usualRule } from "./screening.js";

/** @param {import("./screening.js").Screening} screening */
const reason = (screening) => structuredClone(screening.window.filmspool.whyNotCounted());

/** @param {import("./screening.js").Screening} screening */
async function ruled(screening) {
  const film = screening.film({ duration: 301 });
  await film.play(5);
  film.element.remove();
}

const REASONS = [
  ["muted and untouched", "muted", (film) => (film.muted = true)],
  ["too short", "short", (film) => film.load(200)],
  ["a live stream", "live", (film) => film.load(Infinity)],
  ["a broadcast with a made-up end", "live", (film) => film.load(2 ** 32)],
  ["without a length", "length", (film) => film.load(NaN)],
  ["tiny", "hidden", (film) => (film.width = 1)],
];
for (const [name, why, change] of REASONS) {
  screened(`not counted, and why: ${name}`, async (screening) => {
    await ruled(screening);
    const film = screening.film();
    const before = screening.sent.length;
    change(film);
    await film.play(150, { step: 9 });
    assert.equal(screening.sent.length, before);
    await film.play(20);
    assert.equal(reason(screening).why, why);
    film.pause();
    assert.equal(reason(screening).why, undefined, "what stands still needs no reason");
  });
}

screened("of an unknown kind the stricter rule asks for more", async (screening) => {
  await screening.film({ duration: 500 }).play(20);
  assert.deepEqual(reason(screening), { players: [], why: "short", least: 600 });
}, { answers: (message) => ({ ...answer(message), rule: { ...usualRule, movie: { ...usualRule.movie, minimum: 600 } } }) });

screened("nothing is recorded now", async (screening) => {
  await screening.film().play(100);
  assert.equal(reason(screening).why, "paused");
}, { answers: (message) => ({ ...answer(message), record: false }) });

screened("what counts has no reason; once touched, a muted film counts", async (screening) => {
  const film = screening.film();
  film.muted = true;
  await film.play(20);
  assert.equal(reason(screening).why, "muted");
  screening.window.filmspool.parts.tracker.act();
  await film.play(20);
  assert.deepEqual(reason(screening), { players: [] });
  assert.equal((await screening.ask({ kind: "now" })).why, undefined);
});

screened("the largest of several is spoken of", async (screening) => {
  await ruled(screening);
  const clip = screening.film({ duration: 20 });
  clip.width = 200;
  const film = screening.film();
  film.muted = true;
  await Promise.all([clip.play(10), film.play(10)]);
  assert.equal(reason(screening).why, "muted");
});

const FRAMES = `<!doctype html>
<iframe id=player src="https://player.example/embed/9?key=secret" allow="autoplay; fullscreen"></iframe>
<iframe id=plain src="//wide.example/x" ></iframe>
<iframe id=advert src="https://ads.example/" allowfullscreen></iframe>
<iframe id=own src="/here" allowfullscreen></iframe>
<iframe id=empty allowfullscreen></iframe>
<iframe id=odd src="javascript:0" allowfullscreen></iframe>`;

screened("players in frames of other sites are named by their site, and by nothing more", (screening) => {
  const sizes = { player: [640, 360], plain: [900, 500], advert: [120, 60], own: [640, 360], empty: [640, 360], odd: [640, 360] };
  for (const [id, [width, height]] of Object.entries(sizes)) {
    screening.document.getElementById(id).getBoundingClientRect = () => ({ width, height });
  }
  assert.deepEqual(reason(screening), { players: [{ site: "https://player.example/*", area: 230_400 }, { site: "https://wide.example/*", area: 450_000 }] });
}, { html: FRAMES });

screened("the headings of a page come with what it says", async (screening) => {
  const { evidence } = await screening.ask({ kind: "page" });
  assert.deepEqual(structuredClone(evidence.headings), ["Cat's in the Bag"]);
  assert.deepEqual(structuredClone(evidence.mentions), ["Breaking Bad – Films", "Season 1", "Episode 2", "Pilot"]);
}, { html: `<!doctype html><meta property="og:title" content="Breaking Bad – Films"><h1>Cat's in  the Bag</h1><h1> </h1><h1>Cat's in the Bag</h1>
  <h2>Season 1</h2><h4>Episode 2</h4><div role="heading">Pilot</div><h3>More like this</h3>` });
