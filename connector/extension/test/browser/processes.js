// Processor time of a browser's processes, from /proc.
import fs from "node:fs";

/** What getconf CLK_TCK gives on every Linux that browsers run on. */
const TICKS = 100;

/** All processes: their parent and the processor time they have used, in ticks. */
function table() {
  /** @type {Map<number, {parent: number, ticks: number}>} */
  const all = new Map();
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) {
      continue;
    }
    try {
      const fields = fs.readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      all.set(Number(name), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // it has just ended
    }
  }
  return all;
}

/** Whether pages or extensions run in it: a renderer of Chromium, a content process of Firefox. @param {number} id */
function isContent(id) {
  try {
    return /--type=renderer|-contentproc.*\0tab\0?$/s.test(fs.readFileSync(`/proc/${id}/cmdline`, "latin1"));
  } catch {
    return false; // it has just ended
  }
}

/** Processor time, in seconds, of all content processes under that one. @param {number} browser */
export function contentSeconds(browser) {
  const all = table();
  /** @param {number} id @returns {boolean} */
  const within = (id) => id === browser || (id > 1 && within(all.get(id)?.parent ?? 0));
  let ticks = 0;
  for (const [id, one] of all) {
    if (isContent(id) && within(id)) {
      ticks += one.ticks;
    }
  }
  return ticks / TICKS;
}
