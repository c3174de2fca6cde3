import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Backoff } from "../source/background/backoff.js";
import { newNonce, proofOf } from "../source/background/proof.js";

test("the proof is the one that the daemon computes", async () => {
  const example = JSON.parse(await readFile(new URL("../../protocol/testdata/proof.json", import.meta.url), "utf8"));
  assert.equal(await proofOf(example.token, example.nonce), example.proof);
});

test("no nonce comes twice", () => {
  const seen = new Set(Array.from({ length: 1000 }, newNonce));
  assert.equal(seen.size, 1000);
  for (const nonce of seen) assert.match(nonce, /^[\w-]{43}$/);
});

test("back-off doubles from 1 s to 60 s, with jitter, and ends", () => {
  for (const random of [() => 0, () => 0.5, () => 0.999]) {
    const backoff = new Backoff(random);
    const waits = Array.from({ length: 9 }, () => backoff.fail(0));
    for (const wait of waits) assert.ok(wait >= 1000 && wait <= 60_000, String(wait));
    assert.ok(waits[3] >= 6000 && waits[3] <= 10_000, String(waits[3]));
    assert.ok(waits[8] >= 45_000);
    assert.ok(backoff.left(1000) > 0);
    assert.equal(backoff.left(60_000), 0);
    backoff.fail(0);
    backoff.reset();
    assert.equal(backoff.left(0), 0);
    assert.ok(backoff.fail(0) < 1300);
  }
});

test("back-off heeds what the daemon has asked for", () => {
  assert.equal(new Backoff(() => 0).fail(0, 5000), 5000);
  assert.equal(new Backoff(() => 0).fail(0, 1e9), 60_000);
});
