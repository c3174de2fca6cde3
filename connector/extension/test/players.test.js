/** Players that make it hard: lengths that grow, clocks that are not the film's, advertisements. */
import assert from "node:assert/strict";
import { perform, screened } from "./screening.js";

const told = (length) => `<script type="application/ld+json">{"@type":"Movie","name":"A film","duration":"${length}"}</script>`;
const outlook = (screening) => structuredClone(screening.window.filmspool.whyNotCounted());

/** Plays so many seconds while the length keeps ahead of the position, up to the film's own. */
async function buffering(film, seconds, { ahead = 40 } = {}) {
  for (const end = film.currentTime + seconds; film.currentTime < end - 0.01;) {
    await film.play(Math.min(8, end - film.currentTime));
    film.resize(Math.max(film.duration, Math.min(2400, film.currentTime + ahead)));
  }
}

/** The same element has another length for a while, and its time begins anew: nothing is loaded, as the browser sees it. */
async function spliced(film, seconds, length = seconds) {
  const { duration, currentTime } = film;
  film.currentTime = 0;
  film.resize(length);
  await film.play(seconds, { step: 5 });
  film.resize(duration);
  film.seek(currentTime);
}

/**
 * The film's first length, the lengths of what counts in the end, and what happens: "buffer" plays while more is loaded, "splice" plays an advertisement.
 * @type {[string, number, number[], ...[string, ...any][]][]}
 */
const EVENINGS = [
  ["a length that is corrected a little, and late, is no growth", 2400, [2430], ["play", 1700], ["resize", 2430], ["play", 235], ["watched", 0], ["play", 15]],
  ["a muted film that was asked for is still asked for after an advertisement in its source", 1500, [1500],
    ["click"], ["muted"], ["play", 600], ["splice", 60], ["play", 610]],
  ["a length that grows after the film counted changes nothing", 2400, [2400], ["play", 2000], ["resize", 2700], ["play", 630]],
  ["a film whose length grows to its very end counts when it has ended", 40, [2400], ["buffer", 2380, 20], ["watched", 0], ["play", 20]],
  ["while the length grows, the page's own word for it holds", 40, [2400], ["page says", "PT40M"], ["buffer", 1900], ["watched", 0], ["buffer", 40]],
  ["a length that grows seldom has to stand still for longer", 450, [], ...[460, 470, 480, 490, 500].flatMap((length) => [["play", 80], ["resize", length]]), ["play", 90]],
  ["a length that has grown once, late, holds after five minutes", 3000, [3120],
    ["play", 2000], ["resize", 3120], ["play", 290], ["seek", 2500], ["play", 5], ["watched", 0], ["play", 20]],
  ["an advertisement while the length still grows neither counts nor ends the session", 40, [2400],
    ["buffer", 1200], ["load", 30], ["play", 30], ["load", 1250], ["seek", 1200], ["buffer", 1190, 120]],
  ["an advertisement before the film, in the same source, is no part of it", 30, [2400],
    ["play", 29], ["begin"], ["resize", 2400], ["play", 1915], ["watched", 0], ["play", 10]],
  ["an advertisement whose time begins at nought, with the film's length, adds nothing", 6000, [6000],
    ["seek", 1000], ...Array.from({ length: 6 }, () => [["restart", 60], ["play", 450]]).flat(), ["watched", 0], ["seek", 4000], ["play", 900]],
];

for (const [name, duration, counted, ...steps] of EVENINGS) {
  screened(name, async (screening) => {
    const film = screening.film({ duration });
    await perform(steps, screening, film, {
      buffer: (seconds, ahead) => buffering(film, seconds, { ahead }),
      splice: (seconds) => spliced(film, seconds),
      async restart(seconds) {
        const { currentTime } = film;
        film.seek(0);
        await film.play(seconds);
        film.seek(currentTime);
      },
      begin: () => (film.currentTime = 0),
      "page says": (length) => screening.document.body.insertAdjacentHTML("beforeend", told(length)),
    });
    assert.deepEqual(screening.watched.map(({ duration }) => duration), counted);
  });
}

screened("a length that grows while more is loaded is not the film's; the film counts", async (screening) => {
  const film = screening.film({ duration: 40 });
  await buffering(film, 24, { ahead: 120 });
  screening.document.title = "A film, as it is called now";
  await buffering(film, 2226, { ahead: 120 });
  assert.equal(screening.watched.length, 0);
  await buffering(film, 150, { ahead: 120 });
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [2400]);
  assert.ok(screening.watched[0].played > 2300, `played ${screening.watched[0].played}`);
  assert.ok(screening.sent.every(({ session }) => !session || Number.isFinite(session.duration)), "a length is a number");
});

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
