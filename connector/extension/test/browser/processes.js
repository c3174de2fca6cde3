// Processor time and memory of a browser's processes, from /proc.
import fs from "node:fs";

/** All processes and their parents. */
function table() {
  /** @type {Map<number, number>} */
  const all = new Map();
  for (const name of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) {
      continue;
    }
    try {
      const fields = fs.readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      all.set(Number(name), Number(fields[1]));
    } catch {
      // it has just ended
    }
  }
  return all;
}

/** The processor time that the threads of a process have used, in nanoseconds. @param {number} id */
function used(id) {
  let sum = 0;
  for (const thread of fs.readdirSync(`/proc/${id}/task`)) {
    sum += Number(fs.readFileSync(`/proc/${id}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  }
  return sum;
}

/** Whether pages or extensions run in it: a renderer of Chromium, a content process of Firefox. @param {number} id */
function isContent(id) {
  try {
    return /--type=renderer|-contentproc.*[ \0]tab\0*$/s.test(fs.readFileSync(`/proc/${id}/cmdline`, "latin1"));
  } catch {
    return false; // it has just ended
  }
}

/** The sum over all content processes under that one. @param {number} browser @param {(id: number) => number} figure */
function sum(browser, figure) {
  const all = table();
  /** @param {number} id @returns {boolean} */
  const within = (id) => id === browser || (id > 1 && within(all.get(id) ?? 0));
  let sum = 0;
  for (const id of all.keys()) {
    if (isContent(id) && within(id)) {
      try {
        sum += figure(id);
      } catch {
        // it has just ended
      }
    }
  }
  return sum;
}

/** Processor time, in seconds, of all content processes under that one. @param {number} browser */
export const contentSeconds = (browser) => sum(browser, used) / 1e9;

/** The memory of a process, in bytes; what it shares counts in part. @param {number} id */
const held = (id) => 1024 * Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${id}/smaps_rollup`, "utf8"))?.[1]);

/** The memory, in bytes, of all content processes under that one. @param {number} browser */
export const contentBytes = (browser) => sum(browser, held);
