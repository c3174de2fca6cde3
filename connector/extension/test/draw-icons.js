// Draws source/icons/*.png from spool.svg with Chromium; run it after a change
// of the SVG: node draw-icons.js
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";

const icons = path.join(import.meta.dirname, "../source/icons");
const svg = fs.readFileSync(path.join(icons, "spool.svg"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", chromiumSandbox: process.getuid?.() !== 0 });
for (const size of [16, 32, 48, 128]) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  await page.screenshot({ path: path.join(icons, `${size}.png`), omitBackground: true });
  await page.close();
}
await browser.close();
