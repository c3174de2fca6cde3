// The real pages in a real Chromium, with the extension's own content security
// policy and a scripted background: axe in every state, both languages, light
// and dark; nothing is cut off; everything is done by keyboard alone.
//
// FILMSPOOL_SCREENSHOTS=DIR keeps a picture of each.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { chromium } from "playwright-core";
import { until } from "./browser/until.js";
import { SCENES } from "./page-scenes.js";
import { executablePath, ORIGIN, serve, show } from "./served.js";

const source = path.join(import.meta.dirname, "../source");
const axe = path.join(import.meta.dirname, "node_modules/axe-core/axe.min.js");
const pictures = process.env.FILMSPOOL_SCREENSHOTS;

/** @type {import("playwright-core").Browser} */
let browser;
/** One for all scenes: a new page takes longer than what it is for. @type {import("playwright-core").Page} */
let page;
/** What it said since it was entered. @type {string[]} */
const complaints = [];

async function openPage() {
  browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  page = await browser.newPage({ reducedMotion: "reduce", timezoneId: "Europe/Lisbon" });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  await page.route(`${ORIGIN}/**`, serve);
  await page.addInitScript({ path: axe });
}

/**
 * @param {import("./page-scenes.js").Scene} scene
 * @param {{language?: string, width?: number, rtl?: boolean}} [how]
 */
async function enter(scene, { language = "en", width, rtl = false } = {}) {
  await page.goto("about:blank"); // nothing of the scene before stays
  await page.mouse.move(0, 0);
  await page.setViewportSize({ width: width ?? (scene.page === "popup" ? 360 : 1000), height: 600 });
  await page.emulateMedia({ colorScheme: "light" });
  complaints.length = 0;
  await show(page, scene, { language, rtl });
}

/** @param {import("playwright-core").Page} page */
const overflow = (page) =>
  page.evaluate(() => {
    const root = document.documentElement;
    const cut = [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility() && !element.classList.contains("unseen") && !element.closest("svg")
      && (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline" && !(element instanceof HTMLInputElement)));
    const squeezed = [...document.querySelectorAll("p, li, h1, h2, h3, label, span, summary")].filter((element) => element.checkVisibility() && !element.classList.contains("unseen")
      && (element.textContent ?? "").trim().length > 15 && element.getBoundingClientRect().width < 6 * parseFloat(getComputedStyle(element).fontSize));
    cut.push(...squeezed);
    return { page: root.scrollWidth - root.clientWidth, cut: cut.map((element) => `${element.tagName}#${element.id}: ${element.textContent?.slice(0, 40)}`) };
  });

/** @param {import("playwright-core").Page} page @param {string} name */
async function picture(page, name) {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
}

const EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** @param {import("playwright-core").Page} page @param {string[]} tags */
const findings = (page, tags) =>
  page.evaluate(async (runOnly) => {
    const { violations, incomplete } = await /** @type {any} */ (globalThis).axe.run(document, { runOnly });
    const unsure = incomplete.filter((/** @type {any} */ { id }) => id === "color-contrast");
    return [...violations, ...unsure].map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map((/** @type {any} */ node) => `${node.html} ${node.any?.[0]?.message ?? ""}`).join(" | ")}`);
  }, tags);

const skip = fs.existsSync(executablePath) || process.env.FILMSPOOL_BROWSERS === "required" ? false : `no Chromium at ${executablePath}`;

describe("the pages in Chromium", { skip }, () => {
  before(openPage);
  after(() => browser?.close());

  for (const [name, scene] of Object.entries(SCENES)) {
    for (const language of ["en", "de"]) {
      test(`${name}, ${language}, light and dark: nothing found by axe, nothing cut off`, async () => {
        await enter(scene, { language });
        assert.deepEqual(await overflow(page), { page: 0, cut: [] });
        // As high as its content, so that axe sees every text uncovered.
        await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: await page.evaluate(() => document.documentElement.scrollHeight) });
        await picture(page, `${name}-${language}-light`);
        assert.deepEqual(await findings(page, EVERYTHING), []);
        await page.emulateMedia({ colorScheme: "dark" });
        await picture(page, `${name}-${language}-dark`);
        assert.deepEqual(await findings(page, ["cat.color"]), []);
        assert.deepEqual(complaints, []);
      });
    }
  }

  for (const name of ["popup-faults", "popup-cards", "popup-number", "popup-playing", "options-paired", "options-first-step", "options-ignored", "options-faults"]) {
    const scene = SCENES[name];
    test(`${name} from right to left`, async () => {
      await enter(scene, { rtl: true });
      await picture(page, `${name}-rtl`);
      assert.deepEqual(await overflow(page), { page: 0, cut: [] });
    });
    test(`${name} with letters of twice the size`, async () => {
      await enter(scene, { language: "de", width: scene.page === "options" ? 500 : undefined });
      await page.evaluate(() => void (document.documentElement.style.fontSize = "28px"));
      await picture(page, `${name}-large`);
      assert.deepEqual(await overflow(page), { page: 0, cut: [] });
    });
  }

  for (const name of ["options-paired", "options-first-step"]) {
    test(`${name} at four times the size, which is 320 pixels wide`, async () => {
      await enter(SCENES[name], { width: 320, language: "de" });
      await picture(page, `${name}-narrow`);
      assert.deepEqual(await overflow(page), { page: 0, cut: [] });
    });
  }

  for (const name of ["popup-cards", "popup-number", "popup-never", "popup-player", "popup-unpaired", "popup-not-allowed", "popup-discard-all", "popup-lost"]) {
    test(`${name} at 320 pixels: nothing runs over`, async () => {
      await enter(SCENES[name], { width: 320, language: "de" });
      await picture(page, `${name}-narrow`);
      assert.deepEqual(await overflow(page), { page: 0, cut: [] });
    });
  }

  test("the site that the popup sends along is in view, below a long list", async () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ origin: `https://films-${i}.example/*`, granted: true }));
    const scene = SCENES["options-from-popup"];
    await enter({ ...scene, script: { ...scene.script, state: { ...scene.script.state, sites: many } } });
    assert.equal(await page.evaluate(() => document.activeElement?.id), "site");
    const { top, bottom } = await page.evaluate(() => /** @type {HTMLElement} */ (document.getElementById("site")).getBoundingClientRect());
    assert.ok(top >= 0 && bottom <= 600, `${top} to ${bottom}`);
  });

  for (const name of ["popup-needs", "popup-lost", "popup-cards", "popup-number", "options-ignored", "popup-faults", "popup-unpaired", "popup-not-allowed", "options-unpaired", "options-paired", "options-first-step", "options-unpair"]) {
    test(`${name}: everything is reached by Tab, in order, and seen to be`, async () => {
      await enter(SCENES[name]);
      const wanted = await page.evaluate(() => {
        // Of radio buttons Tab reaches the first, or the one that is chosen.
        const unpicked = (/** @type {Element} */ element) => {
          if (!(element instanceof HTMLInputElement) || element.type !== "radio") return false;
          const radios = [...document.getElementsByName(element.name)].filter((one) => one.checkVisibility());
          return element !== (radios.find((one) => /** @type {HTMLInputElement} */ (one).checked) ?? radios[0]);
        };
        const all = [...document.querySelectorAll("a, button, input, textarea, summary")].filter((element) => element.checkVisibility() && !unpicked(element));
        all.forEach((element, i) => element.setAttribute("data-stop", String(i)));
        document.body.tabIndex = -1;
        document.body.focus();
        return all.length;
      });
      const reached = [];
      for (let i = 0; i < wanted; i++) {
        await page.keyboard.press("Tab");
        const stop = await page.evaluate(() => {
          const element = document.activeElement;
          const outlined = element && getComputedStyle(element).outlineStyle !== "none" && parseFloat(getComputedStyle(element).outlineWidth) >= 2;
          return outlined ? element.getAttribute("data-stop") : `no outline: ${element?.outerHTML}`;
        });
        // The parts of a date are stops of their own.
        if (stop === reached.at(-1)) i--;
        else reached.push(stop);
      }
      assert.deepEqual(reached, Array.from({ length: wanted }, (_, i) => String(i)));
    });
  }

  test("a site of the grid, found and ticked by keyboard alone", async () => {
    await enter(SCENES["options-first-step"]);
    await tabTo(page, "#to-sites");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "sites-heading");
    await page.keyboard.press("Tab");
    await page.keyboard.type("kino");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).rig.asked("grant").length === 1);
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).rig.asked("permissions.request")),
      [{ kind: "permissions.request", origins: ["https://kinoplus.example/*", "https://www.kinoplus.example/*", "https://tv.kinoplus.example/*"] }]);
  });

  test("pairing, a site and unpairing by keyboard alone", async () => {
    await enter(SCENES["options-unpaired"]);
    await tabTo(page, "#pair-code");
    await page.keyboard.type("k7m2 9qxd");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).rig.asked("pair").length === 1);
    assert.equal(await page.evaluate(() => document.activeElement?.id), "link");
    await tabTo(page, "#site");
    await page.keyboard.type("films.example");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).rig.asked("grant").length === 1);
    await tabTo(page, "#private");
    await page.keyboard.press("Space");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).rig.script.state.settings.private === true);
  });

  test("the real extension, in the browser's language, with nobody to talk to", { timeout: 120_000 }, async () => {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), "filmspool-pages-"));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath, headless: true, chromiumSandbox: process.getuid?.() !== 0, ignoreDefaultArgs: ["--disable-extensions"],
      env: { ...process.env, LANGUAGE: "de" }, args: ["--lang=de", `--disable-extensions-except=${source}`, `--load-extension=${source}`],
    });
    try {
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
      // Once installed, it opens its options by itself, in whatever tab is empty.
      const opened = () => context.pages().find((one) => one.url().endsWith("/pages/options.html"));
      const page = await until("the options are open", opened);
      await page.waitForSelector("#link[data-ready]", { state: "attached" });
      assert.equal(await page.innerText("#link-words"), "Dieser Browser ist noch nicht mit Filmspool gekoppelt.");
      await page.fill("#pair-code", "K7M2-9QXD");
      await page.fill("#pair-address", "127.0.0.1:9");
      await page.keyboard.press("Enter");
      await page.waitForSelector("#pair-code-fault:not([hidden])");
      assert.equal(await page.innerText("#pair-code-fault"), "Filmspool läuft nicht. Starte es mit: filmspool service start");
      await page.goto(new URL("../pages/popup.html", worker.url()).href);
      await page.click("#entry summary");
      await page.fill("#entry-link", "https://www.themoviedb.org/tv/1396 S01E02");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => /1 Eintrag wartet/.test(document.querySelector("#waits")?.textContent ?? ""));
      assert.deepEqual(await popupSize(context, worker), [360, 360], "the popup is as wide as its content, which is 360 pixels");
    } finally {
      await context.close();
      fs.rmSync(profile, { recursive: true, force: true });
    }
  });

  test("a question, a discard that is taken back, a list and a pause by keyboard alone", async () => {
    const link = "https://www.themoviedb.org/tv/1396";
    const scene = SCENES["popup-needs"];
    await enter({ ...scene, script: { ...scene.script, typed: { [link]: { type: "episode", show: { ids: { tmdb: 1396 } } } } } });
    await tabTo(page, "#unknown li input");
    await page.keyboard.type(link);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).rig.asked("identify").length === 1);
    await tabTo(page, "#rejected .quiet");
    await page.keyboard.press("Space");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Keep it");
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Discard");
    await tabTo(page, "#list summary");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Noir");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).rig.asked("list").length === 1);
    await tabTo(page, "#pause");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /Resume/.test(document.querySelector("#pause")?.textContent ?? ""));
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (globalThis).rig.asked("discard")), []);
  });
});

/**
 * Opens the true popup, over the toolbar: its width, and that of its content.
 * @param {import("playwright-core").BrowserContext} context
 * @param {import("playwright-core").Worker} worker
 * @returns {Promise<number[]>}
 */
async function popupSize(context, worker) {
  const session = await /** @type {import("playwright-core").Browser} */ (context.browser()).newBrowserCDPSession();
  await context.pages()[0].goto("about:blank");
  await context.pages()[0].bringToFront();
  const known = (await session.send("Target.getTargets")).targetInfos.map(({ targetId }) => targetId);
  await worker.evaluate("chrome.windows.getAll().then(([{ id }]) => chrome.action.openPopup({ windowId: id }))");
  for (;;) {
    const { targetInfos } = await session.send("Target.getTargets");
    const popup = targetInfos.find(({ targetId, url }) => url.endsWith("/popup.html") && !known.includes(targetId));
    const size = popup && (await inside(session, popup.targetId, "document.querySelector('#link[data-ready]') ? [innerWidth, document.documentElement.scrollWidth] : null"));
    if (size) return size;
  }
}

/**
 * What an expression gives in a target that is no page of Playwright's.
 * @param {import("playwright-core").CDPSession} session
 * @param {string} targetId
 * @param {string} expression
 */
async function inside(session, targetId, expression) {
  const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
  const heard = new Promise((resolve) => session.once("Target.receivedMessageFromTarget", resolve));
  await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { returnByValue: true, expression } }) });
  return JSON.parse((await heard).message).result?.result?.value;
}

/**
 * Goes on with Tab until it is there.
 * @param {import("playwright-core").Page} page
 * @param {string} selector
 */
async function tabTo(page, selector) {
  for (let i = 0; i < 80; i++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${selector}`);
}
