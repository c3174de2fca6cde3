/**
 * The background's door. Every listener is registered here, at once, so that
 * a worker that was woken for something does not miss it. What is kept in
 * memory may be gone at any moment; what matters is on disk.
 */
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
import { Outbox } from "./outbox.js";
import { fromPage } from "./pages.js";
import { closeStorage, loadSettings, saveSettings } from "./settings.js";
import { readObject } from "./objects.js";
import * as sites from "./sites.js";
import { compose } from "./state.js";
import { fromContent } from "./watching.js";

/** @type {typeof chrome} */
const api = globalThis.browser ?? globalThis.chrome;

const FLUSH = "flush";
const RESUME = "resume";

const database = new Database();
const outbox = new Outbox(database);
const health = new HealthBook(database, () => delivery.report());

/** @returns {Promise<import("../messages.js").Pairing | undefined>} */
const loadPairing = () => database.read("pairing");

const edges = {
  WebSocket: globalThis.WebSocket,
  fetch: (/** @type {Parameters<typeof fetch>} */ ...how) => fetch(...how),
  client: {
    name: "Filmspool",
    version: api.runtime.getManifest().version,
    browser: api.runtime.getURL("").startsWith("moz-") ? "firefox" : "chromium",
  },
  language: api.i18n.getMessage("language"),
  changed,
};

const link = new Link({
  ...edges,
  address: async () => (await loadSettings()).address,
  load: loadPairing,
  save: (pairing) => database.write("pairing", pairing),
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

/** What was last known of the daemon, from before this worker. */
const recalled = recall();

async function recall() {
  const { link: info, daemon } = await api.storage.session.get(["link", "daemon"]);
  if (info && link.info.state === "waiting" && !link.connected) link.info = /** @type {typeof link.info} */ (info);
  delivery.status ??= /** @type {typeof delivery.status} */ (daemon ?? null);
}

async function state() {
  await recalled;
  return compose({ outbox, info: link.info, daemon: delivery.status, pairing: await loadPairing() });
}

let announcing = false;

/** Tells badge and pages, once for what changes together. */
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
  await watchPause(now.settings.pausedUntil);
  await api.runtime.sendMessage({ kind: "changed" }).catch(() => {}); // no page is open
}

/**
 * The badge has to change when a pause ends by itself.
 * @param {number} until
 */
async function watchPause(until) {
  if (until > Date.now()) await api.alarms.create(RESUME, { when: until + 500 });
}

const pageParts = {
  state,
  settings: loadSettings,
  saveSettings,
  outbox,
  link,
  delivery,
  forget: () => database.write("pairing", undefined),
  sites,
  changed,
};
const halfway = new HalfwayBook(database);
const contentParts = { settings: loadSettings, identify, serversFor, ruleFor, delivery, halfway, health, seen };

const PAGE_WAIT = 1000;

/**
 * Asks the tab's own page what it knows, when a frame of another site plays.
 * It may be going away just now, so it has a second.
 * @param {chrome.runtime.MessageSender} sender
 */
const around = ({ tab, frameId }) => async (/** @type {import("../messages.js").Sitting} */ sitting) => (frameId ? withTab(sitting, tab) : sitting);

/**
 * The same for a sitting of which the popup speaks.
 * @param {unknown} tab its id
 */
const aroundOf = (tab) => async (/** @type {import("../messages.js").Sitting} */ sitting) =>
  typeof tab === "number" ? withTab(sitting, await api.tabs.get(tab).catch(() => undefined)) : sitting;

/**
 * @param {import("../messages.js").Sitting} sitting
 * @param {chrome.tabs.Tab | undefined} tab without an address where the page is not allowed
 */
async function withTab(sitting, tab) {
  if (!tab?.id || !tab.url || sitting.host === new URL(tab.url).hostname) return sitting;
  const asked = api.tabs.sendMessage(tab.id, { kind: "page" }, { frameId: 0 });
  const late = new Promise((resolve) => setTimeout(() => resolve(null), PAGE_WAIT));
  return withParentPage(sitting, await Promise.race([asked, late]).catch(() => null));
}

/**
 * Pages of the extension may ask for anything; content scripts live among
 * strangers and may only report.
 * @param {any} message
 * @param {chrome.runtime.MessageSender} sender
 */
function receive(message, sender) {
  if (sender.id !== api.runtime.id || typeof message?.kind !== "string") return Promise.resolve(null);
  const ours = sender.url?.startsWith(api.runtime.getURL("")) ?? false;
  if (!ours && message.kind === "object") return readObject(api, sender);
  if (!ours) return fromContent(contentParts, message, { around: around(sender) });
  if (message.kind === "sitting" || message.kind === "watched") {
    return fromContent(contentParts, message, { byUser: true, around: aroundOf(message.tab) });
  }
  return fromPage(pageParts, message);
}

api.runtime.onMessage.addListener((message, sender, respond) => {
  void receive(message, sender).then(respond, () => respond(null));
  return true; // the answer comes later
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
