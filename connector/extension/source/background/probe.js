/**
 * Who listens at the daemon's address? Asked by fetch before every socket:
 * browsers delay sockets to an address that has failed repeatedly, for
 * seconds and more, but not fetches.
 */
import { LinkProblem } from "./problem.js";

const TIMEOUT = 5000;
const MOST_BYTES = 4096;

/** The version of the protocol that this extension speaks. */
export const PROTOCOL = 1;

/**
 * @param {unknown} health
 * @returns {health is {service: string, version: string, protocol: unknown[]}}
 */
function isOurs(health) {
  if (typeof health !== "object" || health === null) return false;
  const { service, version, protocol } = /** @type {Record<string, unknown>} */ (health);
  return service === "filmspool" && typeof version === "string" && Array.isArray(protocol);
}

/**
 * Reads a short answer. What is longer is not the daemon's.
 * @param {Response} response
 * @returns {Promise<unknown>}
 */
async function readShort(response) {
  const reader = response.body?.getReader();
  if (!reader) return null;
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return JSON.parse(text + decoder.decode());
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_BYTES) {
      await reader.cancel();
      return null;
    }
  }
}

/**
 * @param {typeof globalThis.fetch} fetch
 * @param {string} address host:port
 * @returns {Promise<string>} the daemon's version
 * @throws {LinkProblem} offline, stranger or old
 */
export async function probe(fetch, address) {
  const url = `http://${address}/v1/health`;
  /** @type {RequestInit} */
  const how = { cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer" };
  const signal = AbortSignal.timeout(TIMEOUT);
  let health;
  try {
    const response = await fetch(url, { ...how, signal });
    health = await readShort(response);
  } catch {
    if (await listens(fetch, url)) throw stranger(address);
    throw new LinkProblem("offline", "OFFLINE", `Nothing answers at ${address}. Is Filmspool running?`);
  }
  if (!isOurs(health)) throw stranger(address);
  if (!health.protocol.includes(PROTOCOL)) {
    throw new LinkProblem("old", "UNSUPPORTED_VERSION", "Filmspool and this extension are of different ages. Update the older one.");
  }
  return health.version.slice(0, 40);
}

/** @param {string} address */
const stranger = (address) =>
  new LinkProblem("stranger", "STRANGER", `Another program answers at ${address}, not Filmspool.`);

/**
 * Tells "nothing there" from "something that may not be read": to a script
 * both are the same failure unless the answer is not asked for.
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 */
async function listens(fetch, url) {
  try {
    const response = await fetch(url, { mode: "no-cors", cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(1000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
