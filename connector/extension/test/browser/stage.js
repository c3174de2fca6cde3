// Where the scenarios play: in which browsers, and what if one is missing.
import fs from "node:fs";
import { describe, it } from "node:test";
import { Chromium, CHROMIUM } from "./chromium.js";
import { Firefox, FIREFOX } from "./firefox.js";

/** @typedef {Chromium | Firefox} Browser */

/** A browser that hangs is a failure. The longest takes a third of this, in milliseconds. */
const PATIENCE = 10 * 60_000;

const BROWSERS = [
  { name: "chromium", program: CHROMIUM, debian: "chromium", Browser: Chromium },
  { name: "firefox", program: FIREFOX, debian: "firefox-esr", Browser: Firefox },
];

/**
 * Describes the scenarios of one browser. Without that browser they are
 * skipped, in one line, unless FILMSPOOL_BROWSERS=required.
 * @param {"chromium" | "firefox"} name
 * @param {string} what
 * @param {(Browser: any) => void} scenarios
 */
export function stage(name, what, scenarios) {
  const { program, debian, Browser } = /** @type {typeof BROWSERS[0]} */ (BROWSERS.find((one) => one.name === name));
  if (fs.existsSync(program)) {
    describe(`${name}: ${what}`, { concurrency: 1, timeout: PATIENCE }, () => scenarios(Browser));
    return;
  }
  const why = `${name} is missing; to install it: apt-get install ${debian}`;
  if (process.env.FILMSPOOL_BROWSERS === "required") {
    it(`${name}: ${what}`, () => { throw new Error(why); });
  } else {
    it(`${name}: ${what}`, { skip: why });
  }
}
