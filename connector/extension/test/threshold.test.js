import assert from "node:assert/strict";
import { test } from "node:test";
import { Screening, usualRule } from "./screening.js";

const { needs, long } = new Screening({ files: ["content/threshold.js"] }).window.filmspool.threshold;

const film = (played, position, duration = 6000) => ({ played, position, duration });

const cases = [
  ["both reached", usualRule, film(3000, 4800), 0],
  ["position alone: he jumped to the end", usualRule, film(100, 5900), 2900],
  ["played alone: he stopped after half", usualRule, film(3600, 3600), 1200],
  ["nothing yet", usualRule, film(0, 0), 4800],
  ["exactly five minutes", usualRule, film(150, 240, 300), 0],
  ["a clip", usualRule, film(299, 299, 299), Infinity],
  ["the last five minutes, reached", { ...usualRule, last: 300 }, film(3000, 5700), 0],
  ["the last five minutes, not reached", { ...usualRule, last: 300 }, film(4900, 4900), 800],
  ["the last minutes of what is shorter", { ...usualRule, last: 7200 }, film(3000, 10), 0],
];

for (const [name, rule, state, expected] of cases) {
  test(name, () => assert.equal(needs(rule, "movie", state), expected));
}

test("films and episodes have thresholds of their own; what is neither yet meets both", () => {
  const rule = { movie: { played: 0.5, position: 0.9, minimum: 2400 }, episode: { played: 0.6, position: 0.8, minimum: 600 }, last: 0 };
  assert.equal(needs(rule, "episode", film(720, 960, 1200)), 0);
  assert.equal(needs(rule, "movie", film(720, 960, 1200)), Infinity);
  assert.equal(needs(rule, null, film(720, 960, 1200)), Infinity);
  assert.equal(needs(rule, null, film(3600, 5400)), 0);
  assert.equal(needs(rule, null, film(3000, 5400)), 600);
});

test("long is what could be a film at all", () => {
  assert.deepEqual([299, 300, 86_400, 86_401, 0, -1, NaN, Infinity].map((duration) => long(usualRule, "movie", duration)), [false, true, true, false, false, false, false, false]);
});
