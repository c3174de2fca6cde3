/** By what a person may recognise a viewing: names, times, its page, a search. */
import { make } from "./elements.js";
import { place } from "./media.js";
import { minutes, moment, text } from "./words.js";

/**
 * @typedef {import("../messages.js").Unknown} Unknown
 * @typedef {import("../messages.js").Name} Name
 */

/** @param {Name["from"]} from */
function label(from) {
  switch (from) {
    case "session":
      return text("nameSession");
    case "artist":
      return text("nameArtist");
    case "album":
      return text("nameAlbum");
    case "described":
      return text("nameDescribed");
    case "series":
      return text("nameSeries");
    case "heading":
      return text("nameHeading");
    case "mention":
      return text("nameMention");
    default:
      return text("nameTitle");
  }
}

/**
 * Every name that the page had.
 * @param {Unknown} unknown
 */
export function namesList({ names }) {
  const lines = names.map(({ from, text: name }) => make("div", {}, make("dt", {}, label(from)), make("dd", {}, make("bdi", {}, name))));
  return make("dl", { class: "names", "aria-label": text("namesLabel"), hidden: lines.length === 0 }, ...lines);
}

/**
 * A link that opens in a tab of its own, and tells the other side nothing of
 * where it came from.
 * @param {string} href
 * @param {string} words
 */
const outward = (href, words) => make("a", { href, target: "_blank", rel: "noopener noreferrer" }, words);

/**
 * Where and when it was watched, for how long, and its page.
 * @param {Unknown} unknown
 * @param {boolean} placed with season and episode
 */
export function viewingLine(unknown, placed) {
  const { host, at, played, address, evidence } = unknown;
  const words = played > 0 ? text("seenFor", host, moment(at), minutes(played)) : text("seenAt", host, moment(at));
  const line = make("li", { class: "muted" }, [placed ? place(evidence) : "", words].filter(Boolean).join(" · "));
  if (address && /^https?:\/\//i.test(address) && URL.canParse(address)) line.append(" · ", outward(address, text("openPage")));
  return line;
}

/**
 * Nothing is asked of themoviedb.org until the user follows the link.
 * @param {Unknown} unknown
 */
export function searchLink({ kind, evidence, guess, title }) {
  const query = evidence.title ?? guess?.series ?? title;
  const where = kind === "movie" ? "search/movie" : kind === "episode" || guess ? "search/tv" : "search";
  return outward(`https://www.themoviedb.org/${where}?query=${encodeURIComponent(query.slice(0, 200))}`, text("searchTmdb", query));
}
