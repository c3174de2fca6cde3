import { setTimeout as pause } from "node:timers/promises";

/**
 * Asks again and again until the condition gives something truthy, which is
 * returned. What it throws counts as "not yet", and is told when time is up.
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} condition
 * @param {number} [limit] milliseconds
 * @returns {Promise<NonNullable<Awaited<T>>>}
 */
export async function until(what, condition, limit = 20_000) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    try {
      last = await condition();
      if (last) {
        return last;
      }
    } catch (error) {
      last = error;
    }
    await pause(50);
  }
  const told = last instanceof Error ? last.stack : JSON.stringify(last);
  throw new Error(`not within ${limit} ms: ${what}; last: ${told}`);
}
