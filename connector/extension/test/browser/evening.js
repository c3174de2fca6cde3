// Every site with a rule, in a real browser: its pages that were made by hand,
// under its own name, which leads to this machine. From the tick in the options
// to the record of the service.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { patterns } from "../../source/pages/places.js";
import { rules } from "../../source/sites/index.js";
import { LONG } from "./films.js";
import { plays, Site } from "./sites.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

/** So many tabs play at once. */
const AT_ONCE = 4;
/** The seconds of an item are enough for a machine that stands still for some of them. */
const FIRST = LONG + 4;
/** The next episode is longer: where the address is the same, the length tells them apart. */
const NEXT = 2 * LONG;
const HIDDEN_FROM = 10;
/** What tells a number of IMDb's or TMDB's needs no card. */
const SITES = Object.keys(rules).map((name) => new Site(name)).filter(({ asks }) => asks);

/**
 * @typedef {{ids: {tmdb: number}}} Known
 * @typedef {{type: "movie" | "episode", ids?: Known["ids"], show?: Known, season?: number, episode?: number}} Media
 * @typedef {import("./chromium.js").Tab} Tab
 */

/** One browser that watches on all sites, and what the service has to record of it. */
class Evening {
  /** @type {Map<string, number>} when each item was watched */
  #expected = new Map();

  /** @param {Visit} visit */
  constructor(visit) {
    this.visit = visit;
  }

  /** Ticks all sites in the options. */
  async tick() {
    const { visit } = this;
    await visit.browser.allow(SOURCE, SITES.flatMap(({ rule }) => patterns(rule)));
    for (const { name, rule } of SITES) {
      await visit.options.click(`#place-${name}`);
      await until(`${name} is allowed`, async () => {
        const { sites } = await visit.state();
        const open = sites.map((/** @type {any} */ { origin, granted }) => granted && origin);
        return patterns(rule).every((pattern) => open.includes(pattern));
      });
    }
  }

  /** @param {Site} site @param {string} page @returns {Promise<Tab>} */
  open(site, page) {
    const { hostname, pathname, search } = site.url(page);
    const { pages, browser } = this.visit;
    return browser.tab(pages.secure(pages.put(pathname, site.html(page), hostname)) + search);
  }

  /**
   * Plays one item to its end.
   * @param {Tab} tab @param {Site} site @param {string} page
   * @param {{media: Media, seconds: number, turns: [number, string][]}} how turns: from which second which page shows
   */
  async play(tab, site, page, { media, seconds, turns }) {
    const { pathname, search } = site.url(page);
    const shown = turns.map(([from, name]) => [from, site.html(name)]);
    const at = await tab.run(plays, pathname + search, `/clip-${seconds}.wav`, shown, site.rule.clock?.slider);
    const tmdb = (media.show?.ids ?? media.ids)?.tmdb;
    this.#expected.set([media.type, tmdb, media.season, media.episode].join(" "), at);
  }

  /**
   * Answers the card of what played, which has to say all that the rule can read there.
   * @param {Site} site @param {string} page @param {Media} media
   */
  async answer(site, page, media) {
    const { visit } = this;
    const evidence = site.evidence(page);
    const { hostname } = site.url(page);
    const mine = (/** @type {any} */ { host, kind }) => host === hostname && kind === evidence.kind;
    const card = await until("it is asked about", async () => (await visit.state()).outbox.unknown.find(mine));
    assert.deepEqual(card.evidence, evidence);
    assert.deepEqual(await visit.ask({ kind: "identify", id: card.id, media, remember: true }), { ok: true });
  }

  /**
   * It is known without a question, with the site's own numbers.
   * @param {Site} site @param {string} page @param {Media} wanted
   */
  async known(site, page, { show, episode }) {
    const mine = (/** @type {any} */ { media }) => media?.show?.ids?.tmdb === show?.ids.tmdb
      && media.episode === episode;
    const entry = await until("it is in the queue", () => this.visit.home.queue().find(mine));
    assert.deepEqual(entry.media.site, site.evidence(page).site);
  }

  /** Each item was recorded once, at its time, and nothing else is. */
  async rightly() {
    const { home } = this.visit;
    await until("as many are recorded", async () => (await home.records()).history.length >= this.#expected.size);
    await home.settled();
    const { history } = await home.records();
    const told = history.map(({ tvShowId, tmdbId, seasonNumber, episodeNumber, watchedAt }) => {
      const item = tvShowId ? ["episode", tvShowId, seasonNumber, episodeNumber] : ["movie", tmdbId, "", ""];
      return [item.join(" "), Date.parse(watchedAt)];
    });
    assert.deepEqual(told.map(([item]) => item).sort(), [...this.#expected.keys()].sort());
    for (const [item, at] of told) {
      const late = at - /** @type {number} */ (this.#expected.get(item));
      assert.ok(Math.abs(late) < 2000, `${item} is ${late} ms late`);
    }
    assert.deepEqual((await this.visit.state()).outbox.unknown, []);
  }
}

/** One question. @param {Evening} evening @param {Site} site @param {number} tmdb */
async function film(evening, site, tmdb) {
  const tab = await evening.open(site, "film");
  /** @type {Media} */ const media = { type: "movie", ids: { tmdb } };
  await evening.play(tab, site, "film", { media, seconds: FIRST, turns: [[HIDDEN_FROM, "hidden"]] });
  await evening.answer(site, "film", media);
  await tab.close();
}

/**
 * One question for the series. Where the page tells no season, there is one for each episode.
 * @param {Evening} evening @param {Site} site @param {number} tmdb
 */
async function episodes(evening, site, tmdb) {
  const { season = 1, episode } = site.evidence("episode");
  const tab = await evening.open(site, "episode");
  /** @type {Media} */ const first = { type: "episode", show: { ids: { tmdb } }, season, episode };
  await evening.play(tab, site, "episode", { media: first, seconds: FIRST, turns: [[HIDDEN_FROM, "hidden"]] });
  await evening.answer(site, "episode", first);
  const second = { ...first, episode: episode + 1 };
  /** @type {[number, string][]} the old words stay for a while, and the new ones come late */
  const turns = [[0, "episode"], [4, "hidden"], [9, "next"], [18, "hidden"]];
  await evening.play(tab, site, "next", { media: second, seconds: NEXT, turns });
  await evening[site.evidence("next").season === undefined ? "answer" : "known"](site, "next", second);
  await tab.close();
}

/** The scenarios. @param {any} Browser */
export function evenings(Browser) {
  const visit = new Visit(Browser, { names: SITES.flatMap(({ hosts }) => hosts) });
  const evening = new Evening(visit);
  before(async () => {
    await visit.open();
    await visit.typePairing(visit.home.pairingCode());
    await visit.linkIs("connected");
    await evening.tick();
    await visit.settle();
  });
  after(() => visit.close());

  describe("what plays", { concurrency: AT_ONCE }, () => {
    SITES.forEach((site, i) => {
      const [aFilm, anEpisode] = [site.has("film"), site.has("next")];
      assert.ok(aFilm || anEpisode, `${site.name} has no page that plays here`);
      const next = () => visit.helped(episodes(evening, site, 3000 + i));
      if (anEpisode) it(`${site.name}: an episode, then the next one by itself`, next);
      if (aFilm) it(`${site.name}: a film`, () => visit.helped(film(evening, site, 4000 + i)));
    });
  });

  it("each is recorded once, at its time, and nothing else is", () => visit.helped(evening.rightly()));
}
