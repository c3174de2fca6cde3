// The pages of the extension, served to a real Chromium with a scripted
// background and the extension's own content security policy.
import fs from "node:fs";
import path from "node:path";
import { fakeApi } from "./fake-api.js";
import { texts } from "./page-rig.js";

const source = path.join(import.meta.dirname, "../source");
const manifest = JSON.parse(fs.readFileSync(path.join(source, "manifest.json"), "utf8"));
const TYPES = /** @type {Record<string, string>} */ ({ ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".png": "image/png" });

export const ORIGIN = "https://extension.example";
export const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** @param {import("playwright-core").Route} route */
export async function serve(route) {
  const file = path.join(source, new URL(route.request().url()).pathname);
  await route.fulfill({
    body: fs.readFileSync(file),
    contentType: TYPES[path.extname(file)],
    headers: { "Content-Security-Policy": manifest.content_security_policy.extension_pages },
  });
}

/**
 * Opens the page of a scene.
 * @param {import("playwright-core").Page} page
 * @param {import("./page-scenes.js").Scene} scene
 * @param {{language?: string, rtl?: boolean}} [how]
 */
export async function show(page, scene, { language = "en", rtl = false } = {}) {
  const script = await page.addInitScript(`
    globalThis.rig = (${fakeApi})(${JSON.stringify(texts(language))}, ${JSON.stringify(scene.script)});
    globalThis.browser = rig.api;
    if (${rtl}) { const get = rig.api.i18n.getMessage; rig.api.i18n.getMessage = (key, values) => key === "@@bidi_dir" ? "rtl" : get(key, values); }
  `);
  await page.goto(`${ORIGIN}/pages/${scene.page}.html${scene.hash ?? ""}`);
  await script.dispose();
  await page.waitForSelector("#link[data-ready]", { state: "attached" });
  await scene.then?.(page);
}
