/**
 * Reads metadata from objects of the scripts of two sites, which content scripts
 * cannot access. The functions run in the main world of the page. They change
 * nothing and use nothing from outside: the browser injects them as text.
 */
import { ruleFor } from "../sites/index.js";

/** Reads the metadata of Netflix for the title in the address. Only it contains the number of the series. */
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

/** Reads the title and subtitle that the controls of the player show. */
function disneyplus() {
  const find = (/** @type {string} */ name) => /** @type {any} */ (document.querySelector(name));
  const player = find("disney-web-player")?.mediaPlayer ?? find("disney-web-player-ui")?.mediaPlayerApi;
  const { title, subtitle } = player?.mediaPlaybackCriteria?.metadata ?? {};
  return title?.text ? { name: title.text, place: subtitle?.text } : null;
}

/** @type {Record<string, () => Record<string, unknown> | null>} by the rule's name */
export const objects = { netflix, disneyplus };

/**
 * Reads the object of the page that sent the message.
 * @param {typeof chrome} api
 * @param {chrome.runtime.MessageSender} sender
 * @returns {Promise<Record<string, unknown> | null>} the metadata, or null
 */
export async function readObject(api, { tab, frameId, url = "" }) {
  const read = objects[ruleFor(url)?.name ?? ""];
  if (!read || tab?.id === undefined || frameId === undefined) return null;
  const target = { tabId: tab.id, frameIds: [frameId] };
  const found = await api.scripting.executeScript({ target, world: "MAIN", func: read }).catch(() => []);
  return /** @type {Record<string, unknown> | null} */ (found[0]?.result ?? null);
}
