/** The sites that Filmspool may look at: none until the user allows one. */
import { api } from "./api.js";
import { request } from "./ask.js";
import { form, input, keep, make, part } from "./elements.js";
import { fault, onSubmit, say } from "./fields.js";
import { readSite, siteName } from "./typed.js";
import { text } from "./words.js";

/** @typedef {import("../messages.js").State} State */

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function sitesView(refresh) {
  const site = input("site");
  arrive(site);
  window.addEventListener("hashchange", () => arrive(site));
  onSubmit(form("site-form"), async () => {
    const origin = readSite(site.value);
    if (!origin) return fault(site, text(site.value.trim() ? "faultSite" : "faultSiteEmpty"));
    const trouble = await allow(origin);
    await refresh();
    if (trouble) return fault(site, trouble);
    site.value = "";
    say(text("siteAllowed", siteName(origin)));
  });
  return ({ sites }) => {
    part("sites-empty").hidden = sites.length > 0;
    keep(part("sites"), sites, ({ origin, granted }) => `${origin} ${granted}`, (entry) => row(entry, refresh));
  };
}

/**
 * The popup sends the site of the tab in front along.
 * @param {HTMLInputElement} site
 */
function arrive(site) {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("site");
  if (!wanted || !readSite(wanted)) return;
  site.value = wanted;
  history.replaceState(null, "", location.pathname);
  site.scrollIntoView({ block: "center" });
  site.focus();
}

/**
 * Asks the browser, which asks the user. The question must come before
 * anything is waited for, or it no longer belongs to the user's click.
 * @param {string} origin
 * @returns {Promise<string>} what is in the way; empty when it is allowed
 */
async function allow(origin) {
  try {
    if (!(await api.permissions.request({ origins: [origin] }))) return text("siteRefused", siteName(origin));
  } catch {
    return text("faultSite");
  }
  const answer = await request({ kind: "grant", origin });
  return answer.ok ? "" : answer.why;
}

/**
 * @param {{origin: string, granted: boolean}} site
 * @param {() => Promise<void>} refresh
 */
function row({ origin, granted }, refresh) {
  const name = siteName(origin);
  const again = make("button", { type: "button", "aria-label": text("siteAgainLabel", name), hidden: granted }, text("siteAgain"));
  again.addEventListener("click", async () => {
    const trouble = await allow(origin);
    await refresh();
    say(trouble || text("siteAllowed", name));
    part("sites-heading").focus();
  });
  const remove = make("button", { type: "button", class: "quiet", "aria-label": text("siteRemoveLabel", name) }, text("siteRemove"));
  remove.addEventListener("click", async () => {
    const answer = await request({ kind: "ungrant", origin });
    await refresh();
    say(answer.ok ? text("siteRemoved", name) : answer.why);
    part("sites-heading").focus();
  });
  const words = make("span", {}, make("bdi", { class: "site" }, name), " ",
    make("span", { class: granted ? "muted" : "withdrawn" }, text(granted ? "siteGranted" : "siteWithdrawn")));
  return make("li", {}, words, again, remove);
}
