/** Media whose clock is not the film's, on pages whose slider tells the film's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Screening, settle } from "./screening.js";

const LENGTH = 2400;
const EPOCH = 1_700_000_000;
const SLIDER = `<div role="slider" aria-valuemin="0" aria-valuemax="${LENGTH}" aria-valuenow="0"></div>`;

/**
 * A film whose element tells another time: base seconds more than the film's.
 * The page's slider tells the film's, in whole seconds, while it is shown.
 */
class Hidden {
  base = EPOCH;
  frozen = null;

  constructor(html = SLIDER, { base = EPOCH, duration = Infinity } = {}) {
    this.screening = new Screening({ html: `<!doctype html><title>A film</title><body>${html}</body>` });
    this.slider = this.screening.document.querySelector("[role=slider], progress, input");
    this.film = this.screening.film({ duration });
    this.base = base;
    this.film.currentTime = base;
    const tell = this.slider?.getAttribute.bind(this.slider);
    if (this.slider) this.slider.getAttribute = (name) => (name === "aria-valuenow" ? String(this.told()) : tell(name));
  }

  get position() {
    return this.film.currentTime - this.base;
  }

  told() {
    return Math.floor(this.frozen ?? this.position);
  }

  /** Another source, as players load one after each jump: its time begins anew. */
  jump(to, base) {
    this.film.load(this.film.duration);
    this.base = base - to;
    this.film.currentTime = base;
  }

  show(shown) {
    if (shown) this.screening.document.body.append(this.slider);
    else this.slider.remove();
  }

  play(seconds) {
    return this.film.play(seconds, { step: 4 });
  }

  get watched() {
    return this.screening.watched;
  }
}

/** @param {string} name @param {(film: Hidden) => Promise<void>} run */
function hidden(name, run, html, options) {
  test(name, async () => {
    const film = new Hidden(html, options);
    try {
      await run(film);
    } finally {
      film.screening.close();
    }
  });
}

async function watchedOnce(film) {
  await film.play(1900);
  assert.equal(film.watched.length, 0);
  await film.play(40);
  assert.equal(film.watched.length, 1);
  const [{ duration, position, played }] = film.watched;
  assert.equal(duration, LENGTH);
  assert.ok(Math.abs(position - 0.8 * LENGTH) < 10, `position ${position}`);
  assert.ok(played > 1900 && played < 1930, `played ${played}`);
  await film.play(400);
  assert.equal(film.watched.length, 1);
}

hidden("the time of day is no film's time: the slider's holds", watchedOnce);
hidden("a slider in milliseconds", async (film) => {
  film.told = () => Math.floor(film.position * 1000);
  await watchedOnce(film);
}, SLIDER.replace(LENGTH, LENGTH * 1000));
hidden("a bar of progress", watchedOnce, `<progress max="${LENGTH}"></progress>`);
hidden("a slider that is an input", watchedOnce, `<input type="range" max="${LENGTH}">`);
hidden("an end that was made up", watchedOnce, SLIDER, { duration: 2 ** 32, base: 5000 });

hidden("a slider in a shadow tree", async (film) => {
  const host = film.screening.document.body.appendChild(film.screening.document.createElement("section"));
  host.attachShadow({ mode: "open" }).append(film.slider);
  film.screening.window.filmspool.parts.finder.search();
  await watchedOnce(film);
});

hidden("a slider that is away while the controls are hidden", async (film) => {
  await film.play(12);
  film.show(false);
  await film.play(600);
  film.show(true);
  await film.play(12);
  film.show(false);
  await film.play(1260);
  assert.equal(film.watched.length, 0);
  await film.play(50);
  assert.equal(film.watched.length, 1);
  assert.ok(film.watched[0].played > 1900, `played ${film.watched[0].played}`);
});

hidden("less than a minute in step is not believed", async (film) => {
  await film.play(50);
  film.show(false);
  await film.play(2300);
  assert.equal(film.screening.sent.length, 0);
});

for (const [name, html, told] of [
  ["a slider that stands still, as a broadcast's does", SLIDER, () => LENGTH],
  ["a slider of the loudness", '<input type="range" max="100">', () => 80],
  ["a slider in parts of a hundred", SLIDER.replace(LENGTH, 1000), (film) => (film.position / LENGTH) * 1000],
  ["a slider that runs slower", SLIDER, (film) => film.position * 0.95],
  ["a slider that jumps about", SLIDER, (film) => (film.position * 7919) % LENGTH],
  ["a slider that begins elsewhere than at nought", SLIDER.replace('min="0"', 'min="100"'), (film) => film.position],
  ["a slider that tells no number", SLIDER, () => "12:30"],
]) {
  hidden(`not believed: ${name}`, async (film) => {
    film.told = () => told(film);
    await film.play(2300);
    assert.equal(film.screening.sent.length, 0);
  }, html);
}

hidden("not believed: a largest value that moves away", async (film) => {
  for (let second = 0; second < 2300; second += 4) {
    film.slider.setAttribute("aria-valuemax", String(LENGTH + second));
    await film.play(4);
  }
  assert.equal(film.screening.sent.length, 0);
});

hidden("of a chapter's slider and the film's, the film's", async (film) => {
  const chapter = film.screening.document.body.appendChild(film.screening.document.createElement("progress"));
  chapter.max = 400;
  Object.defineProperty(chapter, "value", { get: () => film.position % 400 });
  await watchedOnce(film);
});

hidden("a bar of what is loaded runs ahead, and is not where one is", async (film) => {
  const loaded = film.screening.document.body.appendChild(film.screening.document.createElement("progress"));
  loaded.max = LENGTH;
  Object.defineProperty(loaded, "value", { get: () => Math.min(LENGTH, film.position + 500) });
  await watchedOnce(film);
});

hidden("each jump loads a new source whose time begins anew", async (film) => {
  await film.play(900);
  film.jump(700, 20);
  await film.play(500);
  film.jump(1200, 20);
  await film.play(600);
  assert.equal(film.watched.length, 0);
  await film.play(160);
  assert.equal(film.watched.length, 1);
  assert.ok(film.watched[0].played > 1850 && film.watched[0].played < 1935, `played ${film.watched[0].played}`);
  assert.equal(new Set(film.screening.of("session").map(({ session }) => session.id)).size, 1);
});

hidden("the end of one source is not the film's", async (film) => {
  await film.play(1300);
  film.film.pause();
  film.film.fire("ended");
  await settle();
  assert.equal(film.watched.length, 0);
});

hidden("who jumps to the end has not watched", async (film) => {
  await film.play(100);
  film.jump(2000, 20);
  await film.play(390);
  assert.equal(film.watched.length, 0);
});

hidden("a jump within one source is seen again before it counts", async (film) => {
  await film.play(1000);
  film.base -= 900;
  film.film.seek(film.film.currentTime);
  film.show(false);
  await film.play(200);
  film.show(true);
  await film.play(40);
  assert.equal(film.watched.length, 0, "the seconds before the jump were counted after it");
});

hidden("an advertisement during which the slider stands still does not count", async (film) => {
  await film.play(1000);
  for (let times = 0; times < 3; times++) {
    film.frozen = film.position;
    await film.play(60);
    film.base += 60;
    film.frozen = null;
    await film.play(300);
  }
  assert.equal(film.watched.length, 0);
  await film.play(50);
  assert.equal(film.watched.length, 1);
  assert.ok(film.watched[0].played < 1935, `played ${film.watched[0].played}`);
});

hidden("a length that runs just ahead of a time that begins elsewhere", async (film) => {
  const edge = film.film;
  for (let second = 0; second < 1900; second += 4) {
    await film.play(4);
    edge.duration += 4;
    edge.fire("durationchange");
  }
  assert.equal(film.watched.length, 0);
  for (let second = 0; second < 60; second += 4) {
    await film.play(4);
    edge.duration += 4;
    edge.fire("durationchange");
  }
  assert.deepEqual(film.watched.map(({ duration }) => duration), [LENGTH]);
  assert.ok(film.watched[0].played < 1925, `played ${film.watched[0].played}`);
}, SLIDER, { base: 3000, duration: 3016 });

hidden("a stretch that can be sought through and moves along is a broadcast, whatever its length", async (film) => {
  Object.defineProperty(film.film.element, "seekable", { get: () => ({ length: 1, start: () => film.position + 10 }) });
  film.show(false);
  await film.play(2300);
  assert.equal(film.screening.sent.length, 0);
}, SLIDER, { base: 0, duration: LENGTH });

hidden("at twice the speed the slider is late twice as much", async (film) => {
  film.film.playbackRate = 2;
  film.film.fire("ratechange");
  let looks = 0;
  film.told = () => Math.max(0, Math.floor(film.position) - 3 * (looks++ % 2));
  await watchedOnce(film);
});

hidden("an honest clock is not measured by any slider", async (film) => {
  film.told = () => Math.floor(film.position / 2);
  await film.play(1930);
  assert.equal(film.watched.length, 1);
}, SLIDER, { base: 0, duration: LENGTH });
