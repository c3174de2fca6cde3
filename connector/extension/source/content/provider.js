/**
 * Asks a media server what its page plays, through the API of the server and
 * with the token of the page. Requests go only to the origin of the page and
 * follow no redirects. An answer is used only when its running time is the
 * duration of the media element.
 *
 * Jellyfin and Emby store {Servers: [{Id, UserId, AccessToken, …Address}]} in
 * localStorage (Emby may store the token in Users[]) and the id of the device
 * in "_deviceId2". Both list what a device plays under /Sessions.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text } = own.bounds;

  const MOST_CHARACTERS = 1024 * 1024;
  const PATIENCE = 5000;
  const TICKS = 10_000_000; // in a second, of Jellyfin and Emby

  /**
   * @param {string} name of an entry in the page's localStorage
   * @returns {any} what it holds as JSON, or null
   */
  function stored(name) {
    try {
      const value = localStorage.getItem(name);
      return value && value.length < MOST_CHARACTERS ? JSON.parse(value) : null;
    } catch {
      return null;
    }
  }

  /**
   * @param {string} path beginning with a slash
   * @param {Record<string, string>} headers
   * @returns {Promise<any>} the answer, or null
   */
  async function ask(path, headers) {
    try {
      const answer = await fetch(location.origin + path, {
        headers: { Accept: "application/json", ...headers },
        credentials: "omit",
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (!answer.ok) return null;
      const body = await answer.text();
      return body.length <= MOST_CHARACTERS ? JSON.parse(body) : null;
    } catch {
      return null;
    }
  }

  /** @returns {string} the path prefix of the server: the part before /web/ */
  function root() {
    const at = location.pathname.indexOf("/web/");
    return at > 0 ? location.pathname.slice(0, at) : "";
  }

  /**
   * @param {any} kept what Jellyfin or Emby has stored
   * @returns {{user: string, token: string} | null} for the server of this page
   */
  function session(kept) {
    const servers = Array.isArray(kept?.Servers) ? kept.Servers.slice(0, 20) : [];
    const here = servers.filter((/** @type {any} */ server) =>
      [server?.ManualAddress, server?.LocalAddress, server?.RemoteAddress].some((place) => sameOrigin(place)),
    );
    const server = here.length > 0 ? here[0] : servers.length === 1 ? servers[0] : null;
    const user = text(server?.UserId, 100);
    const users = Array.isArray(server?.Users) ? server.Users.slice(0, 50) : [];
    const mine = users.find((/** @type {any} */ one) => one?.UserId === user);
    const token = text(server?.AccessToken ?? mine?.AccessToken, 500);
    return user && token ? { user, token } : null;
  }

  /** @param {unknown} place */
  function sameOrigin(place) {
    try {
      return typeof place === "string" && new URL(place).origin === location.origin;
    } catch {
      return false;
    }
  }

  /**
   * Reads the ids of TMDB, IMDb and TVDB.
   * @param {any} ids ProviderIds of an item
   * @returns {{tmdb?: string, imdb?: string, tvdb?: string}}
   */
  function named(ids) {
    /** @type {Record<string, string>} */
    const found = {};
    for (const [name, value] of Object.entries(ids && typeof ids === "object" ? ids : {}).slice(0, 50)) {
      const key = name.toLowerCase();
      if (key === "tmdb" || key === "imdb" || key === "tvdb") found[key] = text(value, 20);
    }
    return found;
  }

  /**
   * Describes an item.
   * @param {any} item of Jellyfin or Emby
   * @param {any} series the item's, or null
   */
  function describe(item, series) {
    const ids = named(item.ProviderIds);
    const show = named(series?.ProviderIds);
    return {
      type: item.Type === "Episode" ? "episode" : "movie",
      title: text(item.Name),
      year: item.ProductionYear,
      ...ids,
      season: item.ParentIndexNumber,
      episode: item.IndexNumber,
      seriesTitle: text(item.SeriesName),
      seriesTmdb: show.tmdb,
      seriesImdb: show.imdb,
      seriesTvdb: show.tvdb,
    };
  }

  /**
   * @param {number} one seconds
   * @param {number} other seconds
   * @returns {boolean} whether both can be durations of the same film
   */
  function alike(one, other) {
    return Math.abs(one - other) <= Math.max(5, other * 0.02);
  }

  /**
   * Asks Jellyfin or Emby.
   * @param {string} store the entry of localStorage with the servers
   * @param {(token: string) => Record<string, string>} sign makes the headers
   * @param {number} duration of the media element, in seconds
   */
  async function mediaBrowser(store, sign, duration) {
    const { user, token } = session(stored(store)) ?? {};
    const device = deviceId();
    if (!user || !token || !device) return null;
    const headers = sign(token);
    const sessions = await ask(`${root()}/Sessions?deviceId=${encodeURIComponent(device)}`, headers);
    const playing = Array.isArray(sessions) ? sessions.filter((one) => one?.UserId === user && one?.NowPlayingItem) : [];
    if (playing.length !== 1) return null;
    const id = text(playing[0].NowPlayingItem.Id, 100);
    const item = await itemOf(id, user, headers);
    if (!item || (item.Type !== "Movie" && item.Type !== "Episode")) return null;
    if (!alike(item.RunTimeTicks / TICKS, duration)) return null;
    const series = item.Type === "Episode" ? await itemOf(text(item.SeriesId, 100), user, headers) : null;
    return describe(item, series);
  }

  /** @returns {string} */
  function deviceId() {
    try {
      return text(localStorage.getItem("_deviceId2"), 1000);
    } catch {
      return "";
    }
  }

  /**
   * @param {string} id
   * @param {string} user
   * @param {Record<string, string>} headers
   */
  async function itemOf(id, user, headers) {
    if (!/^[0-9A-Za-z-]{1,64}$/.test(id)) return null;
    const found = await ask(`${root()}/Items?userId=${encodeURIComponent(user)}&ids=${id}&fields=ProviderIds`, headers);
    const items = found?.Items;
    return Array.isArray(items) && items.length === 1 && items[0]?.Id === id ? items[0] : null;
  }

  /** @type {Record<string, (duration: number) => Promise<Record<string, any> | null>>} */
  const providers = {
    jellyfin: (duration) =>
      mediaBrowser("jellyfin_credentials", (token) => ({ Authorization: `MediaBrowser Token="${token}"` }), duration),
    emby: (duration) => mediaBrowser("servercredentials3", (token) => ({ "X-Emby-Token": token }), duration),
  };

  /**
   * Asks the servers that the page may be of.
   * @param {unknown} names of the providers
   * @param {number} duration of the media element, in seconds
   * @returns {Promise<Record<string, any> | null>} null unless exactly one item plays
   */
  async function playing(names, duration) {
    for (const name of Array.isArray(names) ? names : []) {
      if (!Object.hasOwn(providers, name)) continue;
      try {
        const found = await providers[name](duration);
        if (found) return { name, ...found };
      } catch {
        // An answer of another form than expected is ignored.
      }
    }
    return null;
  }

  own.provider = { playing, providers, stored, ask, alike };
})();
