// Writes source/sites/rules.js from the rules beside it, as the packer does: node make-rules.js. The npm scripts run it.
import fs from "node:fs";
import path from "node:path";

const sites = path.join(import.meta.dirname, "../source/sites");
const names = fs.readdirSync(sites).filter((name) => name.endsWith(".json")).sort();
const files = Object.fromEntries(names.map((name) => [path.parse(name).name, JSON.parse(fs.readFileSync(path.join(sites, name), "utf8"))]));
fs.writeFileSync(path.join(sites, "rules.js"), `/** @type {Record<string, any>} */\nexport const files = ${JSON.stringify(files, null, 2)};\n`);
