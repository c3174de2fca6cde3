/** What counts as watched, and what is one session and what is another. */
import assert from "node:assert/strict";
import { answer, settle, usualRule, screened } from "./screening.js";

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

screened("a film watched to its end is one event, told at the moment of the threshold", async (screening) => {
  const began = Math.floor(Date.now() / 1000) * 1000; // as precise as a time is told
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
  assert.ok(Date.parse(told.at) >= began && Date.parse(told.at) <= Date.now(), told.at);
  assert.equal(told.host, "films.example");
  assert.equal(told.title, "A film");
  await film.play(6000);
  assert.equal(screening.watched.length, 1);
  assert.equal(screening.of("watched").length, 1);
});

/** What the film does in its page, step by step, and how often it counts. @type {[string, number, ...[string, any?][]][]} */
const EVENINGS = [
  ["jumping to the end is not watching", 0, ["play", 60], ["seek", 5500], ["play", 500]],
  ["pauses and small jumps do not hinder", 1, ...Array.from({ length: 10 }, () => [["play", 500], ["pause"], ["wait", 3600_000], ["back", 4]]).flat()],
  ["a muted film that the user has started counts: not everybody hears", 1, ["muted"], ["click"], ["play", 4900]],
  ["an advertisement in the middle does not end the session", 1, ["play", 2500], ["load", 30], ["play", 30], ["load", 6000], ["seek", 2500], ["play", 2400]],
  ["another quality goes on with the session", 1, ["play", 4790], ["load", 6000.2], ["seek", 4790], ["play", 1200]],
  ["another quality after the threshold is no second watching", 1, ["play", 5000], ["load", 6000], ["play", 4], ["seek", 5000], ["play", 1000], ["seek", 3000], ["play", 3000]],
  ["the time in the address is not another page", 1, ["play", 2500], ["page", "/film/1?t=2500"], ["load", 30], ["play", 30], ["load", 6000], ["seek", 2500], ["play", 2400]],
  ["showing a friend the opening after the end is not a second event", 1, ["play", 6000], ["seek", 0], ["play", 300], ["seek", 5000], ["play", 1000]],
  ["a film in a loop is watched once", 1, ["loop"], ["play", 5990], ["seek", 0], ["play", 5990], ["seek", 0], ["play", 5990]],
];

for (const [name, count, ...steps] of EVENINGS) {
  screened(name, async (screening) => {
    const film = screening.film();
    /** @type {Record<string, (value: any) => unknown>} */
    const acts = {
      play: (seconds) => film.play(seconds), seek: (to) => film.seek(to), back: (seconds) => film.seek(film.currentTime - seconds), load: (duration) => film.load(duration), pause: () => film.pause(),
      wait: (milliseconds) => (screening.now += milliseconds), page: (address) => screening.window.history.replaceState(null, "", address),
      muted: () => (film.muted = true), loop: () => (film.loop = true), click: () => screening.window.filmspool.parts.tracker.act(),
    };
    for (const [act, value] of steps) await acts[act](value);
    assert.equal(screening.watched.length, count);
  });
}

screened("the next episode in the same page is another session", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(1500);
  screening.window.history.pushState(null, "", "/film/2");
  film.load(1500);
  await film.play(1500);
  assert.equal(screening.watched.length, 2);
  assert.deepEqual(screening.watched.map((session) => session.url), ["https://films.example/film/1", "https://films.example/film/2"]);
});

screened("the next episode whose address follows late is another session, too", async (screening) => {
  const film = screening.film({ duration: 1500 });
  await film.play(700);
  film.load(1500);
  await film.play(3, { step: 1 });
  screening.window.history.pushState(null, "", "/film/2");
  await film.play(1497, { step: 1 });
  assert.deepEqual(screening.watched.map((session) => session.url), ["https://films.example/film/2"]);
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
  assert.notEqual(screening.watched[0].id, screening.of("session")[0].session.id);
});

screened("the next episode under the same address, of the same length, is told apart by its identifier", async (screening) => {
  let episode = 1;
  const identified = () => ({ type: "episode", show: { ids: { tmdb: 5 } }, season: 1, episode });
  screening.answers = (message) => (message.kind === "session" ? { ...answer(message), identified: identified(), certain: true } : answer(message));
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
  assert.notEqual(screening.watched[0].id, screening.of("session")[0].session.id);
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

screened("looking around while the film goes on does not touch the session", async (screening) => {
  const film = screening.film();
  await film.play(2000);
  screening.window.history.pushState(null, "", "/film/99");
  screening.document.title = "Another film";
  await film.play(3000);
  assert.equal(screening.watched.length, 1);
  assert.equal(screening.watched[0].url, "https://films.example/film/1");
  assert.equal(screening.watched[0].title, "A film");
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

screened("two films beside each other are two sessions", async (screening) => {
  const [one, other] = [screening.film(), screening.film({ duration: 3000 })];
  await one.play(2500);
  await other.play(2500);
  await one.play(2500);
  assert.deepEqual(screening.watched.map((session) => session.duration), [3000, 6000]);
});

screened("a short film counts when the user wants it to", async (screening) => {
  const rule = { ...usualRule, movie: { ...usualRule.movie, minimum: 4 }, episode: { ...usualRule.episode, minimum: 4 } };
  screening.answers = (message) => (message.kind === "session" ? { ...answer(message), rule } : answer(message));
  const film = screening.film({ duration: 5 });
  await film.play(5, { step: 0.25 });
  assert.equal(screening.watched.length, 1);
  film.seek(0);
  await film.play(5, { step: 0.25 });
  assert.equal(screening.watched.length, 2);
});
