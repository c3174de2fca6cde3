import assert from "node:assert/strict";
import { test } from "node:test";
import { Screening } from "./screening.js";

const { Track, Cover } = new Screening({ files: ["content/meter.js"] }).window.filmspool.meter;

/** Plays steps of [position, rate, milliseconds later] and gives the seconds counted. */
function played(steps) {
  const [track, cover] = [new Track(), new Cover()];
  let now = 0;
  for (const [position, rate, later] of steps) {
    now += later;
    const span = track.sample(position, rate, now);
    if (span) cover.add(...span);
  }
  return cover.seconds;
}

const near = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);

/** What happens, steps as above, and the seconds that count. @type {[string, [any, number, number][], number][]} */
const CASES = [
  ["plain playing", [[0, 1, 0], [0.25, 1, 250], [0.5, 1, 250], [1.5, 1, 1000]], 1.5],
  ["a tab in the background samples seldom", [[0, 1, 0], [1, 1, 1000], [9, 1, 8000]], 9],
  ["twice as fast: the film's seconds count", [[0, 2, 0], [2, 2, 1000], [4, 2, 1000]], 4],
  ["half as fast", [[0, 0.5, 0], [0.5, 0.5, 1000], [1, 0.5, 1000]], 1],
  ["a change of speed between two samples", [[0, 2, 0], [2, 1, 1000], [3, 1, 1000]], 3],
  ["a jump forwards that no event tells", [[0, 1, 0], [1, 1, 1000], [600, 1, 1000], [601, 1, 1000]], 2],
  ["a jump back", [[100, 1, 0], [101, 1, 1000], [3, 1, 1000], [4, 1, 1000]], 2],
  ["a busy page reads an old position", [[0, 1, 0], [1, 1, 1000], [1.1, 1, 2000], [3.5, 1, 500], [4, 1, 500]], 4],
  ["what is caught up with is bounded by the time that has passed", [[0, 1, 0], [0.1, 1, 60_000], [0.2, 1, 60_000], [15, 1, 1000]], 0.2],
  ["a computer that slept", [[0, 1, 0], [1, 1, 1000], [1.2, 1, 8 * 3600_000]], 1.2],
  ["a computer that slept, and a jump", [[0, 1, 0], [1, 1, 1000], [3000, 1, 8 * 3600_000]], 1],
  ["a speed that is no number", [[0, NaN, 0], [1, NaN, 1000]], 0],
  ["backwards", [[0, -1, 0], [1, -1, 1000]], 0],
  ...[NaN, Infinity, -1, undefined].map((odd) => /** @type {[string, any, number]} */ ([`the position ${odd}`, [[0, 1, 0], [odd, 1, 1000], [odd, 1, 1000]], 0])),
];

test("what is played is counted to the second, and nothing else", () => {
  for (const [what, steps, seconds] of CASES) assert.ok(Math.abs(played(steps) - seconds) < 1e-6, `${what}: ${played(steps)}`);
  const counted = played(Array.from({ length: 600 }, (_, second) => [second * 4.97, 1, 1000]));
  assert.ok(counted <= 605.5, `small jumps, one after the other: ${counted} s counted in 600 s`);
});

test("a track that was reset starts over", () => {
  const track = new Track();
  track.sample(0, 1, 0);
  track.reset();
  assert.equal(track.sample(0.4, 1, 400), null);
  assert.deepEqual([...track.sample(0.8, 1, 800)], [0.4, 0.8]);
});

test("a cover counts each second once and joins what touches", () => {
  const cover = new Cover([[10, 20], [30, 40], [15, 35], [40, 41], [0, 1]]);
  assert.deepEqual(Array.from(cover.spans, (span) => [...span]), [[0, 1], [10, 41]]);
  near(cover.seconds, 32);
  near(cover.within(0.5, 12), 2.5);
  assert.equal(cover.has(5), false);
  assert.equal(cover.has(40.5), true);
});

test("a cover is bounded, and what is odd stays out", () => {
  const cover = new Cover();
  for (let at = 0; at < 10_000; at += 2) cover.add(at, at + 1);
  assert.equal(cover.spans.length, 500);
  const before = cover.seconds;
  for (const [from, to] of [[NaN, 5], [5, NaN], [-5, 5], [7, 7], [9, 8], [0, Infinity]]) cover.add(from, to);
  assert.equal(cover.seconds, before);
});

/** Numbers that look random and are the same each time: mulberry32. */
function numbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * A viewer who plays, pauses, jumps and changes speed, on a medium that tells
 * the truth. What is expected is kept second by second by other means.
 */
function viewer(random, duration, silent) {
  const [track, cover] = [new Track(), new Cover()];
  const parts = new Uint8Array(duration * 100); // hundredths of a second that were really played
  let [position, rate, now, film] = [0, 1, 0, 0];
  track.sample(position, rate, now);
  for (let step = 0; step < 400; step++) {
    const act = random();
    if (act < 0.05) {
      position = Math.floor(random() * duration * 100) / 100;
      if (random() >= silent) track.reset(); // some players jump without a word
      now += random() * 300;
      track.sample(position, rate, now);
    } else if (act < 0.1) {
      track.sample(position, rate, now);
      track.reset();
      now += random() * 1e6;
      track.sample(position, rate, now); // it plays again
    } else if (act < 0.15) {
      rate = [0.5, 1, 1.25, 2, 3][Math.floor(random() * 5)];
      track.sample(position, rate, now);
    } else {
      const elapsed = [250, 1000, 4000][Math.floor(random() * 3)];
      const hundredths = Math.min(Math.floor((elapsed / 10) * rate), Math.round((duration - position) * 100));
      const from = Math.round(position * 100);
      parts.fill(1, from, from + hundredths);
      position = (from + hundredths) / 100;
      film += (elapsed / 1000) * rate;
      now += elapsed;
      const span = track.sample(position, rate, now);
      if (span) cover.add(...span);
    }
  }
  return { counted: cover.seconds, covered: parts.reduce((sum, one) => sum + one, 0) / 100, film };
}

for (const [name, silent, most] of [["", 0, 1e-6], [" without an event", 0.5, 5]]) {
  test(`jumps${name}: never more is counted than was covered`, () => {
    let [lost, all] = [0, 0];
    for (let seed = 1; seed <= 200; seed++) {
      const { counted, covered, film } = viewer(numbers(seed), 3000, silent);
      assert.ok(counted <= covered + most && counted <= film + most, `seed ${seed}: counted ${counted}, covered ${covered}, in ${film} of film time`);
      lost += covered - counted;
      all += covered;
    }
    if (silent === 0) assert.ok(lost / all < 1e-6, `${((100 * lost) / all).toFixed(4)} % lost`);
  });
}
