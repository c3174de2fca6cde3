// Makes the pictures for the stores, from the real pages with invented
// viewings: node pictures.js FOLDER
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { places } from "../source/background/places.js";
import { patterns } from "../source/pages/places.js";
import { stateWith } from "./fake-api.js";
import { SCENES } from "./page-scenes.js";
import { executablePath, ORIGIN, serve, show } from "./served.js";

const folder = process.argv[2];
if (!folder) throw new Error("which folder? node pictures.js FOLDER");

const all = await places(/** @type {any} */ ({ all: async () => ({}) }));
const sites = all.slice(0, 3).flatMap(patterns).map((origin) => ({ origin, granted: true }));
const options = { page: /** @type {const} */ ("options"), script: { state: stateWith({ places: all, sites }) } };

/** @type {{name: string, scene: import("./page-scenes.js").Scene, part?: string, words?: Record<string, string>}[]} */
const SHOTS = [
  { name: "1-playing", scene: SCENES["popup-playing"], words: { en: "What you watch is noted once you have really watched it.", de: "Was du schaust, wird notiert, sobald du es wirklich gesehen hast." } },
  { name: "2-sites", scene: options, part: "#sites-heading" },
  { name: "3-questions", scene: SCENES["popup-cards"], words: { en: "You are asked once, and only where nothing is certain.", de: "Du wirst nur einmal gefragt, und nur, wo nichts sicher ist." } },
  { name: "4-privacy", scene: options, part: "#privacy-heading" },
];

const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
const page = await browser.newPage({ reducedMotion: "reduce" });
await page.route(`${ORIGIN}/**`, serve);
fs.mkdirSync(folder, { recursive: true });

/** @param {string} name @param {number} width @param {number} height @param {string} content of a page without the policy */
async function compose(name, width, height, content) {
  await page.goto("about:blank");
  await page.setViewportSize({ width, height });
  await page.setContent(`<style>body{margin:0;height:100vh;display:flex;align-items:center;justify-content:space-evenly;gap:40px;background:#e8eef7;color:#1b1d22;font:600 40px/1.3 system-ui,sans-serif}
    p{max-width:14em;margin:0}img{max-height:88vh;border-radius:12px;box-shadow:0 6px 30px #0003}svg{width:30%}</style>${content}`);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

for (const language of ["en", "de"]) {
  for (const { name, scene, part, words } of SHOTS) {
    await page.setViewportSize(words ? { width: 360, height: 600 } : { width: 1280, height: 800 });
    await show(page, scene, { language });
    if (part) await page.locator(part).evaluate((heading) => heading.closest("section")?.scrollIntoView({ block: "start" }));
    const shot = await page.screenshot(words ? {} : { path: path.join(folder, `${name}-${language}.png`) });
    if (words) await compose(`${name}-${language}`, 1280, 800, `<p>${words[language]}</p><img src="data:image/png;base64,${shot.toString("base64")}">`);
  }
}
const icon = fs.readFileSync(path.join(import.meta.dirname, "../source/icons/spool.svg"), "utf8");
await compose("tile", 440, 280, `${icon}<p>Filmspool</p>`);
await browser.close();
