/**
 * A page with the content scripts in it, a film to play, a clock that only
 * the test moves, and a background that answers as the test says.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { JSDOM } from "jsdom";
import { contentFiles } from "../source/background/content.js";

const source = new URL("../source/", import.meta.url);

export const usualRule = {
  movie: { played: 0.5, position: 0.8, minimum: 300 },
  episode: { played: 0.5, position: 0.8, minimum: 300 },
  last: 0,
};

/** A background that records everything and knows nothing. */
export function answer(message) {
  if (message.kind === "session") return { record: true, rule: usualRule, servers: [], identified: null, certain: false };
  if (message.kind === "watched") return { kept: true };
  return null;
}

/** Lets everything happen that waits for a promise alone. */
export const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

export class Screening {
  now = 1000;
  sent = [];
  timers = [];

  constructor({ html = "<!doctype html><title>A film</title><body></body>", url = "https://films.example/film/1", answers = answer, files = contentFiles, scripts = false, before = () => {} } = {}) {
    this.answers = answers;
    this.dom = new JSDOM(html, { url, runScripts: scripts ? "dangerously" : "outside-only", pretendToBeVisual: true });
    this.window = this.dom.window;
    this.document = this.window.document;
    this.#fake();
    before(this.window);
    this.load(files);
  }

  #fake() {
    const { window } = this;
    Object.defineProperty(window.performance, "now", { value: () => this.now });
    window.setTimeout = (run, delay) => this.timers.push({ run, at: this.now + delay });
    window.clearTimeout = (id) => {
      if (id) this.timers[id - 1] = null;
    };
    window.chrome = {
      runtime: {
        id: "filmspool",
        sendMessage: async (message) => {
          this.sent.push(structuredClone(message));
          return this.answers(message);
        },
        onMessage: { addListener: (heard) => (this.heard = heard) },
      },
    };
  }

  load(files) {
    for (const file of files) this.window.eval(readFileSync(new URL(file, source), "utf8"));
  }

  /** Moves the clock, running what falls due, after the mutation observers. */
  async wait(milliseconds) {
    await settle();
    const end = this.now + milliseconds;
    for (;;) {
      const due = this.timers.map((timer, index) => ({ ...timer, index })).filter((timer) => timer.run && timer.at <= end);
      if (due.length === 0) break;
      const next = due.reduce((first, one) => (one.at < first.at ? one : first));
      this.timers[next.index] = null;
      this.now = Math.max(this.now, next.at);
      next.run();
      await settle();
    }
    this.now = end;
  }

  of(kind) {
    return this.sent.filter((message) => message.kind === kind);
  }

  /** The distinct sessions that were told as watched. */
  get watched() {
    return [...new Map(this.of("watched").map((message) => [message.session.id, message.session])).values()];
  }

  film(options) {
    return new Film(this, options);
  }

  /** Asks as the popup does; undefined when the frame stays silent. */
  ask(message) {
    return new Promise((resolve) => {
      if (this.heard(message, {}, resolve) !== true) setImmediate(() => resolve(undefined));
    });
  }

  close() {
    this.window.close();
  }
}

/** A video element whose clock the test turns. */
export class Film {
  duration = 6000;
  currentTime = 0;
  playbackRate = 1;
  paused = true;
  seeking = false;
  muted = false;
  volume = 1;
  loop = false;
  width = 640;
  height = 360;

  constructor(screening, { into = screening.document.body, duration = 6000, element = screening.document.createElement("video") } = {}) {
    this.screening = screening;
    this.element = element;
    for (const name of ["duration", "currentTime", "playbackRate", "paused", "seeking", "muted", "volume", "loop"]) {
      Object.defineProperty(element, name, { get: () => this[name] });
    }
    element.getBoundingClientRect = () => ({ width: this.width, height: this.height });
    into.append(element);
    this.load(duration);
  }

  fire(type) {
    this.element.dispatchEvent(new this.screening.window.Event(type));
  }

  load(duration) {
    this.fire("emptied");
    this.currentTime = 0;
    this.paused = true;
    this.duration = duration;
    this.fire("durationchange");
    this.fire("loadedmetadata");
  }

  resize(duration) {
    if (this.duration === duration) return;
    this.duration = duration;
    this.fire("durationchange");
  }

  seek(to) {
    this.seeking = true;
    this.currentTime = to;
    this.fire("seeking");
    this.fire("timeupdate");
    this.seeking = false;
    this.fire("seeked");
    this.fire("timeupdate");
  }

  pause() {
    this.paused = true;
    this.fire("pause");
  }

  /** Plays so many seconds of the film, or to its end. */
  async play(seconds, { step = 8 } = {}) {
    this.paused = false;
    this.fire("playing");
    const end = Math.min(this.duration, this.currentTime + seconds);
    while (this.currentTime < end) {
      const part = Math.min(step, end - this.currentTime);
      this.screening.now += (part / this.playbackRate) * 1000;
      this.currentTime += part;
      this.fire("timeupdate");
      await settle();
    }
    if (this.currentTime >= this.duration) {
      this.paused = true;
      this.fire("pause");
      this.fire("ended");
    }
    await settle();
  }
}

/** What the film, its page and its viewer do, by the names that the tables of steps use. */
const acts = (screening, film) => ({
  play: (seconds, step) => film.play(seconds, { step }),
  seek: (to) => film.seek(to),
  load: (duration) => film.load(duration),
  resize: (duration) => film.resize(duration),
  pause: () => film.pause(),
  muted: () => (film.muted = true),
  click: () => void screening.window.filmspool.parts.tracker.act(),
  wait: (milliseconds) => (screening.now += milliseconds),
  page: (address) => screening.window.history.pushState(null, "", address),
  title: (title) => (screening.document.title = title),
  search: () => screening.window.filmspool.parts.finder.search(),
  watched: (count) => assert.equal(screening.watched.length, count),
});

/** Does the steps, one after the other: each is an act and its values. */
export async function perform(steps, screening, film, more = {}) {
  const all = { ...acts(screening, film), ...more };
  for (const [act, ...values] of steps) await all[act](...values);
}

/** Runs a test on a page of its own. */
export function screened(name, run, options = {}) {
  test(name, async () => {
    const screening = new Screening(options);
    try {
      await run(screening);
    } finally {
      screening.close();
    }
  });
}
