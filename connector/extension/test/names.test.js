/** What a viewing is called, and by which name it is sent when the page says too little. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { viewingEvent } from "../source/background/events.js";
import { identify } from "../source/identify/index.js";
import { seen } from "../source/identify/names.js";

const netflix = { host: "www.netflix.com", title: "Netflix" };

/** What becomes of a page. @param {{host?: string, title?: string}} page @param {object} [evidence] */
function look({ host = "films.example", title = "" }, evidence = {}) {
  const page = { id: "1", at: "2026-03-01T20:15:00Z", position: 1, duration: 2, played: 1, url: `https://${host}/watch/1`, host, title, evidence: { links: [], ...evidence } };
  const found = identify(page);
  const names = seen(page, found);
  return { found, ...names, media: viewingEvent(/** @type {any} */ (page), found, names).message.media };
}
const session = (/** @type {string} */ title, artist = "", album = "") => ({ mediaSession: { title, artist, album } });

const BEST = [
  ["the site's name is the last resort", netflix, {}, "Netflix"],
  ["a heading beats the site's name", netflix, { headings: ["Stranger Things"] }, "Stranger Things"],
  ["the site's name in two words", { host: "play.hbomax.com", title: "HBO Max" }, { headings: ["HBO Max", "Dune"] }, "Dune"],
  ["the site's name is cut off", { host: "www.primevideo.com", title: "The Boys - Season 1 | Prime Video" }, {}, "The Boys – Season 1"],
  ["a count of news is cut off", { host: "www.youtube.com", title: "(3) A long talk - YouTube" }, {}, "A long talk"],
  ["series and episode of a media session", { title: "C Media" }, session("...And the Bag", "Breaking Bad", "Season 1"), "Breaking Bad: ...And the Bag"],
  ["a description without numbers", { title: "Watch" }, { jsonld: [{ type: "TVEpisode", name: "In the Dark", series: { name: "The Morning Show" } }] }, "The Morning Show: In the Dark"],
  ["an episode by its numbers", { title: "Reel Life S01E02" }, { headings: ["Welcome"] }, "Reel Life S01E02"],
  ["what stands anywhere on the page comes after its title", { title: "Reel Life" }, { mentions: ["More like this"] }, "Reel Life"],
  ["what stands anywhere on the page beats the site's name", netflix, { mentions: ["Netflix", "Stranger Things"] }, "Stranger Things"],
  ["what a media server says", { title: "Jellyfin" }, { provider: { type: "movie", title: "Dune" } }, "Dune"],
  ["a page without any name", {}, {}, "films.example"],
];
for (const [what, page, evidence, title] of BEST) test(`the best name: ${what}`, () => assert.equal(look(page, evidence).title, title));

/** @type {[string, {host?: string, title?: string}, object, object][]} what is sent of pages that identify nothing for certain */
const SENT = [
  ["a name alone is a film without a year, which is certain of nothing", { host: "www.netflix.com", title: "Fargo | Netflix" }, {}, { type: "movie", title: "Fargo" }],
  ["a series that the media session names", netflix, session("x", "Fargo", "Season 1"), { type: "movie", title: "Fargo" }],
  ["a band is no series", {}, session("x", "A band", "Their album"), { type: "movie", title: "x" }],
  ["an episode without its place", { title: "x" }, { jsonld: [{ type: "TVEpisode", name: "Pilot", series: { name: "Treme" } }] }, { type: "episode", show: { title: "Treme" } }],
  ["a site's number without a name gets the one that was seen", { host: "www.netflix.com", title: "Fargo | Netflix" },
    { site: { name: "netflix", kind: "movie", numbers: { film: "900100" }, said: [] } }, { type: "movie", title: "Fargo", site: { name: "netflix", title: "900100" } }],
  ["and none where nothing was seen", netflix, { site: { name: "netflix", kind: "movie", numbers: { film: "900100" }, said: [] } }, { type: "movie", site: { name: "netflix", title: "900100" } }],
];
for (const [what, page, evidence, media] of SENT) {
  test(`sent as seen: ${what}`, () => {
    const is = look(page, evidence);
    assert.equal(is.found.certain, false);
    assert.deepEqual(is.media, media);
  });
}

test("what stands somewhere on the page, or names only the site, is not sent as a name", () => {
  assert.equal(look(netflix, { mentions: ["Stranger Things"] }).name, undefined);
  for (const [title, host] of [["Watch | Netflix", "www.netflix.com"], ["(3) Netflix", "www.netflix.com"], ["Home - Disney+", "www.disneyplus.com"], ["Now playing – Plex", "app.plex.tv"]]) {
    assert.equal(look({ title, host }).name, undefined, title);
  }
});
