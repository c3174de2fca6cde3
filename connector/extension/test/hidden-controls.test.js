/** Players that hide their controls: their sliders and words are seen for seconds, and then no more. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { rules } from "../source/sites/index.js";
import { SitePage } from "./site-page.js";
import { answer } from "./screening.js";

const LENGTH = 3000;
const here = path.join(import.meta.dirname, "sites");
const read = (/** @type {string[]} */ ...names) => fs.readFileSync(path.join(here, ...names), "utf8");

/** An episode in the player of a site. */
class Player {
  /** @param {string} name of the site @param {{preroll?: number, page?: string}} [options] preroll: seconds that are spliced in before the film */
  constructor(name, { preroll = 0, page = "episode" } = {}) {
    const rule = rules[name];
    const answers = (/** @type {any} */ message) => (message.kind === "object" ? this.page.object() : { ...answer(message), site: { name, ...rule } });
    this.name = name;
    this.late = preroll;
    this.page = new SitePage(read(name, `${page}.html`), JSON.parse(read(name, "expected.json"))[page].url, { scripts: true, answers });
    this.screening = this.page.screening;
    this.film = this.screening.film({ element: this.page.film(), into: this.page.film().parentNode, duration: LENGTH + preroll });
  }

  /** Plays while the slider, where there is one, tells the film's time in whole seconds. @param {number} seconds */
  async play(seconds) {
    const step = this.page.window.filmspool.siteRule.sliders(this.page.rule).length > 0 ? 1 : 4;
    for (let second = 0; second < seconds; second += step) {
      await this.film.play(step, { step });
      this.tell();
    }
  }

  tell() {
    for (const slider of this.page.window.filmspool.siteRule.sliders(this.page.rule)) {
      slider.setAttribute("aria-valuenow", String(Math.max(0, Math.floor(this.film.currentTime) - this.late)));
      slider.setAttribute("aria-valuemax", String(LENGTH));
    }
  }

  /** @param {number} seconds */
  async hidden(seconds) {
    this.page.turn(read(this.name, "hidden.html"));
    await this.play(seconds);
  }

  /** @param {number} seconds @param {string} [page] */
  async shown(seconds, page = "episode") {
    this.page.turn(read(this.name, `${page}.html`));
    this.tell();
    await this.play(seconds);
  }
}

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
  for (const seconds of [5, 9]) {
    player(`a slider that is seen for ${seconds} seconds and never again does not stop an honest clock`, site, async (player) => {
      await player.shown(seconds);
      await player.hidden(2600);
      assert.equal(player.screening.watched.length, 1);
      assert.equal((await player.screening.ask({ kind: "now" })).why, undefined);
    });
  }
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
