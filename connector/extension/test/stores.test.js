// The page for the stores has a reason for every permission, and for no other.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

const read = (/** @type {string} */ name) => fs.readFileSync(path.join(import.meta.dirname, "..", name), "utf8");

test("every permission of the manifest has its reason, and nothing else has", () => {
  const { permissions, optional_host_permissions, host_permissions = [], optional_permissions = [], browser_specific_settings } = JSON.parse(read("source/manifest.json"));
  const [, table] = read("STORES.md").split("## Why each permission");
  const [reasons] = table.split("\n## ");
  const named = [...reasons.matchAll(/^\| `([^`]+)`(?: \(optional\))? \| \S/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), [...permissions, ...optional_host_permissions, ...host_permissions, ...optional_permissions].sort());
  for (const kind of browser_specific_settings.gecko.data_collection_permissions.required) assert.ok(read("STORES.md").includes(`\`${kind}\``), kind);
});

