/** The browser's interface as the background uses it, in memory. */
const ID = "malcnbgikakfabbppiiiflpghieomihd";
export const HOME = `chrome-extension://${ID}/`;

/** An event of the browser: fire() calls the listeners. */
function signal() {
  const listeners = [];
  return { addListener: (listener) => listeners.push(listener), fire: (...what) => listeners.map((listener) => listener(...what)), listeners };
}

function storage() {
  let kept = {};
  return {
    kept: () => kept,
    get: async (keys) => structuredClone(Object.fromEntries([keys].flat().filter((key) => key in kept).map((key) => [key, kept[key]]))),
    set: async (values) => {
      kept = { ...kept, ...structuredClone(values) };
    },
    setAccessLevel: async (level) => {
      kept["access level"] = level.accessLevel;
    },
  };
}

export function fakeBrowser() {
  const alarms = new Map();
  const scripts = new Map();
  const badge = {};
  const told = [];
  const api = {
    told,
    badge,
    granted: [],
    tabsOpen: [],
    injected: [],
    /** The frames of each tab, and whether our scripts run there. */
    framesOfTab: [{ frameId: 0, result: false }],
    entered: [],
    optionsOpened: 0,
    /** What a tab's page answers. */
    answerOfTab: async () => null,
    runtime: {
      id: ID,
      getManifest: () => ({ version: "0.1.0" }),
      getURL: (path) => HOME + path,
      sendMessage: async (message) => {
        told.push(message);
        throw new Error("Could not establish connection. Receiving end does not exist.");
      },
      openOptionsPage: async () => api.optionsOpened++,
      onMessage: signal(),
      onStartup: signal(),
      onInstalled: signal(),
    },
    storage: { local: storage(), session: storage() },
    alarms: {
      set: alarms,
      get: async (name) => alarms.get(name),
      create: async (name, how) => void alarms.set(name, how),
      clear: async (name) => alarms.delete(name),
      onAlarm: signal(),
    },
    action: {
      setBadgeText: async ({ text }) => (badge.text = text),
      setBadgeBackgroundColor: async ({ color }) => (badge.color = color),
      setBadgeTextColor: async () => {},
      setTitle: async ({ title }) => (badge.title = title),
    },
    i18n: { getMessage: (key, args = []) => [key, ...args].join(" ") },
    permissions: {
      getAll: async () => ({ origins: [...api.granted], permissions: [] }),
      contains: async ({ origins }) => origins.every((origin) => api.granted.includes(origin)),
      remove: async ({ origins }) => {
        api.granted = api.granted.filter((origin) => !origins.includes(origin));
        return true;
      },
      onAdded: signal(),
      onRemoved: signal(),
    },
    scripting: {
      scripts,
      getRegisteredContentScripts: async () => [...scripts.values()],
      registerContentScripts: async (list) => {
        for (const script of list) {
          if (scripts.has(script.id)) throw new Error(`Duplicate script ID '${script.id}'`);
          scripts.set(script.id, script);
        }
      },
      updateContentScripts: async (list) => list.forEach((script) => scripts.set(script.id, script)),
      unregisterContentScripts: async ({ ids }) => ids.forEach((id) => scripts.delete(id)),
      executeScript: async ({ target: { tabId, frameIds }, files }) => {
        if (!files) return api.framesOfTab;
        api.injected.push(tabId);
        api.entered.push(...frameIds);
        return [];
      },
    },
    tabs: {
      query: async () => api.tabsOpen.map((id) => ({ id })),
      sendMessage: async (...what) => api.answerOfTab(...what),
      get: async (id) => ({ id, url: api.addressOfTab }),
    },
  };
  return api;
}

/** Sends a message as a page of the extension, or as a content script, does. */
export function sender(api) {
  const send = (message, from) =>
    new Promise((resolve) => {
      for (const listener of api.runtime.onMessage.listeners) listener(message, { id: ID, ...from }, resolve);
    });
  return {
    page: (message) => send(message, { url: `${HOME}pages/options.html` }),
    content: (message, from = {}) => send(message, { url: "https://films.example/watch/1", tab: { id: 7, url: "https://films.example/watch/1" }, frameId: 0, ...from }),
    stranger: (message) => send(message, { id: "x".repeat(32), url: "chrome-extension://x/" }),
  };
}
