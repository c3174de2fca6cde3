/**
 * Asks a Plex server what its page plays. The page reports its progress to
 * /:/timeline with the ratingKey of the item, so the last such request
 * identifies it. This works only when the page comes from the server itself:
 * app.plex.tv is of another origin than the server.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text } = own.bounds;
  const { providers, stored, ask, alike } = own.provider;

  /** @type {string | null} the ratingKey of the last report */
  let current = null;
  let watching = false;

  /** Reads the reports among the requests of the page. @param {PerformanceEntry[]} entries in order */
  function note(entries) {
    for (const { name } of entries) {
      if (!name.startsWith(location.origin) || !name.includes("/:/timeline?")) continue;
      const said = new URL(name).searchParams;
      const key = said.get("ratingKey") ?? "";
      if (said.get("state") === "playing" && /^\d{1,12}$/.test(key)) current = key;
    }
  }

  /** Observes the requests of the page, once it was asked for the first time. */
  function follow() {
    if (watching) return;
    watching = true;
    new PerformanceObserver((list) => note(list.getEntries())).observe({ type: "resource", buffered: true });
    note(performance.getEntriesByType("resource"));
  }

  /** @returns {string} the token that the page has for this server */
  function token() {
    const users = stored("users")?.users;
    for (const user of Array.isArray(users) ? users.slice(0, 20) : []) {
      for (const server of Array.isArray(user?.servers) ? user.servers.slice(0, 20) : []) {
        const id = text(server?.machineIdentifier, 100);
        if (id && location.hash.includes(id) && server.accessToken) return text(server.accessToken, 500);
      }
    }
    try {
      return text(localStorage.getItem("myPlexAccessToken"), 500);
    } catch {
      return "";
    }
  }

  /**
   * Reads an item from the server.
   * @param {unknown} key its ratingKey
   * @param {string} token
   */
  async function itemOf(key, token) {
    if (!/^\d{1,12}$/.test(String(key))) return null;
    const found = await ask(`/library/metadata/${key}?includeGuids=1`, { "X-Plex-Token": token });
    const items = found?.MediaContainer?.Metadata;
    return Array.isArray(items) && items.length === 1 ? items[0] : null;
  }

  /**
   * @param {any} item
   * @returns {Record<string, string>} from Guid: [{id: "tmdb://603"}, …]
   */
  function named(item) {
    /** @type {Record<string, string>} */
    const ids = {};
    for (const guid of Array.isArray(item?.Guid) ? item.Guid.slice(0, 20) : []) {
      const [, name, value] = /^(tmdb|imdb|tvdb):\/\/(\w{1,20})$/.exec(text(guid?.id, 40)) ?? [];
      if (name) ids[name] = value;
    }
    return ids;
  }

  /** Identifies what the page plays. @param {number} duration of the media element, in seconds */
  async function plex(duration) {
    follow();
    const key = token();
    const playing = current;
    if (!key || !playing) return null;
    const item = await itemOf(playing, key);
    if (item?.type !== "movie" && item?.type !== "episode") return null;
    if (!alike(item.duration / 1000, duration) || current !== playing) return null;
    const series = item.type === "episode" ? await itemOf(item.grandparentRatingKey, key) : null;
    const show = named(series);
    return {
      type: item.type,
      title: text(item.title),
      year: item.year,
      ...named(item),
      season: item.parentIndex,
      episode: item.index,
      seriesTitle: text(item.grandparentTitle),
      seriesTmdb: show.tmdb,
      seriesImdb: show.imdb,
      seriesTvdb: show.tvdb,
    };
  }

  providers.plex = plex;
})();
