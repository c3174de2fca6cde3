// The pages that were made for the tests of the sites' rules, for real
// browsers: one film, and one episode after the other.
import fs from "node:fs";
import path from "node:path";
import { rules } from "../../source/sites/index.js";

const DIR = path.join(import.meta.dirname, "../sites");

/** The pages of one site, with words that no other site has. */
export class Site {
  #pages;
  /** @type {string[]} */ #words;

  /** @param {string} name of the rule */
  constructor(name) {
    this.name = name;
    this.rule = rules[name];
    this.#pages = JSON.parse(fs.readFileSync(path.join(DIR, name, "expected.json"), "utf8"));
    const { film, episode } = this.#pages;
    this.#words = [film?.answer.title, episode?.answer.series].filter((one) => one !== undefined);
  }

  /** @param {string} text @returns {string} with the name of the site behind that of the film or the series */
  #own(text) {
    return this.#words.reduce((all, words) => all.replaceAll(words, `${words} on ${this.name}`), text);
  }

  /** @param {string} page */
  has(page) {
    return Object.hasOwn(this.#pages, page);
  }

  /** @param {string} page */
  html(page) {
    return this.#own(fs.readFileSync(path.join(DIR, this.name, `${page}.html`), "utf8"));
  }

  /** @param {string} page */
  url(page) {
    return new URL(this.#pages[page].url);
  }

  /** Whether what it plays has to be asked about. */
  get asks() {
    return !/"\w*(?:imdb|tmdb)":/i.test(JSON.stringify(this.#pages));
  }

  /** The names of all hosts that its pages have. */
  get hosts() {
    return [...new Set(Object.keys(this.#pages).map((page) => this.url(page).hostname))];
  }

  /** What a card has to know of a page. @param {string} page @returns {Record<string, any>} */
  evidence(page) {
    const { kind, title, series, season, episode, year, numbers = {} } = this.#pages[page].answer;
    const name = kind === "episode" ? series : title;
    const known = numbers.title || numbers.series;
    const site = known ? { name: this.name, ...numbers } : undefined;
    const all = { kind, title: name && this.#own(name), season, episode, year, site };
    return JSON.parse(JSON.stringify(all)); // without what is not known
  }
}

/**
 * For Tab.run: plays the page's video to its end, and tells when it counted as watched. The words of the page change
 * while it plays: [[from second, page], …]. The slider moves along, as the player's own does.
 * @param {string} address @param {string} clip @param {[number, string][]} turns @param {string} [slider] its selector
 */
export const plays = (address, clip, turns, slider) => {
  const page = /** @type {any} */ (globalThis);
  /** @param {ParentNode} root @param {string} selector @returns {any[]} in shadow trees, too */
  const all = (root, selector) => [...root.querySelectorAll("*")].flatMap((one) => {
    const within = one.shadowRoot ? all(one.shadowRoot, selector) : [];
    return one.matches(selector) ? [one, ...within] : within;
  });
  const video = page.clip ??= all(document, "video")[0];
  const turn = (/** @type {string} */ html) => {
    document.title = /<title>([^<]*)/.exec(html)?.[1] ?? "";
    const body = /** @type {any} */ (document.createElement("body"));
    body.setHTMLUnsafe(html);
    all(body, "video")[0].replaceWith(video);
    document.body.replaceChildren(...body.childNodes);
  };
  const turnTo = (/** @type {number} */ second) => {
    while (turns.length > 0 && second >= turns[0][0]) turn(/** @type {[number, string]} */ (turns.shift())[1]);
  };
  history.pushState({}, "", address);
  video.mozCaptureStream?.(); // as in films.js
  video.src = clip;
  turnTo(0);
  return new Promise((done, failed) => {
    let passed = 0;
    video.ontimeupdate = () => {
      const { currentTime, duration } = video;
      passed ||= currentTime >= 0.8 * duration ? Date.now() : 0;
      turnTo(currentTime);
      for (const one of slider ? all(document, slider) : []) {
        one.setAttribute("aria-valuenow", String(currentTime));
        one.setAttribute("aria-valuemax", String(duration));
      }
    };
    video.onended = () => done(passed);
    setTimeout(() => failed(new Error(`it stands at ${video.currentTime} of ${video.duration}`)), 60_000);
    video.play().catch(failed);
  });
};
