/** Players that hide their controls: their sliders and words are seen for seconds, and then no more. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Player } from "./site-page.js";

const LENGTH = 3000;

/** @param {string} name @param {string} site @param {(player: Player) => Promise<void>} run @param {any} [options] */
function player(name, site, run, options) {
  test(`${site}: ${name}`, async () => {
    const player = new Player(site, options);
    try {
      await run(player);
    } finally {
      player.screening.close();
    }
  });
}

for (const site of ["peacock", "hulu", "disneyplus"]) {
  player("a slider that is seen for seconds and never again does not stop an honest clock", site, async (player) => {
    await player.shown(9);
    await player.hidden(2600);
    assert.equal(player.screening.watched.length, 1);
    assert.equal((await player.screening.ask({ kind: "now" })).why, undefined);
  });
}

player("what was counted before the slider is believed is kept, less the advertisement before the film", "peacock", async (player) => {
  const { screening } = player;
  for (const [hidden, shown] of [[1800, 4], [60, 4], [400, 4], [700, 0]]) {
    await player.hidden(hidden);
    await player.shown(shown);
  }
  assert.deepEqual(screening.watched.map(({ duration }) => duration), [LENGTH]);
  const [{ played, position }] = screening.watched;
  assert.ok(position >= 2400 && position < 2410, `position ${position}`);
  assert.ok(played > 2380 && played <= position, `played ${played}`);
}, { preroll: 30, page: "hidden" });

player("a slider that is believed after the film was watched makes no second viewing", "peacock", async (player) => {
  await player.shown(3);
  await player.hidden(2500);
  assert.equal(player.screening.watched.length, 1);
  await player.shown(20);
  await player.hidden(480);
  assert.equal(player.screening.watched.length, 1);
}, { preroll: 30 });

player("a medium whose time begins anew after a jump counts where the slider is, not where the medium is", "disneyplus", async (player) => {
  const { screening, film } = player;
  await player.shown(20);
  await player.hidden(1480);
  for (const to of [2300, 2330]) {
    film.load(LENGTH);
    player.late = -to;
    await player.shown(5);
    await player.hidden(40);
  }
  await player.shown(20);
  assert.equal(screening.watched.length, 0, "a part that was jumped over was counted");
  await player.hidden(20);
  assert.deepEqual(screening.watched.map(({ position }) => Math.round(position / 10)), [240]);
  assert.equal(new Set(screening.of("session").map(({ session }) => session.id)).size, 1);
});

for (const [what, change, known] of /** @type {[string, (player: Player) => unknown, boolean][]} */ ([
  ["another medium of that length, and the address stays: nobody knows what it is", ({ film }) => film.load(LENGTH), false],
  ["another medium of that length, and its words are to be seen again: it is watched again", async (player) => {
    player.film.load(LENGTH);
    await player.hidden(300);
    await player.shown(20);
  }, true],
  ["the same medium from its beginning: it is watched again", ({ film }) => film.seek(0), true],
  ["the page was left, and is opened again: it is watched again", ({ page: { window }, film }) => {
    const { href } = window.location;
    for (const address of ["/browse", href]) {
      window.history.pushState({}, "", address);
      window.filmspool.parts.finder.search(); // as the page's changes make it do, a moment later
    }
    film.load(LENGTH);
  }, true],
])) {
  player(`after an episode was watched, ${what}`, "netflix", async (player) => {
    const { screening } = player;
    await player.shown(20);
    await player.hidden(2500);
    assert.equal(screening.watched.length, 1);
    await change(player);
    await player.hidden(2500);
    const [first, again] = screening.watched.map(({ evidence }) => evidence.site?.numbers);
    assert.deepEqual(again, known ? first : {});
  });
}

player("a medium that holds only what comes after a jump is no whole film", "disneyplus", async (player) => {
  await player.shown(20);
  player.film.load(700);
  player.late = -2300;
  await player.shown(5);
  await player.hidden(690);
  assert.equal(player.screening.watched.length, 0);
});
