/** Shows the sites that Filmspool may access: a grid of known sites, and a list of others. None is allowed at first. */
import { allow, names, request } from "./ask.js";
import { fault, form, input, keep, make, onSubmit, part, say } from "./elements.js";
import { coverage, grouped, isMeant, patterns, PLACES, SERVERS, standing } from "./sites.js";
import { month, put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("./sites.js").Group} Group
 * @typedef {import("./sites.js").Place} Place
 * @typedef {typeof SERVERS[number]} Server
 */

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function sitesView(refresh) {
  const site = input("site");
  let shown = false;
  window.addEventListener("hashchange", () => arrive(site));
  onSubmit(form("site-form"), async () => {
    const origins = coverage(site.value);
    if (!origins) return fault(site, text(site.value.trim() ? "faultSite" : "faultSiteEmpty"));
    const trouble = await allow(origins);
    await refresh();
    if (trouble) return fault(site, trouble);
    site.value = "";
    label(null);
    say(text("siteAllowed", names(origins)));
  });
  /** @param {Server | null} server */
  const label = (server) => {
    put(part("site-label"), server ? text("siteServer", server.label) : text("site"));
    put(part("site-hint"), server ? text("siteServerHint", server.example) : text("siteHint"));
  };
  const showGrid = gridView(refresh, (server) => {
    label(server);
    site.focus();
  });
  return (state) => {
    showGrid(state);
    const ticked = PLACES.flatMap(patterns);
    const groups = grouped(state.sites).filter(({ origins }) => !origins.every((origin) => ticked.includes(origin)));
    part("sites-empty").hidden = state.sites.some(({ granted }) => granted);
    keep(part("sites"), groups, (group) => JSON.stringify(group), (group) => row(group, refresh));
    if (!shown) arrive(site); // scrolls, so the list must have its height
    shown = true;
  };
}

/**
 * Fills in the site that the popup has passed in the fragment of the address.
 * @param {HTMLInputElement} site
 */
function arrive(site) {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("site");
  if (!wanted || !coverage(wanted)) return;
  site.value = wanted;
  history.replaceState(null, "", location.pathname);
  site.scrollIntoView({ block: "center" });
  site.focus({ preventScroll: true });
}

/**
 * Makes the row of a site that was typed: the names that it covers, and whether the browser still allows it.
 * @param {Group} group
 * @param {() => Promise<void>} refresh
 */
function row({ name, hosts, origins, withdrawn, missing, schemes }, refresh) {
  const act = (/** @type {HTMLButtonElement} */ button, /** @type {() => Promise<string>} */ run, /** @type {string} */ done) =>
    button.addEventListener("click", async () => {
      const trouble = await run();
      await refresh();
      say(trouble || done);
      part("sites-heading").focus();
    });
  const again = make("button", { type: "button", "aria-label": text("siteAgainLabel", name), hidden: withdrawn.length === 0 }, text("siteAgain"));
  const more = make("button", { type: "button", hidden: missing.length === 0 }, text("siteMore", names(missing)));
  const remove = make("button", { type: "button", class: "quiet", "aria-label": text("siteRemoveLabel", name) }, text("siteRemove"));
  act(again, () => allow(withdrawn), text("siteAllowed", names(withdrawn)));
  act(more, () => allow(missing), text("siteAllowed", names(missing)));
  act(remove, () => request({ kind: "ungrant", origins }), text("siteRemoved", name));
  const named = hosts.flatMap((host, i) => [...(i > 0 ? [", "] : []), make("bdi", { class: "site" }, host)]);
  const stands = make("span", { class: withdrawn.length > 0 ? "withdrawn" : "muted" }, text(withdrawn.length > 0 ? "siteWithdrawn" : "siteGranted"));
  const item = make("li", {}, make("span", {}, ...named, " ", make("span", { class: "muted" }, `(${schemes.join(", ")})`), " ", stands), more, again, remove);
  if (schemes.some((scheme) => scheme !== "https")) item.append(make("p", { class: "hint alarm" }, text("siteHttp")));
  return item;
}

/**
 * Makes the grid. Ticking a site asks the browser for permission, and unticking gives the permission back.
 * @param {() => Promise<void>} refresh
 * @param {(server: Server) => void} other called when the user chooses a kind of media server
 * @returns {(state: State) => void}
 */
function gridView(refresh, other) {
  const search = input("place-search");
  const all = [...PLACES, ...SERVERS].sort((one, next) => one.label.localeCompare(next.label));
  const tiles = all.map((of) => ({ of, ..."hosts" in of ? siteTile(of, refresh) : serverTile(of, other) }));
  part("places").append(...tiles.map(({ item }) => item));
  const sift = () => {
    for (const { item, of } of tiles) item.hidden = !isMeant(of, search.value);
    part("places-none").hidden = tiles.some(({ item }) => !item.hidden);
  };
  search.addEventListener("input", () => {
    sift();
    say(part("places-none").hidden ? "" : text("placesNone"));
  });
  return (state) => {
    for (const { show } of tiles) show(state);
    sift();
  };
}

/**
 * @param {Place} place
 * @param {() => Promise<void>} refresh
 */
function siteTile(place, refresh) {
  const { name, label, seen } = place;
  /** @type {State["sites"]} */
  let sites = [];
  let busy = false;
  const box = make("input", { type: "checkbox", id: `place-${name}`, "aria-describedby": `place-${name}-seen` });
  const hint = make("p", { class: "hint", id: `place-${name}-seen` });
  box.addEventListener("change", async () => {
    const wanted = box.checked;
    if (busy) return void (box.checked = !wanted); // one change at a time
    busy = true;
    const { missing, own } = standing(place, sites);
    const trouble = await (wanted ? allow(missing) : own.length > 0 ? request({ kind: "ungrant", origins: own }) : "");
    busy = false;
    await refresh();
    if (trouble) return say(trouble);
    if (!wanted && box.checked) return say(text("placeWider", label));
    say(text(wanted ? "siteAllowed" : "siteRemoved", label));
  });
  return {
    item: make("li", {}, make("label", { class: "check" }, box, " ", make("span", {}, label)), hint),
    show(/** @type {State} */ state) {
      sites = state.sites;
      const { allowed } = standing(place, sites);
      box.checked = allowed === "all";
      box.indeterminate = allowed === "some";
      hint.textContent = [allowed === "some" && text("placeSome"), seen && text("placeSeen", month(seen))].filter(Boolean).join(" · ");
    },
  };
}

/**
 * @param {Server} server
 * @param {(server: Server) => void} other
 */
function serverTile(server, other) {
  const button = make("button", { type: "button", id: `place-${server.name}` }, text("placeServer", server.label));
  button.addEventListener("click", () => other(server));
  return { item: make("li", {}, button), show() {} };
}
