/** What counts as watched, and what is one sitting and what is another. */
import assert from "node:assert/strict";
import { screened } from "./screened.js";
import { answer, settle, usualRule } from "./screening.js";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

screened("a film watched to its end is one event, told at the moment of the threshold", async (screening) => {
  const film = screening.film();
  await film.play(4790);
  assert.equal(screening.watched.length, 0);
  await film.play(20);
  assert.equal(screening.watched.length, 1);
  const [told] = screening.watched;
  assert.match(told.id, UUID4);
  assert.equal(told.duration, 6000);
  assert.ok(told.position >= 4800 && told.position <= 4810, `position ${told.position}`);
  assert.ok(told.played >= 4795 && told.played <= told.position, `played ${told.played}`);
  assert.match(told.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  assert.ok(Math.abs(Date.parse(told.at) - Date.now()) < 5000);
  assert.equal(told.host, "films.example");
  assert.equal(told.title, "A film");
  await film.play(6000);
  assert.equal(screening.watched.length, 1);
  assert.equal(screening.of("watched").length, 1);
});

screened("jumping to the end is not watching", async (screening) => {
  const film = screening.film();
  await film.play(60);
  film.seek(5500);
  await film.play(500);
  assert.equal(screening.watched.length, 0);
});

screened("half the film twice over is half the film", async (screening) => {
  const film = screening.film();
  for (let times = 0; times < 4; times++) {
    film.seek(0);
    await film.play(1500);
  }
  film.seek(5000);
  await film.play(900);
  assert.equal(screening.watched.length, 0);
});

screened("pauses and small jumps do not hinder", async (screening) => {
  const film = screening.film();
  for (let part = 0; part < 10; part++) {
    await film.play(500);
    film.pause();
    screening.now += 3600_000;
    if (part % 3 === 0) film.seek(film.currentTime - 10);
  }
  assert.equal(screening.watched.length, 1);
});

screened("at double speed the film's seconds count, not the clock's", async (screening) => {
  const film = screening.film();
  film.playbackRate = 2;
  film.fire("ratechange");
  await film.play(4900);
  assert.equal(screening.watched.length, 1);
  assert.ok(screening.watched[0].played > 4700);
});

for (const [name, change] of [
  ["a live stream", (film) => film.load(Infinity)],
  ["a broadcast with a made-up end", (film) => film.load(2 ** 32)],
  ["a clip under five minutes", (film) => film.load(299)],
  ["a hidden clip", (film) => (film.width = 1)],
  ["a muted clip that plays by itself", (film) => (film.muted = true)],
  ["a clip at volume nought that plays by itself", (film) => (film.volume = 0)],
  ["a medium without a length", (film) => film.load(NaN)],
]) {
  screened(`${name} is ignored`, async (screening) => {
    await screening.film({ duration: 301 }).play(5); // so that the rule is known
    const before = screening.sent.length;
    const film = screening.film();
    change(film);
    await film.play(5000, { step: 9 });
    assert.equal(screening.sent.length, before);
    assert.equal(screening.watched.length, 0);
  });
}

screened("a muted film that the user has started counts: not everybody hears", async (screening) => {
  const film = screening.film();
  film.muted = true;
  screening.window.filmspool.parts.tracker.act();
  await film.play(4900);
  assert.equal(screening.watched.length, 1);
});

screened("a broadcast whose end moves away is ignored", async (screening) => {
  const film = screening.film({ duration: 600 });
  for (let minute = 0; minute < 60; minute++) {
    await film.play(60);
    film.duration += 60;
    film.fire("durationchange");
  }
  assert.equal(screening.watched.length, 0);
});

screened("a film whose length was guessed at first counts by its true length", async (screening) => {
  const film = screening.film({ duration: 5000 });
  await film.play(10);
  film.duration = 6000;
  film.fire("durationchange");
  await film.play(4500);
  assert.equal(screening.watched.length, 0);
  await film.play(300);
  assert.equal(screening.watched[0].duration, 6000);
});

screened("an advertisement in the middle does not end the sitting", async (screening) => {
  const film = screening.film();
  await film.play(2500);
  film.load(30);
  await film.play(30);
  film.load(6000);
  film.seek(2500);
  await film.play(2400);
  assert.equal(screening.watched.length, 1);
  assert.equal(new Set(screening.of("sitting").map((message) => message.sitting.id)).size, 1);
});

screened("another quality, or another element, goes on with the sitting", async (screening) => {
  const film = screening.film();
  await film.play(4790);
  film.load(6000.2);
  film.seek(4790);
  await film.play(100);
  film.element.remove();
  const other = screening.film();
  other.seek(4890);
  await other.play(1000);
  assert.equal(screening.watched.length, 1);
});

screened("another quality after the threshold is no second watching", async (screening) => {
  const film = screening.film();
  await film.play(5000);
  film.load(6000);
  await film.play(4); // players show the begin for a moment
  film.seek(5000);
  await film.play(1000);
  film.seek(3000);
  await film.play(3000);
  assert.equal(screening.watched.length, 1);
});

screened("the next episode in the same page is another sitting", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(1500);
  screening.window.history.pushState(null, "", "/film/2");
  film.load(1500);
  await film.play(1500);
  assert.equal(screening.watched.length, 2);
  assert.deepEqual(screening.watched.map((sitting) => sitting.url), ["https://films.example/film/1", "https://films.example/film/2"]);
});

screened("the next episode whose address follows late is another sitting, too", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(700);
  film.load(1500);
  await film.play(3, { step: 1 });
  screening.window.history.pushState(null, "", "/film/2");
  await film.play(1497, { step: 1 });
  assert.deepEqual(screening.watched.map((sitting) => sitting.url), ["https://films.example/film/2"]);
});

screened("the next episode under the same address, of the same length, is told apart by its name", async (screening) => {
  Object.defineProperty(screening.window.navigator, "mediaSession", { value: { metadata: { title: "Pilot" } } });
  const film = screening.film({ duration: 1500 });
  await film.play(700);
  screening.window.navigator.mediaSession.metadata = { title: "The Second" };
  film.load(1500);
  await film.play(1500);
  assert.equal(screening.watched.length, 1);
  assert.equal(screening.watched[0].evidence.mediaSession.title, "The Second");
  assert.ok(screening.watched[0].played >= 1190);
  assert.notEqual(screening.watched[0].id, screening.of("sitting")[0].sitting.id);
});

screened("the next episode under the same address, of the same length, is told apart by its identifier", async (screening) => {
  let episode = 1;
  const identified = () => ({ type: "episode", show: { ids: { tmdb: 5 } }, season: 1, episode });
  screening.answers = (message) => (message.kind === "sitting" ? { ...answer(message), identified: identified(), certain: true } : answer(message));
  const film = screening.film({ duration: 1500 });
  await film.play(1150);
  episode = 2;
  screening.document.title = "The second";
  film.load(1500);
  await film.play(60);
  film.seek(1300);
  await film.play(200);
  assert.equal(screening.watched.length, 0, "the first episode's seconds were counted for the second");
  film.seek(60);
  await film.play(1300);
  assert.equal(screening.watched.length, 1);
  assert.notEqual(screening.watched[0].id, screening.of("sitting")[0].sitting.id);
});

screened("a page whose path is in its fragment shows another film after it", async (screening) => {
  const film = screening.film({ duration: 1500 });
  screening.window.location.hash = "#/watch/1";
  await film.play(700);
  screening.window.location.hash = "#/watch/2";
  film.load(1500);
  await film.play(1300);
  assert.equal(screening.watched.length, 1);
  assert.equal(screening.watched[0].url, "https://films.example/film/1#/watch/2");
  assert.ok(screening.watched[0].played <= 1300);
});

screened("looking around while the film goes on does not touch the sitting", async (screening) => {
  const film = screening.film();
  await film.play(2000);
  screening.window.history.pushState(null, "", "/film/99");
  screening.document.title = "Another film";
  await film.play(3000);
  assert.equal(screening.watched.length, 1);
  assert.equal(screening.watched[0].url, "https://films.example/film/1");
  assert.equal(screening.watched[0].title, "A film");
});

screened("the time in the address is not another page", async (screening) => {
  const film = screening.film();
  await film.play(2500);
  screening.window.history.replaceState(null, "", "/film/1?t=2500");
  film.load(30);
  await film.play(30);
  film.load(6000);
  film.seek(2500);
  await film.play(2400);
  assert.equal(screening.watched.length, 1);
});

screened("a page is named by its address, without the position in the film, the campaign and the fragment", async (screening) => {
  const name = (address) => screening.window.filmspool.bounds.page(address);
  const same = "https://films.example/watch?v=1&list=2";
  assert.equal(name("https://films.example/watch?t=90&v=1&utm_source=mail&list=2#comments"), same);
  assert.equal(name("https://films.example/watch?quality=hd"), "https://films.example/watch");
  assert.equal(name("https://films.example/app?x=1#/film/2"), "https://films.example/app?x=1#/film/2");
  assert.notEqual(name("https://films.example/watch?v=1"), name("https://films.example/watch?v=2"));
  assert.notEqual(name("https://films.example/watch?=1"), name("https://films.example/watch?=2"));
  assert.equal(name("no address"), "");
});

screened("watching again from the begin is a second event", async (screening) => {
  const film = screening.film();
  await film.play(6000);
  await settle();
  film.seek(0);
  await film.play(4000);
  assert.equal(screening.watched.length, 1);
  await film.play(1000);
  assert.equal(screening.watched.length, 2);
  const [first, second] = screening.watched;
  assert.notEqual(first.id, second.id);
  assert.ok(second.played > 4700 && second.played < 4900, `played ${second.played}`);
});

screened("showing a friend the opening after the end is not a second event", async (screening) => {
  const film = screening.film();
  await film.play(6000);
  film.seek(0);
  await film.play(300);
  film.seek(5000);
  await film.play(1000);
  assert.equal(screening.watched.length, 1);
});

screened("a threshold in the opening is crossed once, too", async (screening) => {
  const threshold = { played: 0.01, position: 0.02, minimum: 300 };
  const rule = { movie: threshold, episode: threshold, last: 0 };
  screening.answers = (message) => (message.kind === "sitting" ? { ...answer(message), rule } : answer(message));
  const film = screening.film();
  await film.play(1000);
  assert.equal(screening.watched.length, 1);
});

screened("a film in a loop is watched once", async (screening) => {
  const film = screening.film();
  film.loop = true;
  for (let times = 0; times < 3; times++) {
    film.seek(0);
    await film.play(5990);
  }
  assert.equal(screening.watched.length, 1);
});

screened("two films beside each other are two sittings", async (screening) => {
  const [one, other] = [screening.film(), screening.film({ duration: 3000 })];
  await one.play(2500);
  await other.play(2500);
  await one.play(2500);
  assert.deepEqual(screening.watched.map((sitting) => sitting.duration), [3000, 6000]);
});

screened("a short film counts when the user wants it to", async (screening) => {
  const rule = { ...usualRule, movie: { ...usualRule.movie, minimum: 4 }, episode: { ...usualRule.episode, minimum: 4 } };
  screening.answers = (message) => (message.kind === "sitting" ? { ...answer(message), rule } : answer(message));
  const film = screening.film({ duration: 5 });
  await film.play(5, { step: 0.25 });
  assert.equal(screening.watched.length, 1);
  film.seek(0);
  await film.play(5, { step: 0.25 });
  assert.equal(screening.watched.length, 2);
});
