// npm run rule -- --url URL FILE.html: what the rule of a site finds in a page that was saved. Nothing of the page runs.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { SitePage } from "./site-page.js";

const USAGE = "usage: npm run rule -- --url URL FILE.html";

function input() {
  try {
    const { values, positionals } = parseArgs({ options: { url: { type: "string" } }, allowPositionals: true });
    if (values.url && URL.canParse(values.url) && positionals.length === 1) return { url: values.url, file: positionals[0] };
  } catch {
    // Said below.
  }
  return null;
}

const asked = input();
if (!asked) {
  console.error(USAGE);
  process.exit(2);
}
const file = path.resolve(process.env.INIT_CWD ?? ".", asked.file);
if (!fs.existsSync(file)) {
  console.error(`There is no file ${file}.\n${USAGE}`);
  process.exit(2);
}
const page = new SitePage(fs.readFileSync(file, "utf8"), asked.url);
console.log(JSON.stringify(await page.answer()));
page.screening.close();
