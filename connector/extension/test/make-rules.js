// Writes source/sites/rules.js from the files of the rules: node make-rules.js.
// Chromium does not start a background again that imports JSON.
import fs from "node:fs";
import path from "node:path";

const sites = path.join(import.meta.dirname, "../source/sites");
export const made = path.join(sites, "rules.js");

/** A line for each part. @param {Record<string, unknown>} rule */
const parts = (rule) => Object.entries(rule).map(([name, part]) => `    "${name}": ${JSON.stringify(part)},\n`).join("");

/** What the file has to hold. */
export function rulesFile() {
  const names = fs.readdirSync(sites).filter((name) => name.endsWith(".json")).sort();
  const all = names.map((name) => [name.replace(/\.json$/, ""), JSON.parse(fs.readFileSync(path.join(sites, name), "utf8"))]);
  return `/**
 * The rules beside this file, in one module. It is made by test/make-rules.js.
 * @type {Record<string, any>}
 */
export const files = {
${all.map(([name, rule]) => `  "${name}": {\n${parts(rule)}  },\n`).join("")}};
`;
}

if (import.meta.filename === process.argv[1]) fs.writeFileSync(made, rulesFile());
