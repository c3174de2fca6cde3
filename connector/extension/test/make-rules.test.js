import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { made, rulesFile } from "./make-rules.js";

const source = path.join(import.meta.dirname, "../source");

test("the module of the rules is made from their files: node make-rules.js", () => {
  assert.equal(fs.readFileSync(made, "utf8"), rulesFile());
});

test("nothing imports JSON: Chromium does not start such a background again", () => {
  for (const name of fs.readdirSync(source, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".js"))) {
    assert.doesNotMatch(fs.readFileSync(path.join(source, name), "utf8"), /^(?:import|export)\b.*\.json"/m, name);
  }
});
