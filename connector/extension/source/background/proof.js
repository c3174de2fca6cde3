/**
 * How the daemon proves that it knows our token without our showing it:
 * HMAC-SHA256(SHA-256(token), nonce) in lower-case hexadecimal; token and
 * nonce are the bytes of their texts.
 */
const text = new TextEncoder();

/** @returns {string} 32 random bytes in base64url */
export function newNonce() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {string} token
 * @param {string} nonce
 * @returns {Promise<string>}
 */
export async function proofOf(token, nonce) {
  const hash = await crypto.subtle.digest("SHA-256", text.encode(token));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const proof = await crypto.subtle.sign("HMAC", key, text.encode(nonce));
  return hex(proof);
}

/**
 * What a knock binds itself to before it hears the daemon's nonce: SHA-256 of its own.
 * @param {string} nonce
 */
export const commitmentTo = async (nonce) => hex(await crypto.subtle.digest("SHA-256", text.encode(nonce)));

/**
 * The number of 6 digits that both sides show for a knock:
 * HMAC-SHA256(ours, theirs + ":" + port), its first 4 bytes modulo 1,000,000.
 * @param {string} ours
 * @param {string} theirs
 * @param {string} port that we have asked for
 */
export async function checkNumber(ours, theirs, port) {
  const key = await crypto.subtle.importKey("raw", text.encode(ours), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, text.encode(`${theirs}:${port}`));
  return String(new DataView(mac).getUint32(0) % 1_000_000).padStart(6, "0");
}

/** @param {ArrayBuffer} bytes */
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
