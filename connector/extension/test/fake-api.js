// The browser's interface as the pages use it, with a background that answers
// from a script. In one function without imports, so that it can be put into
// a real page as well.

/**
 * @typedef {object} Script
 * @property {any} state what {kind: "state"} answers
 * @property {any} [now] what the tab in front answers to {kind: "now"}; absent: nobody is there
 * @property {any} [tab] the tab in front
 * @property {string[]} [granted] origins
 * @property {boolean} [grants] what the user says when asked for a site
 * @property {any} [identified] what a session is
 * @property {any} [told] what else the background says of a session
 * @property {any[]} [outlooks] what the frames of the tab in front tell when nothing counts there
 * @property {boolean} [firefox] it is Firefox
 * @property {Record<string, any>} [answers] by kind; {ok: true} otherwise
 */

/**
 * @param {Record<string, {message: string, placeholders?: Record<string, {content: string}>}>} messages
 * @param {Script} script
 */
export function fakeApi(messages, script) {
  /** @type {((message: any) => void)[]} */
  const listeners = [];
  /** @type {any[]} */
  const calls = [];
  const copy = (/** @type {any} */ value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

  const text = (/** @type {string} */ key, /** @type {string[]} */ values = []) => {
    const entry = messages[key];
    if (!entry) return "";
    return entry.message.replace(/\$(\w+)\$/g, (_, name) => {
      const n = /^\$(\d)$/.exec(entry.placeholders?.[name.toLowerCase()]?.content ?? "")?.[1];
      return values[Number(n) - 1] ?? "";
    });
  };

  const background = async (/** @type {any} */ message) => {
    calls.push(copy(message));
    if (message.kind === "state") return copy(script.state);
    if (message.kind === "session") return { record: true, rule: script.state.settings.rule, identified: copy(script.identified ?? null), certain: Boolean(script.identified), ...copy(script.told ?? {}) };
    const answer = script.answers?.[message.kind] ?? (message.kind === "watched" ? { kept: true } : { ok: true });
    if (message.kind === "settings" && answer.ok) script.state.settings = copy(message.settings);
    return copy(answer);
  };

  return {
    script,
    calls,
    /** The background says that things have changed. */
    change() {
      for (const listener of listeners) listener({ kind: "changed" });
    },
    /** What was asked of a kind. @param {string} kind */
    asked: (kind) => calls.filter((call) => call.kind === kind),
    api: {
      i18n: { getMessage: (/** @type {string} */ key, /** @type {string[]} */ values) => (key === "@@bidi_dir" ? "ltr" : text(key, values)) },
      runtime: {
        sendMessage: background,
        onMessage: { addListener: (/** @type {(message: any) => void} */ listener) => void listeners.push(listener) },
        getManifest: () => ({ version: "0.1.0" }),
        getURL: (/** @type {string} */ path) => `${script.firefox ? "moz" : "chrome"}-extension://filmspool/${path}`,
        openOptionsPage: async () => void calls.push({ kind: "openOptionsPage" }),
      },
      storage: {
        local: { get: async () => ({}), set: async () => {} },
      },
      tabs: {
        query: async () => [script.tab ?? {}],
        create: async (/** @type {any} */ how) => void calls.push({ kind: "create", ...how }),
        sendMessage: async () => {
          if (script.now === undefined) throw new Error("Could not establish connection. Receiving end does not exist.");
          return copy(script.now);
        },
      },
      scripting: {
        executeScript: async () => copy((script.outlooks ?? []).map((result) => ({ result }))),
      },
      permissions: {
        contains: async (/** @type {{origins: string[]}} */ { origins }) => origins.every((origin) => script.granted?.includes(origin)),
        request: async (/** @type {{origins: string[]}} */ { origins }) => {
          calls.push({ kind: "permissions.request", origins });
          if (script.grants ?? true) script.granted = [...(script.granted ?? []), ...origins];
          return script.grants ?? true;
        },
      },
    },
  };
}

/**
 * A state in which all is well, changed by what is given.
 * @param {{link?: any, daemon?: any, outbox?: any, settings?: any, sites?: any, paused?: boolean}} [change]
 */
export function stateWith({ link, daemon, outbox, settings, sites, paused = false } = {}) {
  const threshold = { played: 0.5, position: 0.8, minimum: 300 };
  return {
    link: { state: "connected", daemonVersion: "0.4.0", pairedLabel: "Firefox at home", address: "127.0.0.1:43456", ...link },
    daemon: { online: true, pending: 0, attention: 0, lastDelivered: "2026-11-20T20:15:00Z", problems: [], page: "http://filmspool-x.localhost:43456", ...daemon },
    outbox: { waiting: 0, full: false, rejected: [], ...outbox },
    settings: { address: "127.0.0.1:43456", rule: { movie: { ...threshold }, episode: { ...threshold }, last: 0 }, pausedUntil: 0, private: false, ...settings },
    sites: sites ?? [{ origin: "https://films.example/*", granted: true }],
    paused,
  };
}

/** A session before an episode, a third of it played. */
export function session() {
  return {
    id: "11111111-2222-4333-8444-555555555555",
    url: "https://films.example/watch/7",
    host: "films.example",
    title: "Watch The Long Night online",
    startedAt: "2026-11-21T20:00:00+01:00",
    at: "",
    duration: 2700,
    position: 930,
    played: 920,
    evidence: { jsonld: [], mediaSession: { title: "The Long Night", artist: "", album: "" }, links: [], attributes: {}, provider: null },
  };
}

/** A viewing that the daemon has refused. */
export function rejected(change = {}) {
  return {
    id: "bbbbbbbb-2222-4333-8444-555555555555",
    title: "Night Train (1959)",
    code: "BAD_MESSAGE",
    field: "media.title",
    at: "2026-11-21T18:30:00+01:00",
    ...change,
  };
}
