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

/** @param {ArrayBuffer} bytes */
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
