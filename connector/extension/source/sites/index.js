/** The rules of the sites, by name. README.md tells how one is written and tested. */
import { rules } from "./rules.js";

export { rules };

/**
 * @param {string} href
 * @returns {({name: string} & Record<string, any>) | null} the rule of the address's host, with its name
 */
export function ruleFor(href) {
  const host = URL.canParse(href) ? new URL(href).hostname : "";
  const name = Object.keys(rules).find((one) => rules[one].hosts.includes(host));
  return name ? { name, ...rules[name] } : null;
}
