/**
 * Starts the background. All listeners are registered at once, because the
 * browser starts the worker for an event and delivers it right away. The worker
 * may end at any time, so everything that matters is stored on disk.
 */
import { api } from "../api.js";
import { identify } from "../identify/index.js";
import { seen } from "../identify/names.js";
import { withParentPage } from "../identify/parent-page.js";
import { ruleFor, serversFor } from "../sites/index.js";
import { showBadge } from "./badge.js";
import { Database } from "./database.js";
import { Delivery } from "./deliver.js";
import { HalfwayBook } from "./halfway.js";
import { HealthBook } from "./health.js";
import { Link } from "./link.js";
import { readObject } from "./objects.js";
import { Outbox } from "./outbox.js";
import { fromPage } from "./pages.js";
import { closeStorage, isPaused, loadSettings, saveSettings } from "./settings.js";
import * as sites from "./sites.js";
import { fromContent } from "./watching.js";

/** @typedef {import("../messages.js").SessionReport} SessionReport */

const FLUSH = "flush";
const RESUME = "resume";
/** Milliseconds within which the page around a frame must answer: it may be closing. */
const PAGE_WAIT = 1000;
/** The most rejected events in the state; the rest follows when these are sent again or discarded. */
const MAX_REJECTED = 500;

const database = new Database();
const outbox = new Outbox(database);
const health = new HealthBook(database, () => delivery.report());

const link = new Link({
  WebSocket: globalThis.WebSocket,
  fetch: (...how) => fetch(...how),
  client: {
    name: "Filmspool",
    version: api.runtime.getManifest().version,
    browser: api.runtime.getURL("").startsWith("moz-") ? "firefox" : "chromium",
  },
  language: api.i18n.getMessage("language"),
  address: async () => (await loadSettings()).address,
  load: () => database.read("pairing"),
  save: (pairing) => database.update("pairing", () => pairing),
  changed,
});

const delivery = new Delivery({
  outbox,
  link,
  wakeLater: async () => {
    if (!(await api.alarms.get(FLUSH))) await api.alarms.create(FLUSH, { periodInMinutes: 1 });
  },
  sleep: async () => void (await api.alarms.clear(FLUSH)),
  changed,
  unread: () => health.unread(),
});

/** Resolves when the last known state of the daemon is restored from before this worker started. */
const recalled = recall();

async function recall() {
  const { link: info, daemon } = /** @type {any} */ (await api.storage.session.get(["link", "daemon"]));
  if (info && link.info.state === "ready" && !link.connected) link.info = info;
  delivery.status ??= daemon ?? null;
}

/** @returns {Promise<import("../messages.js").State>} */
async function state() {
  await recalled;
  const settings = await loadSettings();
  const pairing = await database.read("pairing");
  const rejected = await outbox.list("rejected", MAX_REJECTED);
  return {
    link: {
      ...link.info,
      state: pairing ? link.info.state : "unpaired",
      pairedLabel: pairing ? pairing.label || pairing.clientId : null,
      address: settings.address,
    },
    daemon: delivery.status,
    outbox: { ...(await outbox.count()), rejected: rejected.map(({ id, title, at, error }) => ({ id, title, at, ...error })) },
    settings,
    sites: await sites.listSites(),
    paused: isPaused(settings),
  };
}

let announcing = false;

/** Updates the badge and the open pages, once for changes that follow closely. */
function changed() {
  if (announcing) return;
  announcing = true;
  setTimeout(() => void announce().catch(() => {}), 50); // the next change tries again
}

async function announce() {
  announcing = false;
  const now = await state();
  await showBadge(now);
  await api.storage.session.set({ link: link.info, daemon: delivery.status });
  const { pausedUntil } = now.settings;
  if (pausedUntil > Date.now()) await api.alarms.create(RESUME, { when: pausedUntil + 500 }); // the badge must change then
  await api.runtime.sendMessage({ kind: "changed" }).catch(() => {}); // no page is open
}

const forPages = {
  state,
  settings: loadSettings,
  saveSettings,
  outbox,
  link,
  delivery,
  forget: () => database.update("pairing", () => undefined),
  sites,
  changed,
};
const forContent = { settings: loadSettings, identify, serversFor, ruleFor, delivery, halfway: new HalfwayBook(database), health, seen };

/**
 * Adds what the page of the tab says, when the session is from a frame of another site.
 * @param {SessionReport} session
 * @param {chrome.tabs.Tab | undefined} tab has no url when the user has not allowed its site
 */
async function withTab(session, tab) {
  if (!tab?.id || !tab.url || session.host === new URL(tab.url).hostname) return session;
  const asked = api.tabs.sendMessage(tab.id, { kind: "page" }, { frameId: 0 });
  const late = new Promise((resolve) => setTimeout(() => resolve(null), PAGE_WAIT));
  return withParentPage(session, await Promise.race([asked, late]).catch(() => null));
}

/**
 * Answers a message. Pages of the extension may use everything. Content scripts
 * run in foreign pages and may only report sessions. The popup sends the tab
 * with a session.
 * @param {any} message
 * @param {chrome.runtime.MessageSender} sender
 */
async function receive(message, sender) {
  if (sender.id !== api.runtime.id || typeof message?.kind !== "string") return null;
  const { tab, frameId, url = "" } = sender;
  if (url.startsWith(api.runtime.getURL(""))) {
    if (message.kind !== "session" && message.kind !== "watched") return fromPage(forPages, message);
    const shown = typeof message.tab === "number" ? await api.tabs.get(message.tab).catch(() => undefined) : undefined;
    return fromContent(forContent, message, (session) => withTab(session, shown), true);
  }
  if (message.kind === "object") return readObject(api, sender);
  return fromContent(forContent, message, async (session) => (frameId ? withTab(session, tab) : session), false);
}

api.runtime.onMessage.addListener((message, sender, respond) => {
  void receive(message, sender).then(respond, () => respond(null));
  return true; // the answer follows later
});

/** Sends what waits, if anything does. */
async function flush() {
  await delivery.tick();
  changed();
}

api.alarms.onAlarm.addListener(({ name }) => {
  if (name === FLUSH) void flush();
  else changed();
});

api.runtime.onStartup.addListener(() => {
  void flush();
  void sites.registerAll();
});

api.runtime.onInstalled.addListener(({ reason }) => {
  void flush();
  void sites.registerAll();
  if (reason === "install") void api.runtime.openOptionsPage();
});

api.permissions.onAdded.addListener(({ origins = [] }) => void sites.begin(origins).then(changed));
api.permissions.onRemoved.addListener(() => void sites.registerAll().then(changed));

void closeStorage();
