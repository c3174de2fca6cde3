/**
 * Reads a page by the rule of its site. Rules are JSON files of this package;
 * sites/README.md describes them. This file only extracts texts and numbers;
 * identify/site.js interprets them.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text } = own.bounds;

  /** The parts that a source of a rule may give. */
  const PARTS = ["kind", "name", "series", "film", "place", "season", "episode", "title", "year", "titleNumber", "seriesNumber"];
  const MOST_ELEMENTS = 20;
  const MOST_DATA = 4_000_000;

  /** @returns {(Document | ShadowRoot)[]} the document and its shadow roots */
  const roots = () => own.parts?.finder.roots ?? [document];

  /**
   * @param {any} node
   * @param {string | undefined} selector
   * @returns {Element | null} the closest matching ancestor, also outside of the shadow root
   */
  function closest(node, selector) {
    for (let one = node; selector && one; one = one.parentNode ?? one.host) {
      if (one.nodeType === 1 && one.matches(selector)) return one;
    }
    return null;
  }

  /**
   * @param {Element} inner
   * @param {Element} outer
   * @returns {boolean} whether outer contains inner, also across shadow roots
   */
  function within(inner, outer) {
    for (let one = /** @type {any} */ (inner); one; one = one.parentNode ?? one.host) {
      if (one === outer) return true;
    }
    return false;
  }

  /** @param {any} element @returns {boolean} */
  const visible = (element) => element.checkVisibility?.({ visibilityProperty: true }) !== false;

  /** @param {string | undefined} selector @returns {boolean} whether a visible element matches */
  function shown(selector, is = visible) {
    return selector !== undefined && roots().some((tree) => [...tree.querySelectorAll(selector)].slice(0, MOST_ELEMENTS).some(is));
  }

  /** @param {Element} element @returns {boolean} whether it is visible and has text */
  const hasText = (element) => visible(element) && (element.textContent ?? "").trim() !== "";

  /** @type {WeakMap<Element, any>} the parsed content of JSON scripts */
  const parsed = new WeakMap();

  /** Reads a value in a JSON script. @param {Element} script @param {string[]} path property names @returns {unknown} */
  function data(script, path) {
    if (!parsed.has(script)) {
      const content = script.textContent ?? "";
      try {
        parsed.set(script, content.length > MOST_DATA ? null : JSON.parse(content));
      } catch {
        parsed.set(script, null);
      }
    }
    const value = path.reduce((object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined), parsed.get(script));
    return typeof value === "number" ? String(value) : value;
  }

  /**
   * Reads the text, an attribute or a JSON value of an element.
   * @param {any} element
   * @param {{attribute?: string, path?: string, pattern?: string}} part
   * @returns {string}
   */
  function readElement(element, { attribute, path, pattern }) {
    const whole = path ? data(element, path.split(".")) : attribute ? element.getAttribute(attribute) : element.textContent;
    const words = text(whole);
    return pattern === undefined ? words : text(new RegExp(pattern, "u").exec(words)?.[1]);
  }

  /**
   * Reads one part, from all matching elements or else from the visible ones.
   * @param {any} rule
   * @param {any} part a selector, an object that says how to read it, or a list of these in order of preference
   * @param {Element | null} scope elements outside of it are ignored
   * @returns {string} "" when there is no text, or when there are different ones
   */
  function readPart(rule, part, scope) {
    for (const each of Array.isArray(part) ? part : [part]) {
      const how = typeof each === "string" ? { selector: each } : each;
      const found = roots().flatMap((tree) => [...tree.querySelectorAll(how.selector)].slice(0, MOST_ELEMENTS))
        .filter((element) => (!scope || within(element, scope)) && !closest(element, rule.upNext));
      for (const some of [found, found.filter(visible)]) {
        const words = new Set(some.map((element) => readElement(element, how)).filter((value) => value !== ""));
        if (words.size === 1) return [...words][0];
      }
    }
    return "";
  }

  /** @param {Record<string, unknown> | null | undefined} object @returns {Record<string, string>} its parts that are not empty */
  function parts(object) {
    const all = PARTS.map((name) => [name, text(typeof object?.[name] === "number" ? String(object[name]) : object?.[name])]);
    return Object.fromEntries(all.filter(([, value]) => value !== ""));
  }

  /** @param {any} object of JSON-LD, trimmed @returns {Record<string, string>} */
  function fromJsonld({ type, name, date, episode, season, series, partOfSeason }) {
    if (type === "Movie") return parts({ film: name, year: /^\d{4}/.exec(date ?? "")?.[0] });
    if (type !== "TVEpisode" && type !== "Episode") return {};
    return parts({ kind: "episode", title: name, series: (series ?? partOfSeason?.series)?.name, season: partOfSeason?.season ?? season, episode });
  }

  /** Readers of the sources of a rule, by the name of the source. @type {Record<string, (source: any, rule: any, scope: Element | null, object: any) => Record<string, string>>} */
  const sources = {
    page: (source, rule, scope) => parts(Object.fromEntries(PARTS.filter((name) => source[name]).map((name) => [name, readPart(rule, source[name], scope)]))),
    title: ({ pattern }) => parts(new RegExp(pattern, "u").exec(text(document.title))?.groups),
    session: (source) => {
      const session = own.evidence.mediaSession();
      return parts(Object.fromEntries(PARTS.filter((name) => source[name]).map((name) => [name, session?.[source[name]]])));
    },
    jsonld: ({ seriesNumber }) => {
      const all = own.jsonld.read(document, own.place.name()).filter((/** @type {any} */ each) => Object.keys(fromJsonld(each)).length > 0);
      if (all.length !== 1) return {};
      const refs = [all[0].series, all[0].partOfSeason?.series].flatMap((series) => series?.refs ?? []);
      const number = seriesNumber && refs.map((ref) => new RegExp(seriesNumber, "u").exec(ref)?.[1]).find(Boolean);
      return { ...fromJsonld(all[0]), ...(number && { seriesNumber: text(number) }) };
    },
    object: (_source, _rule, _scope, object) => parts(object),
  };

  /** @returns {string} path, query and fragment of the address */
  function here() {
    const { pathname, search, hash } = location;
    return `${pathname}${search}${hash}`.slice(0, 2000);
  }

  /** @param {any} rule @returns {boolean} whether what plays is no film: a trailer or an advertisement */
  const isBlocked = ({ never = [], not, ad, adText }) =>
    never.some((/** @type {string} */ path) => new RegExp(path, "u").test(here())) || shown(not) || shown(ad) || shown(adText, hasText);

  /**
   * Reads the numbers in the address.
   * @param {any} rule
   * @returns {{kind?: "movie" | "episode", numbers: Record<string, string>} | null} null when no film can play at this address
   */
  function readAddress({ watch }) {
    for (const { path, kind } of watch) {
      const match = new RegExp(path, "u").exec(here());
      if (!match) continue;
      const numbers = Object.fromEntries(Object.entries(match.groups ?? {}).filter(([, value]) => value));
      const of = kind ?? (numbers.film ? "movie" : numbers.episode || numbers.number ? "episode" : undefined);
      return { ...(of && { kind: of }), numbers };
    }
    return null;
  }

  /**
   * Reads the page.
   * @param {any} rule
   * @param {Element | null} film the video that plays
   * @param {any} [object] what was read from an object of the scripts of the page
   * @returns {{kind?: "movie" | "episode", numbers: Record<string, string>, said: Record<string, string>[], missing: string[]} | null}
   *   said: the parts by source, empty where it gave none; missing: the parts of the rule that found nothing; null when no
   *   film can play here
   */
  function read(rule, film, object) {
    const place = readAddress(rule);
    if (!place || isBlocked(rule) || (rule.is && !roots().some((tree) => tree.querySelector(rule.is)))) return null;
    const scope = closest(film, rule.scope);
    /** @type {string[]} */
    const missing = rule.scope && !scope ? ["scope"] : [];
    const said = rule.say.map((/** @type {any} */ source, /** @type {number} */ i) => {
      const same = Object.entries(source.same ?? {}).every(([name, part]) => readPart(rule, part, null) === place.numbers[name]);
      const applies = same && (!source.needs || readPart(rule, source.needs, scope) !== "");
      const words = applies ? sources[source.from](source, rule, scope, object) : {};
      const named = PARTS.filter((name) => source[name] && !words[name]).map((name) => `say.${i}.${name}`);
      missing.push(...(Object.keys(words).length === 0 ? [`say.${i}`] : named));
      return source.alone && words.name && !words.place && !words.title ? { ...words, alone: source.alone } : words;
    });
    return { ...place, said, missing };
  }

  /**
   * @param {any} rule
   * @param {Element} video
   * @returns {boolean} false for a preview, an advertisement, or another video beside that of the film
   */
  function isFilm(rule, video) {
    const { is, not } = rule.video ?? {};
    if (isBlocked(rule) || closest(video, not)) return false;
    const others = () => roots().flatMap((tree) => [...tree.querySelectorAll("video")]);
    return !is || closest(video, is) !== null || !others().some((other) => closest(other, is));
  }

  /** @param {any} rule @returns {Element[]} the sliders that show the time of the film */
  const sliders = (rule) => (rule?.clock?.slider ? roots().flatMap((tree) => [...tree.querySelectorAll(rule.clock.slider)]) : []);

  own.siteRule = { read, isFilm, sliders };
})();
