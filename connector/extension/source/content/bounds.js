/**
 * Checks values that come from a page, which may contain anything: only texts,
 * addresses and numbers of the expected type and size are used.
 */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Invisible characters in titles, which set the direction of the text or allow a line break. */
  const SHAPELESS = /[\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069]/g;

  /**
   * Cleans a text.
   * @param {unknown} value
   * @param {number} [most] characters
   * @returns {string} trimmed and cut; "" when the value is not a string
   */
  function text(value, most = 300) {
    if (typeof value !== "string") return "";
    const cut = value.slice(0, most * 4).replace(SHAPELESS, "").replace(/\s+/g, " ").trim();
    return cut.slice(0, most).replace(/\p{Surrogate}/gu, ""); // removes half surrogate pairs
  }

  /**
   * Checks an address.
   * @param {unknown} value
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
   * Makes a UUID of version 4. crypto.randomUUID does not exist on pages over http.
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
   * Formats a time.
   * @param {Date} date
   * @returns {string} RFC 3339 to the second, with the local offset
   */
  function stamp(date) {
    const minutes = -date.getTimezoneOffset();
    const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 19);
    const part = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, "0");
    const size = Math.abs(minutes);
    return `${local}${minutes < 0 ? "-" : "+"}${part(size / 60)}:${part(size % 60)}`;
  }

  /** Parameters of an address that do not say which film it is, such as the position in it. */
  const ignored = new Set(["t", "time", "start", "begin", "position", "pos", "resume", "quality", "autoplay", "volume"]);

  /** @param {string} part of a query: "name=value" @returns {boolean} whether it belongs to the name of the page */
  function isNaming(part) {
    const name = part.split("=", 1)[0];
    return part !== "" && !ignored.has(name) && !name.startsWith("utm_");
  }

  /**
   * Names a page: returns its address without the parts that change while one
   * film plays. The fragment is kept when it is used as a path. The query is
   * split as text, because Firefox does not let content scripts iterate over
   * URLSearchParams.keys().
   * @param {string} href
   * @returns {string}
   */
  function page(href) {
    if (!URL.canParse(href)) return "";
    const url = new URL(href);
    const parts = url.search.slice(1).split("&").filter(isNaming);
    const query = parts.length > 0 ? `?${parts.join("&")}` : "";
    const route = /^#!?\//.test(url.hash) ? url.hash : "";
    return `${url.origin}${url.pathname}${query}${route}`;
  }

  own.bounds = { text, address, uuid, stamp, page };
})();
