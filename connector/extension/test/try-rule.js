// npm run rule -- --url URL FILE.html: what the rule of a site finds in a page that was saved. Nothing of the page runs.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { SitePage } from "./site-page.js";

const { values, positionals } = parseArgs({ options: { url: { type: "string" } }, allowPositionals: true });
if (!values.url || !URL.canParse(values.url) || positionals.length !== 1) {
  console.error("usage: npm run rule -- --url URL FILE.html");
  process.exit(2);
}
const file = path.resolve(process.env.INIT_CWD ?? ".", positionals[0]);
const page = new SitePage(fs.readFileSync(file, "utf8"), values.url);
console.log(JSON.stringify(await page.answer()));
page.screening.close();
