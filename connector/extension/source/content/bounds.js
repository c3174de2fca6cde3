/**
 * What a page says is foreign: only what has the expected type and size is
 * read, and everything taken from it goes through here.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Signs without a shape that pages put around titles, to set their direction or to break lines. */
  const SHAPELESS = /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069]/g;

  /**
   * @param {unknown} value
   * @param {number} [most] characters
   * @returns {string} trimmed and cut; "" when it is no text
   */
  function text(value, most = 300) {
    if (typeof value !== "string") return "";
    const cut = value.slice(0, most * 4).replace(SHAPELESS, "").replace(/\s+/g, " ").trim();
    return cut.slice(0, most).replace(/\p{Surrogate}/gu, ""); // halves of a pair are no text
  }

  /**
   * @param {unknown} value an address, or what is none
   * @param {string} [base]
   * @returns {string} an http address of at most 2,000 characters, without user and password; or ""
   */
  function address(value, base) {
    if (typeof value !== "string" || value.length > 2000) return "";
    try {
      const url = new URL(value, base);
      if (url.protocol !== "https:" && url.protocol !== "http:") return "";
      url.username = "";
      url.password = "";
      return url.href;
    } catch {
      return "";
    }
  }

  /**
   * A UUID, version 4. crypto.randomUUID is missing on pages over http.
   * @returns {string}
   */
  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  /**
   * @param {Date} date
   * @returns {string} RFC 3339 to the second, with the offset of this place
   */
  function stamp(date) {
    const minutes = -date.getTimezoneOffset();
    const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 19);
    const part = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, "0");
    const size = Math.abs(minutes);
    return `${local}${minutes < 0 ? "-" : "+"}${part(size / 60)}:${part(size % 60)}`;
  }

  /** Parts of an address that say where in a film it is, not which film. */
  const passing = new Set(["t", "time", "start", "begin", "position", "pos", "resume", "quality", "autoplay", "volume"]);

  /** @param {string} part of a query: "name=value" @returns {boolean} whether it names the page */
  function lasting(part) {
    const name = part.split("=", 1)[0];
    return part !== "" && !passing.has(name) && !name.startsWith("utm_");
  }

  /**
   * Names a page: its address without what changes while one film plays. The
   * fragment counts where it is used as a path. The query is read as text:
   * Firefox does not let a content script walk through URLSearchParams.keys().
   * @param {string} href
   * @returns {string}
   */
  function page(href) {
    if (!URL.canParse(href)) return "";
    const url = new URL(href);
    const parts = url.search.slice(1).split("&").filter(lasting);
    const query = parts.length > 0 ? `?${parts.join("&")}` : "";
    const route = /^#!?\//.test(url.hash) ? url.hash : "";
    return `${url.origin}${url.pathname}${query}${route}`;
  }

  own.bounds = { text, address, uuid, stamp, page };
})();
