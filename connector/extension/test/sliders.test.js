/** Media whose clock is not the film's, on pages whose slider tells the film's. */
import assert from "node:assert/strict";
import { perform, screened } from "./screening.js";

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

  constructor(screening, { base = EPOCH, duration = Infinity } = {}) {
    this.screening = screening;
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

  play(seconds) {
    return this.film.play(seconds, { step: 4 });
  }

  get watched() {
    return this.screening.watched;
  }
}

/** @param {string} name @param {(film: Hidden) => Promise<void>} run */
function hidden(name, run, html = SLIDER, options = {}) {
  screened(name, (screening) => run(new Hidden(screening, options)), { html: `<!doctype html><title>A film</title><body>${html}</body>` });
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

/** How often the film counts, and what happens. @type {[string, number, ...[string, ...any[]][]][]} */
const EVENINGS = [
  ["a slider that is away while the controls are hidden", 1,
    ["play", 12], ["hide"], ["play", 600], ["show"], ["play", 12], ["hide"], ["play", 1260], ["watched", 0], ["play", 50]],
  ["less than a minute in step is not believed", 0, ["play", 50], ["hide"], ["play", 2300]],
  ["each jump loads a new source whose time begins at nought", 1,
    ["play", 900], ["jump", 700], ["play", 500], ["jump", 1200], ["play", 600], ["watched", 0], ["play", 160]],
  ["the end of one source is not the film's", 0, ["play", 1300], ["end"]],
  ["a jump to the end is not watching", 0, ["play", 100], ["jump", 2000], ["play", 390]],
  ["a jump within one source is seen again before it counts", 0, ["play", 1000], ["skip", 900], ["hide"], ["play", 200], ["show"], ["play", 40]],
  ["an advertisement during which the slider stands still does not count", 1,
    ["play", 1000], ...[1, 2, 3].flatMap(() => [["advertise"], ["play", 300]]), ["watched", 0], ["play", 50]],
];

for (const [name, count, ...steps] of EVENINGS) {
  hidden(name, async (film) => {
    const { screening, slider } = film;
    await perform(steps, screening, film.film, {
      play: (seconds) => film.play(seconds),
      show: () => screening.document.body.append(slider),
      hide: () => slider.remove(),
      jump(to) {
        film.film.load(Infinity);
        film.base = 20 - to;
        film.film.currentTime = 20;
      },
      skip(seconds) {
        film.base -= seconds;
        film.film.seek(film.film.currentTime);
      },
      end() {
        film.film.pause();
        film.film.fire("ended");
      },
      async advertise() {
        film.frozen = film.position;
        await film.play(60);
        film.base += 60;
        film.frozen = null;
      },
    });
    assert.equal(film.watched.length, count);
    for (const { played } of film.watched) assert.ok(played > 1850 && played < 1935, `played ${played}`);
    assert.ok(new Set(screening.of("session").map(({ session }) => session.id)).size <= 1, "one film is one session");
  });
}

for (const [name, html, told] of [
  ["a slider that stands still, as a broadcast's does", SLIDER, () => LENGTH],
  ["a slider that runs slower", SLIDER, (film) => film.position * 0.95],
  ["a slider that begins elsewhere than at nought", SLIDER.replace('min="0"', 'min="100"'), (film) => film.position],
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

hidden("a length that runs just ahead of a time that begins elsewhere", async (film) => {
  for (let second = 0; second < 1960; second += 4) {
    if (second === 1900) assert.equal(film.watched.length, 0);
    await film.play(4);
    film.film.resize(film.film.duration + 4);
  }
  assert.deepEqual(film.watched.map(({ duration }) => duration), [LENGTH]);
  assert.ok(film.watched[0].played < 1925, `played ${film.watched[0].played}`);
}, SLIDER, { base: 3000, duration: 3016 });

hidden("a stretch that can be sought through and moves along is a broadcast, whatever its length", async (film) => {
  Object.defineProperty(film.film.element, "seekable", { get: () => ({ length: 1, start: () => film.position + 10 }) });
  film.slider.remove();
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
