/** Words of the item before, which a player shows once more while the next one begins. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Screening } from "./screening.js";

const RULE = { name: "netflix", bind: "address" };
const OLD = { name: "Reel Life", place: "S1:E2 Leader" };
const NEW = { name: "Reel Life", place: "S1:E3 Splice" };

/**
 * What is known of the second item, when each second of it shows these words.
 * @param {Record<string, string>[]} shown
 */
function told(shown) {
  const screening = new Screening({});
  const { Words } = screening.window.filmspool.siteWords;
  const first = new Words();
  for (const second of [0, 1]) first.take({ numbers: { title: "1" }, said: [OLD] }, second * 1000);
  const words = new Words(first.all);
  shown.forEach((said, i) => words.take({ numbers: { title: "2" }, said: [said] }, (10 + i) * 1000));
  screening.close();
  return structuredClone(words.evidence(RULE));
}

const known = (/** @type {Record<string, string>} */ words) => ({ name: "netflix", numbers: { title: "2" }, said: [words] });

test("old words that come back after a moment without words are still those of before", () => {
  assert.deepEqual(told([{}, OLD, OLD, OLD, NEW, NEW]), known(NEW));
});

test("the same words that come after a second without any are those of the next item", () => {
  assert.deepEqual(told([{}, {}, OLD, OLD]), known(OLD));
});
