/** What counts as watched, and what is one session and what is another. */
import assert from "node:assert/strict";
import { answer, perform, screened } from "./screening.js";

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
  assert.equal(screening.of("session")[0].session.id, told.id);
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

/** What happens in the page, step by step, and where the films were that count. @type {[string, string[], ...[string, ...any[]][]][]} */
const EVENINGS = [
  ["jumping to the end is not watching", [], ["play", 60], ["seek", 5500], ["play", 500]],
  ["pauses and small jumps do not hinder", ["/film/1"],
    ...Array.from({ length: 10 }, () => [["play", 500], ["pause"], ["wait", 3600_000], ["back", 4]]).flat()],
  ["a muted film that the user has started counts: not everybody hears", ["/film/1"], ["muted"], ["click"], ["play", 4900]],
  ["an advertisement in the middle does not end the session", ["/film/1"],
    ["play", 2500], ["load", 30], ["play", 30], ["load", 6000], ["seek", 2500], ["play", 2400]],
  ["another quality goes on with the session", ["/film/1"], ["play", 4790], ["load", 6000.2], ["seek", 4790], ["play", 1200]],
  ["another quality after the threshold is no second watching", ["/film/1"],
    ["play", 5000], ["load", 6000], ["play", 4], ["seek", 5000], ["play", 1000], ["seek", 3000], ["play", 3000]],
  ["the time in the address is not another page", ["/film/1?t=2500"],
    ["play", 2500], ["page", "/film/1?t=2500"], ["load", 30], ["play", 30], ["load", 6000], ["seek", 2500], ["play", 2400]],
  ["showing a friend the opening after the end is not a second event", ["/film/1"], ["play", 6000], ["seek", 0], ["play", 300], ["seek", 5000], ["play", 1000]],
  ["watching again from the begin is a second event", ["/film/1", "/film/1"], ["play", 6000], ["seek", 0], ["play", 4000], ["watched", 1], ["play", 1000]],
  ["a film in a loop is watched once", ["/film/1"], ["loop"], ["play", 5990], ["seek", 0], ["play", 5990], ["seek", 0], ["play", 5990]],
  ["the next episode in the same page is another session", ["/film/1", "/film/2"],
    ["load", 1500], ["play", 1500], ["page", "/film/2"], ["load", 1500], ["play", 1500]],
  ["the next episode whose address follows late is another session, too", ["/film/2"],
    ["load", 1500], ["play", 700], ["load", 1500], ["play", 3, 1], ["page", "/film/2"], ["play", 1497, 1]],
  ["the next episode that begins in the same source, under another address, is another session", ["/film/1", "/film/2"],
    ["load", 1500], ["play", 1300], ["page", "/film/2"], ["seek", 0], ["resize", 1530], ["play", 1300]],
  ["looking around while the film goes on does not touch the session", ["/film/1"], ["play", 2000], ["page", "/film/99"], ["play", 3000]],
  ["a page whose path is in its fragment shows another film after it", ["/film/1#/watch/2"],
    ["load", 1500], ["page", "#/watch/1"], ["play", 700], ["page", "#/watch/2"], ["load", 1500], ["play", 1300]],
];

for (const [name, films, ...steps] of EVENINGS) {
  screened(name, async (screening) => {
    const film = screening.film();
    await perform(steps, screening, film, { back: (seconds) => film.seek(film.currentTime - seconds), loop: () => (film.loop = true) });
    assert.deepEqual(screening.watched.map(({ url }) => url.replace("https://films.example", "")), films);
  });
}

for (const what of ["name", "identifier"]) {
  screened(`the next episode under the same address, of the same length, is told apart by its ${what}`, async (screening) => {
    const { navigator } = screening.window;
    let episode = 1;
    const begin = () => {
      if (what === "name") Object.defineProperty(navigator, "mediaSession", { value: { metadata: { title: `Episode ${episode}` } }, configurable: true });
      screening.document.title = `Page ${episode}`;
    };
    const identified = () => ({ type: "episode", show: { ids: { tmdb: 5 } }, season: 1, episode });
    const known = () => (what === "identifier" ? { identified: identified(), certain: true } : {});
    screening.answers = (message) => (message.kind === "session" ? { ...answer(message), ...known() } : answer(message));
    begin();
    const film = screening.film({ duration: 1500 });
    await film.play(1150);
    episode = 2;
    begin();
    await perform([["load", 1500], ["play", 60], ["seek", 1300], ["play", 200]], screening, film);
    assert.equal(screening.watched.length, 0, "the first episode's seconds were counted for the second");
    await perform([["seek", 60], ["play", 1300]], screening, film);
    assert.equal(screening.watched.length, 1);
    assert.notEqual(screening.watched[0].id, screening.of("session")[0].session.id);
  });
}

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
