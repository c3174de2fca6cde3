// The texts: the languages agree, every key that is used exists, and every
// key that exists is used.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";

const source = path.join(import.meta.dirname, "../source");
const languages = fs.readdirSync(path.join(source, "_locales"));

/** @param {string} language */
const read = (language) => JSON.parse(fs.readFileSync(path.join(source, "_locales", language, "messages.json"), "utf8"));

/** @param {string} dir @returns {string[]} */
const files = (dir) => fs.readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => path.join(dir, name));

/** How code, HTML and manifest name a key. */
const USES = [
  /\btext\(\s*"(\w+)"/g,
  /\btext\([^;"]*?\? "(\w+)" : "(\w+)"/g,
  /\bgetMessage\(\s*"(\w+)"/g,
  /"(badge[A-Z]\w*)"/g,
  /data-(?:text|label|placeholder)="(\w+)"/g,
  /__MSG_(\w+)__/g,
];
const COUNTED = [/\bcounted\(\s*"(\w+)"/g];

/** @param {string} code @param {RegExp[]} patterns */
const found = (code, patterns) => patterns.flatMap((pattern) => [...code.matchAll(pattern)].flatMap(([, ...keys]) => keys.filter(Boolean)));

function usedKeys() {
  const used = new Set();
  for (const file of files(source).filter((name) => /\.(js|html)$|manifest\.json$/.test(name))) {
    const code = fs.readFileSync(file, "utf8");
    for (const key of found(code, USES)) used.add(key);
    for (const key of found(code, COUNTED)) used.add(`${key}_one`).add(`${key}_other`);
  }
  return used;
}

test("every key that is used exists, and every key that exists is used", () => {
  const used = [...usedKeys()].sort();
  assert.ok(used.length > 100);
  assert.deepEqual(Object.keys(read("en")).sort(), used);
});

/** @param {any} entry */
const shape = ({ message, placeholders = {} }) => ({
  named: Object.entries(placeholders).map(([name, { content }]) => `${name}=${content}`).sort(),
  used: [...new Set([...message.matchAll(/\$(\w+)\$/g)].map(([, name]) => name.toLowerCase()))].sort(),
  commands: [...message.matchAll(/`[^`]*`/g)].map(([command]) => command).sort(),
});

test("the languages have the same keys, placeholders and commands", () => {
  assert.ok(languages.includes("en") && languages.length >= 2);
  const en = read("en");
  for (const language of languages) {
    const other = read(language);
    assert.deepEqual(Object.keys(other), Object.keys(en), language);
    for (const [key, entry] of Object.entries(other)) {
      assert.deepEqual(shape(entry), shape(en[key]), `${language} ${key}`);
      assert.deepEqual(shape(entry).used, Object.keys(entry.placeholders ?? {}).sort(), `${language} ${key}`);
      assert.notEqual(entry.message.trim(), "", key);
    }
  }
});

test("the texts keep to the limits of the stores and to plain text", () => {
  for (const language of languages) {
    const messages = read(language);
    assert.equal(messages.language.message, language);
    assert.ok(messages.description.message.length <= 132, "a store takes 132 characters");
    for (const [key, { message }] of Object.entries(messages)) {
      assert.ok(!/[<>]/.test(/** @type {string} */ (message)), `${key} is not HTML`);
      assert.equal(message.split("`").length % 2, 1, `${key} closes its code`);
    }
  }
});

test("no page makes HTML out of text", () => {
  for (const file of files(source).filter((name) => name.endsWith(".js"))) {
    const code = fs.readFileSync(file, "utf8");
    assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(code), file);
  }
  for (const file of files(source).filter((name) => name.endsWith(".html"))) {
    const html = fs.readFileSync(file, "utf8");
    assert.ok(!/\son\w+=|\sstyle=|<style|<script(?![^>]*\ssrc=)|https?:/.test(html), file);
  }
});
