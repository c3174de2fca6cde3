// Opens a page without a browser, and reads it by the rule of its site.
import fs from "node:fs";
import path from "node:path";
import { objects } from "../source/background/objects.js";
import { collectedEvidence } from "../source/identify/evidence.js";
import { checked, identify } from "../source/identify/index.js";
import { ruleFor } from "../source/sites/index.js";
import { Screening, answer } from "./screening.js";

const folder = path.join(import.meta.dirname, "sites");
/** The text of a file of the sites. @param {string[]} names */
export const read = (...names) => fs.readFileSync(path.join(folder, ...names), "utf8");
/** The pages of a site, with their addresses and what is to be read of them. @param {string} name */
export const expected = (name) => JSON.parse(read(name, "expected.json"));

/** Shadow trees that stand in the page's own text, which jsdom leaves as they are. @param {ParentNode} root */
function attach(root) {
  for (const template of root.querySelectorAll("template[shadowrootmode]")) {
    const tree = template.parentElement.attachShadow({ mode: "open" });
    tree.append(template.content);
    template.remove();
    attach(tree);
  }
}

export class SitePage {
  /** @param {string} html @param {string} url @param {{scripts?: boolean, answers?: any}} [options] scripts: run those of the page */
  constructor(html, url, options = {}) {
    this.rule = ruleFor(url);
    this.screening = new Screening({ html, url, ...options, before: ({ document }) => attach(document) });
    this.window = this.screening.window;
  }

  /** Puts another page's body in the place of all but the video. @param {string} html */
  turn(html) {
    const { document } = this.window;
    const next = new this.window.DOMParser().parseFromString(html, "text/html");
    const video = document.querySelector("video");
    const place = next.querySelector("video");
    attach(next);
    document.title = next.title;
    if (place) place.replaceWith(video);
    document.body.replaceChildren(...next.body.childNodes);
    for (const script of document.body.querySelectorAll("script:not([type])")) this.window.eval(script.textContent);
    this.window.filmspool.parts.finder.search(); // as the page's changes make it do, a moment later
  }

  /** What the page's own object tells. */
  object() {
    const read = objects[this.rule?.name ?? ""];
    return read ? JSON.parse(JSON.stringify(this.window.eval(`(${read})()`) ?? null)) : null;
  }

  /** The video that is the film's, or nothing. */
  film() {
    const { roots } = this.window.filmspool.parts.finder;
    return roots.flatMap((root) => [...root.querySelectorAll("video")]).find((video) => this.window.filmspool.siteRule.isFilm(this.rule, video)) ?? null;
  }

  /** What the rule finds. */
  async answer() {
    const page = structuredClone(await this.screening.ask({ kind: "page" }));
    const missing = [];
    if (this.rule) {
      const { siteRule, siteWords } = this.window.filmspool;
      const film = this.film();
      const reading = film && siteRule.read(this.rule, film, this.object());
      missing.push(...(film ? reading?.missing ?? ["watch"] : ["video"]));
      const words = new siteWords.Words();
      for (const now of [0, 1000]) if (reading) words.take(reading, now);
      page.evidence.site = reading ? structuredClone(words.evidence(this.rule)) : { name: this.rule.name, numbers: {}, said: [], torn: true };
    }
    return { site: this.rule?.name ?? null, ...told(page), missing };
  }
}

/** A page or a session, in the words of the answer. @param {any} page */
export function told(page) {
  const { kind = null, title = null, seriesTitle: series = null, season = null, episode = null, year = null, site } = collectedEvidence(checked(page));
  const { title: number, series: seriesNumber, numbering } = site ?? {};
  const numbers = { title: number, series: seriesNumber, numbering, ...others(identify(page).media) };
  return { kind, title, series, season, episode, year, numbers: JSON.parse(JSON.stringify(numbers)) };
}

/** The numbers of TMDB and IMDb. @param {any} media */
const others = (media) => ({ tmdb: media?.ids?.tmdb, imdb: media?.ids?.imdb, seriesTmdb: media?.show?.ids?.tmdb, seriesImdb: media?.show?.ids?.imdb });

/** An episode in the player of a site, whose controls are shown or hidden. */
export class Player {
  /** Seconds of the film, which the slider shows. */
  length = 3000;

  /** @param {string} name of the site @param {{preroll?: number, page?: string}} [options] preroll: seconds that are spliced in before the film */
  constructor(name, { preroll = 0, page = "episode" } = {}) {
    this.name = name;
    /** Seconds that the medium is ahead of the film. */
    this.late = preroll;
    const answers = (/** @type {any} */ message) => (message.kind === "object" ? this.page.object() : { ...answer(message), site: this.page.rule });
    this.page = new SitePage(read(name, `${page}.html`), expected(name)[page].url, { scripts: true, answers });
    this.screening = this.page.screening;
    const element = this.page.film();
    this.film = this.screening.film({ element, into: element.parentNode, duration: this.length + preroll });
  }

  get #sliders() {
    return this.page.window.filmspool.siteRule.sliders(this.page.rule);
  }

  /** Plays while the slider, where there is one, shows the film's time in whole seconds. @param {number} seconds */
  async play(seconds) {
    const step = this.#sliders.length > 0 ? 1 : 4;
    for (let second = 0; second < seconds; second += step) {
      await this.film.play(step, { step });
      this.#slide();
    }
  }

  #slide() {
    for (const slider of this.#sliders) {
      slider.setAttribute("aria-valuenow", String(Math.max(0, Math.floor(this.film.currentTime) - this.late)));
      slider.setAttribute("aria-valuemax", String(this.length));
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
    this.#slide();
    await this.play(seconds);
  }
}
