/**
 * Reads a page by the rule of its site. A rule is data out of the package:
 * sites/README.md tells what it may say. Nothing is judged here, and a part
 * that finds nothing leaves all as it is without a rule.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text } = own.bounds;

  /** What a source may tell. */
  const PARTS = ["kind", "name", "series", "film", "place", "season", "episode", "title", "year", "titleNumber", "seriesNumber"];
  const MOST_ELEMENTS = 20;
  const MOST_DATA = 4_000_000;

  /** @returns {(Document | ShadowRoot)[]} all trees that were found */
  const trees = () => own.parts?.finder.roots ?? [document];

  /**
   * @param {any} node
   * @param {string | undefined} selector
   * @returns {Element | null} the nearest such element around the node, out of shadow trees too
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
   * @returns {boolean} whether the one is in the other, through shadow trees too
   */
  function within(inner, outer) {
    for (let one = /** @type {any} */ (inner); one; one = one.parentNode ?? one.host) {
      if (one === outer) return true;
    }
    return false;
  }

  /** @param {any} element @returns {boolean} */
  const visible = (element) => element.checkVisibility?.({ visibilityProperty: true }) !== false;

  /** @param {string | undefined} selector @returns {boolean} whether such an element is to be seen */
  function shown(selector, is = visible) {
    return selector !== undefined && trees().some((tree) => [...tree.querySelectorAll(selector)].slice(0, MOST_ELEMENTS).some(is));
  }

  /** @param {Element} element @returns {boolean} whether it is to be seen and has text */
  const speaks = (element) => visible(element) && (element.textContent ?? "").trim() !== "";

  /** @type {WeakMap<Element, any>} what a script of the page holds as JSON */
  const parsed = new WeakMap();

  /** @param {Element} script @param {string[]} path @returns {unknown} */
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
   * @param {any} element
   * @param {{attribute?: string, path?: string, pattern?: string}} part
   * @returns {string}
   */
  function told(element, { attribute, path, pattern }) {
    const whole = path ? data(element, path.split(".")) : attribute ? element.getAttribute(attribute) : element.textContent;
    const words = text(whole);
    return pattern === undefined ? words : text(new RegExp(pattern, "u").exec(words)?.[1]);
  }

  /**
   * @param {any} rule
   * @param {any} part a selector, how to read it, or several of them in order
   * @param {Element | null} scope
   * @returns {string} "" when nothing stands there, or several things
   */
  function one(rule, part, scope) {
    for (const each of Array.isArray(part) ? part : [part]) {
      const how = typeof each === "string" ? { selector: each } : each;
      const found = trees().flatMap((tree) => [...tree.querySelectorAll(how.selector)].slice(0, MOST_ELEMENTS))
        .filter((element) => (!scope || within(element, scope)) && !closest(element, rule.upNext));
      for (const some of [found, found.filter(visible)]) {
        const words = new Set(some.map((element) => told(element, how)).filter((value) => value !== ""));
        if (words.size === 1) return [...words][0];
      }
    }
    return "";
  }

  /** @param {Record<string, unknown> | null | undefined} object @returns {Record<string, string>} its parts that say something */
  function parts(object) {
    const all = PARTS.map((name) => [name, text(typeof object?.[name] === "number" ? String(object[name]) : object?.[name])]);
    return Object.fromEntries(all.filter(([, value]) => value !== ""));
  }

  /** @param {any} object of JSON-LD, trimmed @returns {Record<string, string>} */
  function ofJsonld({ type, name, date, episode, season, series, partOfSeason }) {
    if (type === "Movie") return parts({ film: name, year: /^\d{4}/.exec(date ?? "")?.[0] });
    if (type !== "TVEpisode" && type !== "Episode") return {};
    return parts({ kind: "episode", title: name, series: (series ?? partOfSeason?.series)?.name, season: partOfSeason?.season ?? season, episode });
  }

  /** What a source of a rule tells, by where it looks. @type {Record<string, (source: any, rule: any, scope: Element | null, object: any) => Record<string, string>>} */
  const sources = {
    page: (source, rule, scope) => parts(Object.fromEntries(PARTS.filter((name) => source[name]).map((name) => [name, one(rule, source[name], scope)]))),
    title: ({ pattern }) => parts(new RegExp(pattern, "u").exec(text(document.title))?.groups),
    session: (source) => {
      const session = own.evidence.mediaSession();
      return parts(Object.fromEntries(PARTS.filter((name) => source[name]).map((name) => [name, session?.[source[name]]])));
    },
    jsonld: ({ seriesNumber }) => {
      const all = own.jsonld.read(document, own.place.name()).filter((/** @type {any} */ each) => Object.keys(ofJsonld(each)).length > 0);
      if (all.length !== 1) return {};
      const refs = [all[0].series, all[0].partOfSeason?.series].flatMap((series) => series?.refs ?? []);
      const number = seriesNumber && refs.map((ref) => new RegExp(seriesNumber, "u").exec(ref)?.[1]).find(Boolean);
      return { ...ofJsonld(all[0]), ...(number && { seriesNumber: text(number) }) };
    },
    object: (_source, _rule, _scope, object) => parts(object),
  };

  /** @returns {string} the address from its path on */
  function here() {
    const { pathname, search, hash } = location;
    return `${pathname}${search}${hash}`.slice(0, 2000);
  }

  /** @param {any} rule @returns {boolean} whether no film plays here: a page of trailers, an advertisement */
  const barred = ({ never = [], not, ad, adText }) =>
    never.some((/** @type {string} */ path) => new RegExp(path, "u").test(here())) || shown(not) || shown(ad) || shown(adText, speaks);

  /**
   * What the address says.
   * @param {any} rule
   * @returns {{kind?: "movie" | "episode", numbers: Record<string, string>} | null} null where nothing is watched
   */
  function addressed({ watch }) {
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
   * @param {any} rule
   * @param {Element | null} film the video that plays
   * @param {any} [object] what the page's own object told
   * @returns {{kind?: "movie" | "episode", numbers: Record<string, string>, said: Record<string, string>[], missing: string[]} | null}
   *   said: by source, empty where it told nothing; null where the rule has nothing to say
   */
  function read(rule, film, object) {
    const place = addressed(rule);
    if (!place || barred(rule) || (rule.is && !trees().some((tree) => tree.querySelector(rule.is)))) return null;
    const scope = closest(film, rule.scope);
    /** @type {string[]} */
    const missing = rule.scope && !scope ? ["scope"] : [];
    const said = rule.say.map((/** @type {any} */ source, /** @type {number} */ i) => {
      const same = Object.entries(source.same ?? {}).every(([name, part]) => one(rule, part, null) === place.numbers[name]);
      const believed = same && (!source.needs || one(rule, source.needs, scope) !== "");
      const words = believed ? sources[source.from](source, rule, scope, object) : {};
      const named = PARTS.filter((name) => source[name] && !words[name]).map((name) => `say.${i}.${name}`);
      missing.push(...(Object.keys(words).length === 0 ? [`say.${i}`] : named));
      return source.alone && words.name && !words.place && !words.title ? { ...words, alone: source.alone } : words;
    });
    return { ...place, said, missing };
  }

  /**
   * @param {any} rule
   * @param {Element} video
   * @returns {boolean} false for a preview, an advertisement, or a video beside the film's own
   */
  function isFilm(rule, video) {
    const { is, not } = rule.video ?? {};
    if (barred(rule) || closest(video, not)) return false;
    const others = () => trees().flatMap((tree) => [...tree.querySelectorAll("video")]);
    return !is || closest(video, is) !== null || !others().some((other) => closest(other, is));
  }

  /** @param {any} rule @returns {Element[]} the sliders that tell the film's time */
  const sliders = (rule) => (rule?.clock?.slider ? trees().flatMap((tree) => [...tree.querySelectorAll(rule.clock.slider)]) : []);

  own.siteRule = { read, isFilm, sliders };
})();
