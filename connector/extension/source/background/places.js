/** The sites of the grid "Where do you watch?". */
import { rules } from "../sites/index.js";

/** @typedef {import("../messages.js").Place} Place */

/**
 * @param {import("./health.js").HealthBook} health
 * @returns {Promise<Place[]>}
 */
export async function places(health) {
  const known = await health.all();
  return Object.entries(rules).filter(([, { grid }]) => grid !== false).map(([name, { label, hosts, seen = "" }]) => {
    const { lost, held = "" } = known[name] ?? {};
    return { name, label, hosts, seen: seen > held ? seen : held, ...(lost && { lost }) };
  });
}
