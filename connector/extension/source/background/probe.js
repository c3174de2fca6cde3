/**
 * Checks over HTTP whether the daemon answers at its address, before a socket is opened. Browsers delay sockets to an
 * address that has failed repeatedly, for seconds or more, but they do not delay fetch().
 */
import { LinkProblem } from "./socket.js";

const TIMEOUT = 5000;
const MAX_BYTES = 4096;

/** The version of the protocol that this extension speaks. */
export const PROTOCOL = 1;

/**
 * Reads a short JSON answer. A longer one is not from the daemon.
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function readShort(response) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return JSON.parse(text);
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_BYTES) {
      await reader.cancel();
      return null;
    }
  }
}

/**
 * Asks the daemon for its version.
 * @param {typeof globalThis.fetch} fetch
 * @param {string} address host:port
 * @returns {Promise<string>} the version
 * @throws {LinkProblem} offline, stranger or old
 */
export async function probe(fetch, address) {
  const url = `http://${address}/v1/health`;
  /** @type {RequestInit} */
  const how = { cache: "no-store", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer" };
  let health;
  try {
    health = await readShort(await fetch(url, { ...how, signal: AbortSignal.timeout(TIMEOUT) }));
  } catch {
    throw new LinkProblem((await listens(fetch, url)) ? "stranger" : "offline");
  }
  if (health?.service !== "filmspool" || typeof health.version !== "string" || !Array.isArray(health.protocol)) throw new LinkProblem("stranger");
  if (!health.protocol.includes(PROTOCOL)) throw new LinkProblem("old", "UNSUPPORTED_VERSION");
  return health.version.slice(0, 40);
}

/**
 * Reports whether anything listens at the address. A normal fetch() fails in the same way when nothing listens and when
 * the answer may not be read; with "no-cors" only the former fails.
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

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/**
 * Computes the proof that the daemon knows the token:
 * HMAC-SHA256(SHA-256(token), nonce) in lower-case hexadecimal.
 * @param {string} token
 * @param {string} nonce
 * @returns {Promise<string>}
 */
export async function proofOf(token, nonce) {
  const hash = await crypto.subtle.digest("SHA-256", bytes(token));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, bytes(nonce)));
}

/** @param {string} text @returns {Promise<string>} its SHA-256, in hexadecimal */
export const hashOf = async (text) => hex(await crypto.subtle.digest("SHA-256", bytes(text)));

/** @param {ArrayBuffer} buffer */
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
