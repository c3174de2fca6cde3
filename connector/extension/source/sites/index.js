/** Gives access to the rules of the sites and the media servers, by name. README.md describes them. */
import { files } from "./rules.js";

/** @param {boolean} ask @returns {Record<string, any>} the media servers, or the rules of sites */
const all = (ask) => Object.fromEntries(Object.entries(files).filter(([, { server }]) => Boolean(server) === ask));

export const rules = all(false);
export const servers = all(true);

/**
 * @param {string} href
 * @returns {({name: string} & Record<string, any>) | null} the rule of the host with its name, or null
 */
export function ruleFor(href) {
  const host = URL.canParse(href) ? new URL(href).hostname : "";
  const name = Object.keys(rules).find((one) => rules[one].hosts.includes(host));
  return name ? { name, ...rules[name] } : null;
}

/**
 * @param {string} href
 * @returns {string[]} the media servers that the page may be of, by its path: such servers have no fixed host
 */
export function serversFor(href) {
  if (!URL.canParse(href) || ruleFor(href)) return [];
  const { pathname } = new URL(href);
  return Object.keys(servers).filter((name) => new RegExp(servers[name].server, "u").test(pathname));
}
