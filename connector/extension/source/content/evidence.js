/** Reads what a page says about what it plays. Nothing is judged here. */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text, address } = own.bounds;

  const MOST_LINKS = 20;
  const MOST_HEADINGS = 3;
  /** Links looked at; a page with more says nothing certain by them. */
  const MOST_ANCHORS = 200;

  /** Links that may name a work. */
  const LINKS = 'a[href*="themoviedb.org/"], a[href*="imdb.com/title/"]';
  const NAMES = /^https?:\/\/(?:www\.)?themoviedb\.org\/(?:movie|tv)\/\d|^https?:\/\/(?:[a-z]+\.)?imdb\.com\/(?:[a-z]{2}\/)?title\/tt\d/;

  /** @returns {{title: string, artist: string, album: string} | null} */
  function mediaSession() {
    try {
      const metadata = navigator.mediaSession?.metadata;
      if (!metadata) return null;
      const said = { title: text(metadata.title), artist: text(metadata.artist), album: text(metadata.album) };
      return said.title || said.artist || said.album ? said : null;
    } catch {
      return null;
    }
  }

  /**
   * Links that can be seen: single-page sites keep the pages before hidden.
   * @param {Document} document
   * @returns {string[]}
   */
  function links(document) {
    const found = new Set();
    for (const anchor of [...document.querySelectorAll(LINKS)].slice(0, MOST_ANCHORS)) {
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
   * @returns {string[]} the texts of such elements, as far as they can be seen
   */
  function shown(document, selector) {
    const found = new Set();
    for (const heading of [...document.querySelectorAll(selector)].slice(0, MOST_ANCHORS)) {
      if (heading.checkVisibility?.({ visibilityProperty: true }) === false) continue;
      const words = text(heading.textContent);
      if (words) found.add(words);
      if (found.size >= MOST_HEADINGS) break;
    }
    return [...found];
  }

  /**
   * @param {Document} document
   * @returns {string[]} what else may name it: what the page tells other sites it is called, and smaller headings
   */
  function mentions(document) {
    const told = text(document.querySelector('meta[property="og:title"]')?.getAttribute("content"));
    return [...(told ? [told] : []), ...shown(document, "h2, h3, h4, [role=heading]")];
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
   * Of a frame and the page around it, where the two may see each other.
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
   * Leaves out what was read before the address or the medium changed: pages keep showing it for seconds or for good.
   * @param {import("../messages.js").Evidence} said
   * @param {import("../messages.js").Evidence[]} before
   * @returns {import("../messages.js").Evidence}
   */
  function without(said, before) {
    const each = (/** @type {any} */ one) => Object.entries(one).flatMap(([name, value]) => [value].flat().map((part) => JSON.stringify([name, part])));
    const old = new Set(before.flatMap(each));
    const isNew = (/** @type {string} */ name, /** @type {any} */ part) => !old.has(JSON.stringify([name, part]));
    const fresh = Object.entries(said).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.filter((part) => isNew(name, part))];
      return [name, isNew(name, value) ? value : name === "title" ? "" : NONE[/** @type {keyof typeof NONE} */ (name)]];
    });
    return Object.fromEntries(fresh);
  }

  /**
   * Players hide their words with their controls. What was said of an item holds until something else is said of it.
   * @param {import("../messages.js").Evidence} before
   * @param {import("../messages.js").Evidence} said
   * @returns {import("../messages.js").Evidence}
   */
  function kept(before, said) {
    const both = (/** @type {"headings" | "mentions"} */ name) => [...before[name].filter((words) => !said[name].includes(words)), ...said[name]];
    return {
      ...said,
      title: said.title || before.title,
      mediaSession: said.mediaSession ?? before.mediaSession,
      headings: both("headings").slice(0, MOST_HEADINGS),
      mentions: both("mentions").slice(0, MOST_HEADINGS + 1),
    };
  }

  own.evidence = { NONE, read, joined, mediaSession, without, kept };
})();
