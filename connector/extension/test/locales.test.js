/** The languages have the same texts, with the same values in them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { texts } from "./page-rig.js";

test("every text stands in English and German, with the same placeholders", () => {
  const shapes = ["en", "de"].map((language) => Object.entries(texts(language)).map(([key, { message, placeholders = {} }]) => {
    const used = new Set([...message.matchAll(/\$(\w+)\$/g)].map(([, name]) => name.toLowerCase()));
    assert.deepEqual([...used].sort(), Object.keys(placeholders).sort(), `${language}: ${key}`);
    return `${key} ${[...used].sort()}`;
  }).sort());
  assert.deepEqual(shapes[0], shapes[1]);
});
