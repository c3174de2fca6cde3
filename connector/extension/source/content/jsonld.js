/**
 * Reads the films, episodes and videos that a page describes in JSON-LD, and
 * keeps only the fields that identify them. Lists of other works, such as
 * recommendations or all episodes of a season, are skipped.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text, address } = own.bounds;

  const MOST_SCRIPTS = 20;
  const MOST_CHARACTERS = 256 * 1024;
  const MOST_NODES = 300;
  const MOST_OBJECTS = 10;
  const MOST_DEPTH = 5;

  /** The types that are kept. */
  const wanted = new Set(["Movie", "TVEpisode", "Episode", "VideoObject"]);
  /** Properties that may contain the object that the page is about. */
  const containers = ["@graph", "mainEntity", "mainEntityOfPage", "about"];

  /**
   * @param {any} node
   * @returns {string} its type, without the prefix https://schema.org/
   */
  function typeOf(node) {
    const types = Array.isArray(node["@type"]) ? node["@type"].slice(0, 5) : [node["@type"]];
    const names = types.map((/** @type {unknown} */ type) => text(type, 100).replace(/^https?:\/\/schema\.org\//, ""));
    return names.find((/** @type {string} */ name) => wanted.has(name)) ?? names[0] ?? "";
  }

  /**
   * @param {any} value one address or a list of them
   * @param {string} base
   * @returns {string[]}
   */
  function addresses(value, base) {
    const all = Array.isArray(value) ? value.slice(0, 10) : [value];
    return all.map((one) => address(one, base)).filter((one) => one !== "");
  }

  /**
   * @param {any} value a number, or text that is one
   * @returns {number | undefined}
   */
  function whole(value) {
    const number = typeof value === "string" && /^\s*\d{1,5}\s*$/.test(value) ? Number(value) : value;
    return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  }

  /**
   * Keeps the fields that identify an object.
   * @param {any} node an object of JSON-LD
   * @param {string} base
   * @param {number} [depth] 0 for the object itself; more for its season and series
   * @returns {Record<string, any>}
   */
  function trim(node, base, depth = 0) {
    /** @type {Record<string, any>} */
    const out = { type: typeOf(node) };
    const name = text(node.name);
    if (name) out.name = name;
    const refs = [...addresses(node.sameAs, base), ...addresses(node["@id"], base), ...addresses(node.url, base)];
    if (refs.length > 0) out.refs = [...new Set(refs)].slice(0, 12);
    const date = text(node.datePublished ?? node.dateCreated, 40);
    if (date) out.date = date;
    const season = whole(node.seasonNumber);
    if (season !== undefined) out.season = season;
    const episode = whole(node.episodeNumber);
    if (episode !== undefined) out.episode = episode;
    const seconds = secondsOf(node.duration ?? node.timeRequired);
    if (seconds > 0) out.seconds = seconds;
    if (depth < 2) {
      const series = first(node.partOfSeries ?? node.partOfTVSeries);
      if (series) out.series = trim(series, base, depth + 1);
      const number = whole(node.partOfSeason);
      const part = number === undefined ? first(node.partOfSeason) : { "@type": "TVSeason", seasonNumber: number };
      if (part) out.partOfSeason = trim(part, base, depth + 1);
    }
    return out;
  }

  /**
   * @param {unknown} value a duration of ISO 8601, such as "PT1H30M"
   * @returns {number} seconds; 0 when it is not a duration
   */
  function secondsOf(value) {
    const form = /^P(?:(\d{1,2})D)?(?:T(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,6})(?:\.\d+)?S)?)?$/;
    const [days = 0, hours = 0, minutes = 0, seconds = 0] = form.exec(text(value, 40))?.slice(1).map((part) => Number(part ?? 0)) ?? [];
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  }

  /**
   * Finds the episode in a description that starts from the series: when it
   * contains one season with one episode, the page is that of the episode.
   * @param {any} series
   * @param {string} base the page's address
   * @returns {any} the episode with its season and series; null for lists, for other objects, and for the episode of another page
   */
  function onlyEpisode(series, base) {
    const season = only(series.containsSeason);
    const episode = only(season?.episode);
    const refs = addresses(episode?.url, base);
    if (!episode || (refs.length > 0 && !belongs({ refs }, base))) return null;
    return { "@type": "TVEpisode", ...episode, partOfSeries: series, partOfSeason: season };
  }

  /**
   * @param {any} value
   * @returns {any} the only object in it; null when there is none, or several
   */
  function only(value) {
    return Array.isArray(value) && value.length !== 1 ? null : first(value);
  }

  /**
   * @param {any} value an object, or a list of objects
   * @returns {any | null} the object, or the first one of the list
   */
  function first(value) {
    const one = Array.isArray(value) ? value[0] : value;
    return one && typeof one === "object" ? one : null;
  }

  /**
   * Collects the films, episodes and videos in a value.
   * @param {any} root the content of a script
   * @param {string} base the page's address
   * @param {Record<string, any>[]} found added to
   * @param {{nodes: number}} budget
   * @param {number} [depth]
   */
  function walk(root, base, found, budget, depth = 0) {
    if (!root || typeof root !== "object" || depth > MOST_DEPTH || found.length >= MOST_OBJECTS) return;
    if (--budget.nodes < 0) return;
    if (Array.isArray(root)) {
      for (const one of root.slice(0, MOST_NODES)) walk(one, base, found, budget, depth + 1);
      return;
    }
    const subject = wanted.has(typeOf(root)) ? root : onlyEpisode(root, base);
    if (subject) {
      found.push(trim(subject, base));
      return;
    }
    for (const container of containers) walk(root[container], base, found, budget, depth + 1);
  }

  /** @type {WeakMap<Element, {content: string, page: string}>} the page on which the content of a script was first seen */
  const seen = new WeakMap();

  /**
   * @param {Document} document
   * @returns {Element[]}
   */
  function scriptsOf(document) {
    return [...document.querySelectorAll('script[type="application/ld+json"]')].slice(0, MOST_SCRIPTS);
  }

  /**
   * Remembers on which page the content of each script was first seen: a
   * single-page site may keep the script of one page on the next.
   * @param {Document} document
   * @param {string} page its name now
   */
  function note(document, page) {
    for (const script of scriptsOf(document)) {
      const content = (script.textContent ?? "").slice(0, MOST_CHARACTERS + 1);
      if (seen.get(script)?.content !== content) seen.set(script, { content, page });
    }
  }

  /**
   * @param {Record<string, any>} object
   * @param {string} href
   * @returns {boolean} whether the object links to this page as its own
   */
  function belongs(object, href) {
    const path = href.split(/[?#]/)[0];
    return (object.refs ?? []).some((/** @type {string} */ ref) => ref.split(/[?#]/)[0] === path);
  }

  /**
   * Reads the objects that describe this page.
   * @param {Document} document
   * @param {string} page its name, as in note()
   * @returns {Record<string, any>[]}
   */
  function read(document, page) {
    note(document, page);
    /** @type {Record<string, any>[]} */
    const found = [];
    const base = document.location?.href ?? "";
    const budget = { nodes: MOST_NODES };
    for (const script of scriptsOf(document)) {
      const { content, page: at } = seen.get(script) ?? { content: "", page };
      if (content.length > MOST_CHARACTERS) continue;
      /** @type {Record<string, any>[]} */
      const objects = [];
      try {
        walk(JSON.parse(content), base, objects, budget);
      } catch {
        continue; // not JSON: nothing is known from it
      }
      found.push(...objects.filter((object) => at === page || belongs(object, base)));
    }
    return found.slice(0, MOST_OBJECTS);
  }

  /**
   * @param {Record<string, any>[]} objects from read()
   * @returns {number} the duration in seconds; NaN when there is none, or when there are several
   */
  function seconds(objects) {
    const told = new Set(objects.map((object) => object.seconds).filter((one) => one !== undefined));
    return told.size === 1 ? [...told][0] : NaN;
  }

  own.jsonld = { read, note, seconds };
})();
