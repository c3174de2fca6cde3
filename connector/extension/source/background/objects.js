/**
 * What two players keep in an object of their page, which content scripts do
 * not see. These functions run in the page's own world. They read, change
 * nothing, and stand by themselves: the browser takes them there as text.
 */
import { ruleFor } from "../sites/index.js";

/** Netflix keeps what it knows of a title under its number: the series' number stands only here. */
function netflix() {
  const id = /\/watch\/(\d{1,16})/.exec(location.pathname)?.[1];
  const page = /** @type {any} */ (globalThis).netflix;
  if (!id || !page) return null;
  const summary = page.falcorCache?.videos?.[id]?.summary?.value;
  const kinds = /** @type {Record<string, string>} */ ({ movie: "movie", show: "episode", episode: "episode" });
  const known = page.appContext?.state?.playerApp?.getAPI?.()?.getVideoMetadataByVideoId?.(Number(id));
  const video = (known?._metadataObject ?? known?._metadata?._metadataObject)?.video;
  if (video?.type === "movie" && String(video.id) === id) return { kind: "movie", name: video.title, year: video.year };
  for (const season of video?.type === "show" ? video.seasons ?? [] : []) {
    const episode = season.episodes?.find((/** @type {any} */ one) => String(one.episodeId ?? one.id) === id);
    if (!episode) continue;
    const place = video.hiddenEpisodeNumbers ? {} : { season: season.seq, episode: episode.seq };
    return { kind: "episode", name: video.title, seriesNumber: video.id, title: episode.title, ...place };
  }
  if (!summary || String(summary.id ?? id) !== id) return null;
  return { kind: kinds[summary.type], ...(summary.type === "episode" && { season: summary.season, episode: summary.episode }) };
}

/** The element of Disney's player has the words that its controls show. */
function disneyplus() {
  const find = (/** @type {string} */ name) => /** @type {any} */ (document.querySelector(name));
  const player = find("disney-web-player")?.mediaPlayer ?? find("disney-web-player-ui")?.mediaPlayerApi;
  const { title, subtitle } = player?.mediaPlaybackCriteria?.metadata ?? {};
  return title?.text ? { name: title.text, place: subtitle?.text } : null;
}

/** @type {Record<string, () => Record<string, unknown> | null>} by the rule's name */
export const objects = { netflix, disneyplus };

/**
 * @param {typeof chrome} api
 * @param {chrome.runtime.MessageSender} sender
 * @returns {Promise<Record<string, unknown> | null>} what the page's object says, in its words
 */
export async function readObject(api, { tab, frameId, url = "" }) {
  const read = objects[ruleFor(url)?.name ?? ""];
  if (!read || tab?.id === undefined || frameId === undefined) return null;
  const target = { tabId: tab.id, frameIds: [frameId] };
  const found = await api.scripting.executeScript({ target, world: "MAIN", func: read }).catch(() => []);
  return /** @type {Record<string, unknown> | null} */ (found[0]?.result ?? null);
}
