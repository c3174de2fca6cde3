// The examples of the protocol that the daemon's own tests run, run here
// against the same schemas: both sides mean the same messages.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { describe, test } from "node:test";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const protocol = new URL("../../protocol/", import.meta.url);

/** @param {string} path */
const read = (path) => readFileSync(new URL(path, protocol), "utf8");

const schemas = readdirSync(new URL("schema/", protocol)).map((name) => JSON.parse(read(`schema/${name}`)));
// strictTypes and strictRequired ask for repetitions that the schemas leave to
// those they refer to.
const ajv = addFormats.default(new Ajv2020.default({ schemas, strict: true, strictTypes: false, strictRequired: false }));

/**
 * @param {string} name of a schema
 * @param {unknown} value
 */
function valid(name, value) {
  const check = ajv.getSchema(`https://filmspool.invalid/connector/v1/${name}.schema.json`);
  assert.ok(check, `there is a schema ${name}`);
  return { yes: check(value) === true, why: ajv.errorsText(check.errors) };
}

/** @param {string} from */
function good(from) {
  const names = readdirSync(new URL("testdata/good/", protocol)).filter((name) => name.startsWith(`${from}-`));
  assert.ok(names.length > 0, `there are examples from ${from}`);
  return names.map((name) => ({ name, message: JSON.parse(read(`testdata/good/${name}`)) }));
}

/**
 * A value with fields of tomorrow in each of its objects.
 * @param {any} value
 * @returns {any}
 */
function grown(value) {
  if (Array.isArray(value)) return value.map(grown);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([name, field]) => [name, grown(field)]);
  return { tomorrow: { deep: [1, null] }, TYPE: "history", ...Object.fromEntries(fields) };
}

describe("good examples", () => {
  for (const from of ["client", "daemon"]) {
    for (const { name, message } of good(from)) {
      test(name, () => {
        const { yes, why } = valid(`from-${from}`, message);
        assert.ok(yes, why);
        const newer = valid(`from-${from}`, grown(message));
        assert.ok(newer.yes, `with unknown fields: ${newer.why}`);
      });
    }
  }
  for (const { name, message } of good("http")) {
    test(name, () => {
      const kind = ["posted", "post-error", "post", "health"].find((word) => name.startsWith(`http-${word}`)) ?? "";
      const { yes, why } = valid(kind, message);
      assert.ok(yes, why);
    });
  }
});

describe("bad examples", () => {
  for (const { name, frame, schemaRefuses } of JSON.parse(read("testdata/bad.json"))) {
    if (schemaRefuses) test(name, () => assert.ok(!valid("from-client", JSON.parse(frame)).yes));
  }
  for (const { name, message } of JSON.parse(read("testdata/bad-daemon.json"))) {
    test(name, () => assert.ok(!valid("from-daemon", message).yes));
  }
  for (const { name, body, schemaRefuses } of JSON.parse(read("testdata/bad-post.json"))) {
    if (schemaRefuses) test(`post: ${name}`, () => assert.ok(!valid("post", JSON.parse(body)).yes));
  }
});

test("the proof of the example is what a browser computes", async () => {
  const { token, nonce, proof } = JSON.parse(read("testdata/proof.json"));
  const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const hash = await crypto.subtle.digest("SHA-256", bytes(token));
  const key = await crypto.subtle.importKey("raw", hash, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(nonce)));
  assert.equal(Buffer.from(signed).toString("hex"), proof);
});
