/** Collects the evidence on a page for what it plays: titles, headings, links, structured data. Other files interpret it. */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text, address } = own.bounds;

  const MOST_LINKS = 20;
  const MOST_HEADINGS = 3;
  /** The most links and headings that are read. */
  const MOST_ELEMENTS = 200;

  /** Links that may identify a film or a series. */
  const LINKS = 'a[href*="themoviedb.org/"], a[href*="imdb.com/title/"]';
  const NAMES = /^https?:\/\/(?:www\.)?themoviedb\.org\/(?:movie|tv)\/\d|^https?:\/\/(?:[a-z]+\.)?imdb\.com\/(?:[a-z]{2}\/)?title\/tt\d/;

  /** @returns {{title: string, artist: string, album: string} | null} the metadata of the media session */
  function mediaSession() {
    try {
      const metadata = navigator.mediaSession?.metadata;
      if (!metadata) return null;
      const values = { title: text(metadata.title), artist: text(metadata.artist), album: text(metadata.album) };
      return values.title || values.artist || values.album ? values : null;
    } catch {
      return null;
    }
  }

  /**
   * Reads the visible links: single-page sites keep earlier pages in the document, hidden.
   * @param {Document} document
   * @returns {string[]}
   */
  function links(document) {
    const found = new Set();
    for (const anchor of [...document.querySelectorAll(LINKS)].slice(0, MOST_ELEMENTS)) {
      if (anchor.checkVisibility?.({ visibilityProperty: true }) === false) continue;
      const href = address(anchor.getAttribute("href"), document.location.href).split(/[?#]/)[0];
      if (NAMES.test(href)) found.add(href);
      if (found.size >= MOST_LINKS) break;
    }
    return [...found];
  }

  /**
   * @param {Document} document
   * @param {string} selector
   * @returns {string[]} the texts of the visible elements, each once
   */
  function shown(document, selector) {
    const found = new Set();
    for (const heading of [...document.querySelectorAll(selector)].slice(0, MOST_ELEMENTS)) {
      if (heading.checkVisibility?.({ visibilityProperty: true }) === false) continue;
      const words = text(heading.textContent);
      if (words) found.add(words);
      if (found.size >= MOST_HEADINGS) break;
    }
    return [...found];
  }

  /**
   * @param {Document} document
   * @returns {string[]} og:title and smaller headings
   */
  function mentions(document) {
    const title = text(document.querySelector('meta[property="og:title"]')?.getAttribute("content"));
    return [...(title ? [title] : []), ...shown(document, "h2, h3, h4, [role=heading]")];
  }

  /**
   * @param {Document} document
   * @returns {{tmdbId?: string, tmdbType?: string}}
   */
  function attributes(document) {
    /** @type {{tmdbId?: string, tmdbType?: string}} */
    const found = {};
    const body = document.body;
    const id = text(body?.getAttribute?.("data-tmdb-id"), 20);
    const type = text(body?.getAttribute?.("data-tmdb-type"), 20);
    if (id) found.tmdbId = id;
    if (type) found.tmdbType = type;
    return found;
  }

  /** @type {import("../messages.js").Evidence} */
  const NONE = { jsonld: [], mediaSession: null, links: [], attributes: {}, provider: null, headings: [], mentions: [] };

  /**
   * @param {Document} document
   * @param {string} page the document's name
   * @returns {import("../messages.js").Evidence}
   */
  function read(document, page) {
    return {
      ...NONE,
      title: text(document.title),
      jsonld: own.jsonld.read(document, page),
      mediaSession: mediaSession(),
      links: links(document),
      attributes: attributes(document),
      headings: shown(document, "h1"),
      mentions: mentions(document),
    };
  }

  /**
   * Joins the evidence of a frame and of the page around it, when both are of one origin.
   * @param {import("../messages.js").Evidence} page
   * @param {import("../messages.js").Evidence} frame
   * @returns {import("../messages.js").Evidence}
   */
  function joined(page, frame) {
    return {
      ...page,
      jsonld: [...page.jsonld, ...frame.jsonld].slice(0, 10),
      mediaSession: frame.mediaSession ?? page.mediaSession,
      links: [...new Set([...page.links, ...frame.links])].slice(0, MOST_LINKS),
      attributes: { ...frame.attributes, ...page.attributes },
      headings: [...new Set([...page.headings, ...frame.headings])].slice(0, MOST_HEADINGS),
      mentions: [...new Set([...page.mentions, ...frame.mentions])].slice(0, MOST_HEADINGS + 1),
    };
  }

  /**
   * Leaves out what was shown before the address or the medium changed: pages keep showing it for seconds, or for good.
   * @param {import("../messages.js").Evidence} now
   * @param {import("../messages.js").Evidence[]} before
   * @returns {import("../messages.js").Evidence}
   */
  function without(now, before) {
    const each = (/** @type {any} */ one) => Object.entries(one).flatMap(([name, value]) => [value].flat().map((part) => JSON.stringify([name, part])));
    const old = new Set(before.flatMap(each));
    const isNew = (/** @type {string} */ name, /** @type {any} */ part) => !old.has(JSON.stringify([name, part]));
    const fresh = Object.entries(now).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.filter((part) => isNew(name, part))];
      return [name, isNew(name, value) ? value : name === "title" ? "" : NONE[/** @type {keyof typeof NONE} */ (name)]];
    });
    return Object.fromEntries(fresh);
  }

  /**
   * Adds earlier evidence of the same session, because players hide titles together with their controls.
   * @param {import("../messages.js").Evidence} before
   * @param {import("../messages.js").Evidence} now
   * @returns {import("../messages.js").Evidence}
   */
  function kept(before, now) {
    const both = (/** @type {"headings" | "mentions"} */ name) => [...before[name].filter((words) => !now[name].includes(words)), ...now[name]];
    return {
      ...now,
      title: now.title || before.title,
      mediaSession: now.mediaSession ?? before.mediaSession,
      headings: both("headings").slice(0, MOST_HEADINGS),
      mentions: both("mentions").slice(0, MOST_HEADINGS + 1),
    };
  }

  own.evidence = { NONE, read, joined, mediaSession, without, kept };
})();
