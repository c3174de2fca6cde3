// Draws source/icons/*.png from spool.svg with Chromium; run it after a change
// of the SVG: node draw-icons.js
import fs from "node:fs";
import path from "node:path";
import puppeteer from "puppeteer-core";

const icons = path.join(import.meta.dirname, "../source/icons");
const svg = fs.readFileSync(path.join(icons, "spool.svg"), "utf8");
const browser = await puppeteer.launch({ executablePath: process.env.FILMSPOOL_CHROMIUM ?? "/usr/bin/chromium", args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
for (const size of [16, 32, 48, 128]) {
  const page = await browser.newPage();
  await page.setViewport({ width: size, height: size });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`);
  await page.screenshot({ path: path.join(icons, `${size}.png`), omitBackground: true });
  await page.close();
}
await browser.close();
