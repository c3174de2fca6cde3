/** The sites that Filmspool may look at, beside those of the grid: none until the user allows one. */
import { allow, names } from "./allow.js";
import { request } from "./ask.js";
import { coverage, grouped } from "./coverage.js";
import { form, input, keep, make, part } from "./elements.js";
import { fault, onSubmit, say } from "./fields.js";
import { patterns, PLACES } from "./places.js";
import { placesView } from "./places-view.js";
import { put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("./coverage.js").Group} Group
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
  /** @param {{label: string, example: string} | null} server */
  const label = (server) => {
    put(part("site-label"), server ? text("siteServer", server.label) : text("site"));
    put(part("site-hint"), server ? text("siteServerHint", server.example) : text("siteHint"));
  };
  const showPlaces = placesView(refresh, (server) => {
    label(server);
    site.focus();
  });
  return (state) => {
    const { sites } = state;
    showPlaces(state);
    const ticked = PLACES.flatMap(patterns);
    const groups = grouped(sites).filter(({ origins }) => !origins.every((origin) => ticked.includes(origin)));
    part("sites-empty").hidden = sites.some(({ granted }) => granted);
    keep(part("sites"), groups, (group) => JSON.stringify(group), (group) => row(group, refresh));
    if (!shown) arrive(site); // the list has its height only now
    shown = true;
  };
}

/**
 * The popup sends the site of the tab in front along.
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
 * @param {Group} group
 * @param {() => Promise<void>} refresh
 */
function row(group, refresh) {
  const { name, origins, withdrawn, missing, schemes } = group;
  const asks = (/** @type {HTMLButtonElement} */ button, /** @type {string[]} */ wanted) =>
    button.addEventListener("click", async () => {
      const trouble = await allow(wanted);
      await refresh();
      say(trouble || text("siteAllowed", names(wanted)));
      part("sites-heading").focus();
    });
  const again = make("button", { type: "button", "aria-label": text("siteAgainLabel", name), hidden: withdrawn.length === 0 }, text("siteAgain"));
  asks(again, withdrawn);
  const more = make("button", { type: "button", hidden: missing.length === 0 }, text("siteMore", names(missing)));
  asks(more, missing);
  const remove = make("button", { type: "button", class: "quiet", "aria-label": text("siteRemoveLabel", name) }, text("siteRemove"));
  remove.addEventListener("click", async () => {
    const answer = await request({ kind: "ungrant", origins });
    await refresh();
    say(answer.ok ? text("siteRemoved", name) : answer.why);
    part("sites-heading").focus();
  });
  const item = make("li", {}, about(group), more, again, remove);
  if (schemes.some((scheme) => scheme !== "https")) item.append(make("p", { class: "hint alarm" }, text("siteHttp")));
  return item;
}

/**
 * What is covered: names, schemes, and whether the browser still allows it.
 * @param {Group} group
 */
function about({ hosts, schemes, withdrawn }) {
  const named = hosts.flatMap((host, i) => [...(i > 0 ? [", "] : []), make("bdi", { class: "site" }, host)]);
  const standing = make("span", { class: withdrawn.length > 0 ? "withdrawn" : "muted" }, text(withdrawn.length > 0 ? "siteWithdrawn" : "siteGranted"));
  return make("span", {}, ...named, " ", make("span", { class: "muted" }, `(${schemes.join(", ")})`), " ", standing);
}
