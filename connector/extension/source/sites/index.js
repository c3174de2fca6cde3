/** The rules of the sites, by name. README.md tells how one is written and tested. */
import appletv from "./appletv.json" with { type: "json" };
import disneyplus from "./disneyplus.json" with { type: "json" };
import hbomax from "./hbomax.json" with { type: "json" };
import netflix from "./netflix.json" with { type: "json" };
import primevideo from "./primevideo.json" with { type: "json" };

/** @type {Record<string, any>} */
export const rules = { appletv, disneyplus, hbomax, netflix, primevideo };

/**
 * @param {string} href
 * @returns {({name: string} & Record<string, any>) | null} the rule of the address's host, with its name
 */
export function ruleFor(href) {
  const host = URL.canParse(href) ? new URL(href).hostname : "";
  const name = Object.keys(rules).find((one) => rules[one].hosts.includes(host));
  return name ? { name, ...rules[name] } : null;
}
