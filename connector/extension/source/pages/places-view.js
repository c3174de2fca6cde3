/** The grid of sites to tick. A tick asks the browser for the site, and taking it away gives the site back. */
import { allow } from "./allow.js";
import { request } from "./ask.js";
import { input, keep, make, part } from "./elements.js";
import { say } from "./fields.js";
import { isMeant, PLACES, SERVERS, standing } from "./places.js";
import { month, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("./places.js").Place} Place
 * @typedef {typeof SERVERS[number]} Server
 *
 * @typedef {object} Tile
 * @property {HTMLElement} item
 * @property {{label: string, hosts?: string[]}} of what the tile is for
 * @property {(state: State) => void} show
 */

/**
 * @param {() => Promise<void>} refresh
 * @param {(server: Server) => void} other asks for the address of a server
 * @returns {(state: State) => void}
 */
export function placesView(refresh, other) {
  const search = input("place-search");
  /** @type {Map<string, Tile>} */
  const tiles = new Map();
  const sift = () => {
    for (const { item, of } of tiles.values()) item.hidden = !isMeant(of, search.value);
    part("places-none").hidden = [...tiles.values()].some(({ item }) => !item.hidden);
  };
  search.addEventListener("input", () => {
    sift();
    say(part("places-none").hidden ? "" : text("placesNone"));
  });
  return (state) => {
    const all = [...PLACES, ...SERVERS].sort((one, next) => one.label.localeCompare(next.label));
    keep(part("places"), all, ({ name }) => name, (place) => {
      const tile = "hosts" in place ? siteTile(place, refresh) : serverTile(place, other);
      tiles.set(place.name, tile);
      return tile.item;
    });
    for (const tile of tiles.values()) tile.show(state);
    sift();
  };
}

/**
 * @param {Place} place
 * @param {() => Promise<void>} refresh
 * @returns {Tile}
 */
function siteTile(place, refresh) {
  const { name, label, seen } = place;
  /** @type {State["sites"]} */
  let sites = [];
  let busy = false;
  const box = make("input", { type: "checkbox", id: `place-${name}`, "aria-describedby": `place-${name}-seen` });
  const told = make("p", { class: "hint", id: `place-${name}-seen` });
  box.addEventListener("change", async () => {
    const wanted = box.checked;
    if (busy) return void (box.checked = !wanted); // one after the other
    busy = true;
    const { missing, own } = standing(place, sites);
    const trouble = await (wanted ? allow(missing) : withdraw(own));
    busy = false;
    await refresh();
    if (trouble) return say(trouble);
    if (!wanted && box.checked) return say(text("placeWider", label));
    say(text(wanted ? "siteAllowed" : "siteRemoved", label));
  });
  return {
    item: make("li", {}, make("label", { class: "check" }, box, " ", make("span", {}, label)), told),
    of: place,
    show(state) {
      sites = state.sites;
      const { allowed } = standing(place, sites);
      box.checked = allowed === "all";
      box.indeterminate = allowed === "some";
      const parts = [allowed === "some" && text("placeSome"), seen && text("placeSeen", month(seen))];
      told.textContent = parts.filter(Boolean).join(" · ");
    },
  };
}

/**
 * @param {string[]} origins
 * @returns {Promise<string>} what is in the way
 */
async function withdraw(origins) {
  if (origins.length === 0) return "";
  const answer = await request({ kind: "ungrant", origins });
  return answer.ok ? "" : answer.why;
}

/**
 * @param {Server} server
 * @param {(server: Server) => void} other
 * @returns {Tile}
 */
function serverTile(server, other) {
  const button = make("button", { type: "button", id: `place-${server.name}` }, text("placeServer", server.label));
  button.addEventListener("click", () => other(server));
  return { item: make("li", {}, button), of: server, show() {} };
}
