/** The sites of the grid "Where do you watch?". */
import { rules } from "../sites/index.js";

/** @typedef {import("../messages.js").Place} Place */

/** Sites that are read without a rule. @type {Place[]} */
const OTHERS = [{ name: "stremio", label: "Stremio", hosts: ["web.stremio.com", "web.strem.io", "app.strem.io"] }];

/**
 * @param {import("./health.js").HealthBook} health
 * @returns {Promise<Place[]>}
 */
export async function places(health) {
  const known = await health.all();
  const ruled = Object.entries(rules).map(([name, { label, hosts, seen }]) => {
    const { lost, held = "" } = known[name] ?? {};
    return { name, label, hosts, seen: seen > held ? seen : held, ...(lost && { lost }) };
  });
  return [...ruled, ...OTHERS];
}
