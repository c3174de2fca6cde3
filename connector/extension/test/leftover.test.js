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
  const words = new screening.window.filmspool.words.Words();
  const take = (/** @type {string} */ title, /** @type {{}} */ said, /** @type {number} */ second) =>
    words.take(RULE, { numbers: { title }, said: [said], missing: [] }, { medium: {}, sinceLoad: 0 }, second * 1000);
  for (const second of [0, 1]) take("1", OLD, second);
  shown.forEach((said, i) => take("2", said, 10 + i));
  screening.close();
  return structuredClone(words.told(RULE));
}

const known = (/** @type {Record<string, string>} */ words) => ({ name: "netflix", numbers: { title: "2" }, said: [words] });

test("old words that come back after a moment without words are still those of before", () => {
  assert.deepEqual(told([{}, OLD, OLD, OLD, NEW, NEW]), known(NEW));
});

test("the same words that come after a second without any are those of the next item", () => {
  assert.deepEqual(told([{}, {}, OLD, OLD]), known(OLD));
});
