/** Players that make it hard: lengths that grow, clocks that are not the film's, advertisements. */
import assert from "node:assert/strict";
import { screened } from "./screening.js";

const told = (length) => `<script type="application/ld+json">{"@type":"Movie","name":"A film","duration":"${length}"}</script>`;
const outlook = (screening) => structuredClone(screening.window.filmspool.whyNotCounted());

/** Plays so many seconds while the length keeps ahead of the position, up to the film's own. */
async function buffering(film, seconds, { ahead = 40, step = 8, length = 2400 } = {}) {
  for (const end = film.currentTime + seconds; film.currentTime < end - 0.01;) {
    await film.play(Math.min(step, end - film.currentTime), { step });
    resize(film, Math.max(film.duration, Math.min(length, film.currentTime + ahead)));
  }
}

function resize(film, duration) {
  if (film.duration === duration) return;
  film.duration = duration;
  film.fire("durationchange");
}

/** The same element has another length for a while, and its time begins anew: nothing is loaded, as the browser sees it. */
async function spliced(film, seconds, length = seconds) {
  const { duration, currentTime } = film;
  film.currentTime = 0;
  resize(film, length);
  await film.play(seconds, { step: 5 });
  resize(film, duration);
  film.seek(currentTime);
}

/**
 * The film's first length, the lengths of what counts in the end, and what happens: "none" makes sure that nothing has counted yet.
 * @type {[string, number, number[], ...[string, ...any][]][]}
 */
const EVENINGS = [
  ["a length that is corrected a little, and late, is no growth", 2400, [2430], ["play", 1700], ["resize", 2430], ["play", 235], ["none"], ["play", 15]],
  ["a muted film that was asked for is still asked for after an advertisement in its source", 1500, [1500], ["muted"], ["play", 600], ["splice", 60], ["play", 610]],
  ["a length that grows after the film counted changes nothing", 2400, [2400], ["play", 2000], ["resize", 2700], ["play", 630]],
  ["a film whose length grows to its very end counts when it has ended", 40, [2400], ["buffer", 2380, 20], ["none"], ["play", 20]],
  ["while the length grows, the page's own word for it holds", 40, [2400], ["page says", "PT40M"], ["buffer", 1900], ["none"], ["buffer", 40]],
  ["a length that grows seldom has to stand still for longer", 450, [], ...[460, 470, 480, 490, 500].flatMap((length) => [["play", 80], ["resize", length]]), ["play", 90]],
  ["a length that has grown once, late, holds after five minutes", 3000, [3120], ["play", 2000], ["resize", 3120], ["play", 290], ["seek", 2500], ["play", 5], ["none"], ["play", 20]],
  ["an advertisement while the length still grows neither counts nor ends the session", 40, [2400],
    ["buffer", 1200], ["load", 30], ["play", 30], ["load", 1250], ["seek", 1200], ["buffer", 1190, 120]],
  ["an advertisement before the film, in the same source, is no part of it", 30, [2400], ["play", 29], ["begin"], ["resize", 2400], ["play", 1915], ["none"], ["play", 10]],
];

for (const [name, duration, counted, ...steps] of EVENINGS) {
  screened(name, async (screening) => {
    const film = screening.film({ duration });
    /** @type {Record<string, (...values: any[]) => unknown>} */
    const acts = {
      play: (seconds) => film.play(seconds), seek: (to) => film.seek(to), begin: () => (film.currentTime = 0), load: (length) => film.load(length), resize: (length) => resize(film, length),
      buffer: (seconds, ahead) => buffering(film, seconds, { ahead }), splice: (seconds) => spliced(film, seconds), none: () => assert.equal(screening.watched.length, 0),
      "page says": (length) => screening.document.body.insertAdjacentHTML("beforeend", told(length)),
      muted: () => (film.muted = Boolean(screening.window.filmspool.parts.tracker.act() ?? true)),
    };
    for (const [act, ...values] of steps) await acts[act](...values);
    assert.deepEqual(screening.watched.map(({ duration }) => duration), counted);
  });
}

for (const [name, step] of [["by seconds", 8], ["by half a second a step", 0.5]]) {
  screened(`a length that grows ${name} while more is loaded is not the film's; the film counts`, async (screening) => {
    const film = screening.film({ duration: 40 });
    await buffering(film, 24, { step, ahead: 120 });
    screening.document.title = "A film, as it is called now";
    await buffering(film, 2226, { step, ahead: 120 });
    assert.equal(screening.watched.length, 0);
    await buffering(film, 150, { step, ahead: 120 });
    assert.equal(screening.watched.length, 1);
    assert.equal(screening.watched[0].duration, 2400);
    assert.ok(screening.watched[0].played > 2300, `played ${screening.watched[0].played}`);
    assert.ok(screening.sent.every(({ session }) => !session || Number.isFinite(session.duration)), "a length is a number");
  });
}

screened("a film left while its length grows is not watched, and the popup says why", async (screening) => {
  const film = screening.film({ duration: 40 });
  await buffering(film, 1200);
  assert.equal(outlook(screening).why, "length");
  film.pause();
  assert.equal(screening.watched.length, 0);
  assert.equal(screening.of("left").length, 0);
});

for (const [name, length] of [["of their own", 60], ["without end", Infinity]]) {
  screened(`advertisements spliced into the source, with a length ${name}, do not count, nor end the session, nor make it a broadcast`, async (screening) => {
    const film = screening.film({ duration: 1500 });
    film.seek(300);
    for (let times = 0; times < 5; times++) {
      await film.play(220, { step: 5 });
      await spliced(film, 60, length);
    }
    assert.equal(screening.watched.length, 1);
    const [{ played, duration }] = screening.watched;
    assert.equal(duration, 1500);
    assert.ok(played > 885 && played < 905, `played ${played}`);
    assert.equal(new Set(screening.of("session").map(({ session }) => session.id)).size, 1);
  });
}

screened("an advertisement whose time begins anew without another length adds nothing", async (screening) => {
  const film = screening.film();
  film.seek(1000);
  for (let times = 0; times < 6; times++) {
    const { currentTime } = film;
    film.seek(0);
    await film.play(60);
    film.seek(currentTime);
    await film.play(450);
  }
  assert.equal(screening.watched.length, 0);
  film.seek(4000);
  await film.play(900);
  assert.equal(screening.watched.length, 1);
  assert.ok(screening.watched[0].played < 3000 + 700, `played ${screening.watched[0].played}`);
});
