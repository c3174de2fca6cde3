// The states in which the real pages are looked at: what the background says,
// and what the user has done since.
import { rejected, sitting, stateWith, unknown } from "./fake-api.js";

/**
 * @typedef {import("playwright-core").Page} Page
 * @typedef {{page: "popup" | "options", script: import("./fake-api.js").Script, hash?: string, then?: (page: Page) => Promise<unknown>}} Scene
 */

const tab = { id: 7, url: "https://films.example/watch/7" };
const granted = ["https://films.example/*"];
const episode = { type: "episode", show: { ids: { tmdb: 1396 }, title: "The Long Night" }, season: 2, episode: 3 };
const playing = { tab, granted, identified: episode, now: { sitting: sitting(), crossed: false, needs: 690 } };
const film = unknown({
  id: "cccccccc-2222-4333-8444-555555555555",
  host: "player.a-very-long-host-name-of-a-streaming-service.example",
  kind: "movie",
  evidence: { title: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", kind: "movie" },
});
const netflix = unknown({
  id: "dddddddd-2222-4333-8444-555555555555", host: "www.films.example", kind: null, title: "Breaking Bad: Cat's in the Bag...", evidence: {},
  address: "https://www.films.example/watch/1?v=9",
  names: [{ from: "session", text: "Cat's in the Bag..." }, { from: "artist", text: "Breaking Bad" }, { from: "album", text: "Season 1" },
    { from: "heading", text: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz" }, { from: "title", text: "C Media" }],
  guess: { series: "Breaking Bad", season: 1, title: "Cat's in the Bag..." },
});
const second = unknown({ id: "eeeeeeee-2222-4333-8444-555555555555", at: "2026-11-22T20:45:00+01:00", address: "https://films.example/watch/8", evidence: { title: "The Long Night", season: 2, episode: 4, kind: "episode" } });
const needy = { unknown: [unknown(), film], rejected: [rejected()] };
const unpaired = { state: "unpaired", pairedLabel: null };
const places = [
  { name: "nordlicht", label: "Nordlicht", hosts: ["www.nordlicht.example"], seen: "2026-11-20" },
  { name: "kinoplus", label: "Kino+", hosts: ["kinoplus.example", "tv.kinoplus.example"], seen: "2026-09-02" },
  { name: "films", label: "Films", hosts: ["films.example"] },
  { name: "donau", label: "Donaudampfschifffahrtselektrizitätenmediathek", hosts: ["donau.example"], seen: "2026-10-31" },
];
const sites = [
  { origin: "https://kinoplus.example/*", granted: true },
  { origin: "https://films.example/*", granted: true },
  { origin: "https://*.series.example/*", granted: true },
  { origin: "http://192.168.1.5/*", granted: false },
  { origin: "https://tube.example/*", granted: true },
  { origin: "https://nas.lan/*", granted: true },
  { origin: "http://nas.lan/*", granted: true },
  { origin: "https://player.a-very-long-host-name-of-a-streaming-service.example/*", granted: true },
];

const ignored = {
  sites: ["tube.example", "player.a-very-long-host-name-of-a-streaming-service.example"],
  films: [{ key: "films.example|a talk", title: "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft", host: "films.example" }],
  discarded: [{ id: "aaaaaaaa-2222-4333-8444-555555555555", title: "Night Train", host: "films.example", at: "2026-11-21T20:45:00+01:00" }],
};
const inFrame = [{ players: [{ site: "https://player.a-very-long-host-name-of-a-streaming-service.example/*", area: 400_000 }], why: "muted" }];

/** @param {any} change @returns {Scene} */
const popup = (change, more = {}, then = undefined) => ({ page: "popup", script: { state: stateWith(change), ...more }, then });
/** @param {any} change @returns {Scene} */
const options = (change, more = {}, then = undefined) => ({ page: "options", script: { state: stateWith(change), ...more }, then });

/** Everything that can be wrong at once. @param {Page} page */
async function popupFaults(page) {
  await page.click("#unknown li:first-child [type=submit]");
  await page.click("#rejected li .quiet");
  await page.click("#entry summary");
  await page.fill("#entry-link", "https://films.example/7");
  await page.click("#entry-form [value=watched]");
  await page.click("#list summary");
  await page.fill("#list-name", "x".repeat(214));
  await page.click("#list-form [type=submit]");
}

/** @param {Page} page */
async function numberAlone(page) {
  await page.fill("#unknown li:first-child form input", "tt0959621");
  await page.click("#unknown li:first-child [type=submit]");
}

/** @param {Page} page @param {string} selector @param {number} n */
const clickNth = (page, selector, n) => page.locator(selector).nth(n).click();

/** @param {Page} page */
async function episodeByHand(page) {
  await page.click("#entry summary");
  await page.fill("#entry-link", "https://www.themoviedb.org/tv/1396");
  await page.click("#entry-form [value=watched]");
}

/** @param {Page} page */
async function optionsFaults(page) {
  await page.fill("#pair-code", "K7M2");
  await page.click("#pair-form [type=submit]");
  await page.fill("#site", "chrome://settings");
  await page.click("#site-form [type=submit]");
  await page.fill("#movie-played", "120");
  await page.click("#rule-form [value=save]");
}

/** @param {Page} page */
async function codeRefused(page) {
  await page.fill("#pair-code", "K7M2-9QXD");
  await page.click("#pair-form [type=submit]");
}

/** A browser takes a while to copy; what is said then covers what was there. @param {import("playwright-core").Page} page */
async function copied(page) {
  await page.click("#lost-copy");
  await page.waitForSelector("#said:not(:empty)");
}

const lost = { minutes: 14, parts: ["say.0", "say.1"] };
const odd = places.map((place, i) => (i > 1 ? place : { ...place, lost }));
/** @type {Record<string, Scene>} */
export const SCENES = {
  "popup-unpaired": popup({ link: unpaired, daemon: null, sites: [] }),
  "popup-playing": popup({}, playing),
  "popup-marked": popup({}, playing, (page) => page.click("#now-mark")),
  "popup-watched": popup({ daemon: { online: true, pending: 1, attention: 0, lastDelivered: null } }, { ...playing, now: { sitting: sitting(), crossed: true, needs: 0 } }),
  "popup-uncounted": popup({ link: { state: "waiting" } }, { tab, granted, now: { sitting: sitting(), crossed: false, needs: null } }),
  "popup-not-allowed": popup({ sites: [] }, { tab }),
  "popup-offline": popup({ link: { state: "offline" }, outbox: { waiting: 3 } }, { tab, granted, now: null }),
  "popup-full": popup({ link: { state: "offline" }, outbox: { waiting: 5000, full: true } }),
  "popup-interrupted": popup({ link: { state: "waiting", detail: "lost" }, outbox: { waiting: 1 } }, { tab, granted }),
  "popup-stranger": popup({ link: { state: "stranger" } }),
  "popup-revoked": popup({ link: { state: "revoked" }, daemon: { online: false, pending: 2, attention: 1, lastDelivered: null } }),
  "popup-old": popup({ link: { state: "old" } }),
  "popup-needs": popup({ outbox: needy }, playing),
  "popup-cards": popup({ outbox: { unknown: [unknown(), netflix, second] } }, { tab, granted, now: null }),
  "popup-number": popup({ outbox: { unknown: [netflix] } }, { tab, granted, now: null }, numberAlone),
  "popup-never": popup({ outbox: { unknown: [unknown(), film, second] } }, {}, (page) => clickNth(page, "#unknown .quiet", 2)),
  "popup-discard-all": popup({ outbox: { unknown: [unknown(), film, second] } }, {}, (page) => page.click("#needs-all .quiet")),
  "popup-player": popup({}, { tab, granted, now: null, outlooks: inFrame }),
  "popup-player-beside": popup({}, { tab, granted, now: { sitting: sitting(), crossed: false, needs: 690, why: "muted" }, outlooks: inFrame }),
  "popup-short": popup({}, { tab, granted, now: null, outlooks: [{ players: [], why: "short", least: 300 }] }),
  "popup-lost": popup({ places: odd }, {}, copied),
  "popup-faults": popup({ outbox: needy }, {}, popupFaults),
  "popup-by-hand": popup({}, { typed: { "https://www.themoviedb.org/tv/1396": { type: "episode", show: { ids: { tmdb: 1396 } } } } }, episodeByHand),
  "popup-paused": popup({ paused: true, settings: { pausedUntil: Date.now() + 1_800_000 } }),
  "popup-private": popup({ paused: true, settings: { private: true } }),
  "options-unpaired": options({ link: unpaired, daemon: null, sites: [] }),
  "options-paired": options({ sites, places }),
  "options-lost": options({ sites, places: odd }),
  "options-first-step": options({ sites: [], places }),
  "options-no-place": options({ sites: [], places }, {}, (page) => page.fill("#place-search", "zzz")),
  "options-server": options({ sites: [], places }, {}, (page) => page.click("#place-plex")),
  "options-ignored": options({ ignored }),
  "options-forget": options({ ignored }, {}, (page) => page.click("#discarded-all .quiet")),
  "options-from-popup": { ...options({ sites: [] }), hash: "#site=films.example" },
  "options-revoked": options({ link: { state: "revoked" } }),
  "options-stranger": options({ link: { state: "stranger" } }),
  "options-faults": options({ link: unpaired, sites: [] }, {}, optionsFaults),
  "options-code-refused": options({ link: unpaired }, { answers: { pair: { ok: false, code: "PAIRING_CODE_INVALID", message: "" } } }, codeRefused),
  "options-unpair": options({ sites }, {}, (page) => page.click("#unpair")),
  "options-private": options({ paused: true, settings: { private: true, askUnknown: false } }),
};
