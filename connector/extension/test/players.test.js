/** Players that make it hard: lengths that grow, clocks that are not the film's, advertisements. */
import assert from "node:assert/strict";
import { screened } from "./screening.js";

const told = (length) => ({ html: `<!doctype html><title>A film</title><script type="application/ld+json">{"@type":"Movie","name":"A film","duration":"${length}"}</script>` });
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

screened("a length that is corrected a little, and late, is no growth", async (screening) => {
  const film = screening.film({ duration: 2400 });
  await film.play(1700);
  resize(film, 2430);
  await film.play(235);
  assert.equal(screening.watched.length, 0);
  await film.play(15);
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [2430]);
});

screened("a muted film that was asked for is still asked for after an advertisement in its source", async (screening) => {
  const film = screening.film({ duration: 1500 });
  film.muted = true;
  screening.window.filmspool.parts.tracker.act();
  await film.play(600);
  await spliced(film, 60);
  await film.play(610);
  assert.equal(screening.watched.length, 1);
});

screened("a length that grows after the film counted changes nothing", async (screening) => {
  const film = screening.film({ duration: 2400 });
  await film.play(2000);
  resize(film, 2700);
  await film.play(30);
  assert.equal((await screening.ask({ kind: "now" })).crossed, true);
  await film.play(600);
  assert.equal(screening.watched.length, 1);
});

screened("a film whose length grows to its very end counts when it has ended", async (screening) => {
  const film = screening.film({ duration: 40 });
  await buffering(film, 2380, { ahead: 20 });
  assert.equal(screening.watched.length, 0);
  await film.play(20);
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [2400]);
});

screened("while the length grows, the page's own word for it holds", async (screening) => {
  const film = screening.film({ duration: 40 });
  await buffering(film, 1900);
  assert.equal(screening.watched.length, 0);
  await buffering(film, 40);
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [2400]);
}, told("PT40M"));

screened("a length that grows seldom has to stand still for longer", async (screening) => {
  const film = screening.film({ duration: 450 });
  for (let times = 0; times < 5; times++) {
    await film.play(80);
    resize(film, film.duration + 10);
  }
  await film.play(90);
  assert.equal(screening.watched.length, 0);
});

screened("a length that has grown once, late, holds after five minutes", async (screening) => {
  const film = screening.film({ duration: 3000 });
  await film.play(2000);
  resize(film, 3120);
  await film.play(290);
  film.seek(2500);
  await film.play(5);
  assert.equal(screening.watched.length, 0);
  await film.play(20);
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [3120]);
});

screened("an advertisement while the length still grows neither counts nor ends the session", async (screening) => {
  const film = screening.film({ duration: 40 });
  await buffering(film, 1200);
  film.load(30);
  await film.play(30);
  film.load(1250);
  film.seek(1200);
  await buffering(film, 1190, { ahead: 120 });
  assert.equal(screening.watched.length, 1);
  assert.ok(screening.watched[0].played > 2300, `played ${screening.watched[0].played}`);
});

screened("a film left while its length grows is not watched, and the popup says why", async (screening) => {
  const film = screening.film({ duration: 40 });
  await buffering(film, 1200);
  assert.equal(outlook(screening).why, "length");
  film.pause();
  assert.equal(screening.watched.length, 0);
  assert.equal(screening.of("left").length, 0);
});

/** The same element has another length for a while, and its time begins anew: nothing is loaded, as the browser sees it. */
async function spliced(film, seconds, length = seconds) {
  const { duration, currentTime } = film;
  film.currentTime = 0;
  resize(film, length);
  await film.play(seconds, { step: 5 });
  resize(film, duration);
  film.seek(currentTime);
}

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

screened("an advertisement before the film, in the same source, is no part of it", async (screening) => {
  const film = screening.film({ duration: 30 });
  await film.play(29);
  film.currentTime = 0;
  resize(film, 2400);
  await film.play(1915);
  assert.equal(screening.watched.length, 0);
  await film.play(10);
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [2400]);
});

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
