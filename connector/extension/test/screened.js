import { test } from "node:test";
import { Screening } from "./screening.js";

/** Runs a test on a page of its own. */
export function screened(name, run, options = {}) {
  test(name, async () => {
    const screening = new Screening(options);
    try {
      await run(screening);
    } finally {
      screening.close();
    }
  });
}
