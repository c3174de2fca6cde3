/** What the user types, made sense of; null or a fault where there is none. */

/**
 * A pairing code: capitals, spaces and dashes do not matter.
 * @param {string} typed
 * @returns {string | null}
 */
export function readCode(typed) {
  const code = typed.replace(/[\s\p{Pd}]/gu, "").toUpperCase();
  return /^[2-9A-HJ-NP-Z]{8}$/.test(code) ? code : null;
}

/**
 * The daemon's address: host:port, a port alone, or what a browser's address
 * bar shows. Only this computer.
 * @param {string} typed
 * @returns {string | null}
 */
export function readAddress(typed) {
  const bare = typed.trim().replace(/^\w+:\/\//, "").replace(/\/.*$/, "");
  const [, host = "127.0.0.1", port] = /^(?:(127\.0\.0\.1|localhost):)?(\d{1,5})$/.exec(bare) ?? [];
  if (!port || Number(port) < 1 || Number(port) > 65_535) return null;
  return `${host}:${Number(port)}`;
}

/**
 * A whole number from least to most.
 * @param {string} typed
 * @param {number} least
 * @param {number} most
 * @returns {number | null}
 */
export function readWhole(typed, least, most) {
  const trimmed = typed.trim();
  if (!/^\d{1,6}$/.test(trimmed)) return null;
  const n = Number(trimmed);
  return n >= least && n <= most ? n : null;
}

/**
 * RFC 3339 with this computer's offset at that moment.
 * @param {Date} when
 */
export function withOffset(when) {
  const east = -when.getTimezoneOffset();
  const local = new Date(when.getTime() + east * 60_000).toISOString().slice(0, 19);
  const two = (/** @type {number} */ n) => String(Math.floor(Math.abs(n))).padStart(2, "0");
  return `${local}${east < 0 ? "-" : "+"}${two(east / 60)}:${two(east % 60)}`;
}
