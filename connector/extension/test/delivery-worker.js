/** A background worker that delivers, of which a test keeps the disk when it kills the worker. */
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { Database } from "../source/background/database.js";
import { Backoff, Delivery } from "../source/background/deliver.js";
import { Link } from "../source/background/link.js";
import { Outbox } from "../source/background/outbox.js";
import { edges } from "./fake-daemon.js";

globalThis.IDBKeyRange = IDBKeyRange;

export const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
export const event = (n, more = {}) => ({
  id: uuid(n), state: "waiting", title: `Film ${n}`, at: "2026-03-01T20:15:00Z", message: { type: "viewing", id: uuid(n), ...more },
});

/** Waits a hundredth of the real time. */
export class Hasty extends Backoff {
  fail(now) {
    const wait = super.fail(now) / 100;
    this.ends = now + wait;
    return wait;
  }
  left(now) {
    return super.left(now) > 0 ? Math.max(0, (this.ends ?? 0) - now) : 0;
  }
}

/** A worker: what lives in memory. Kill it, and build another on the same disk. */
export function worker(daemon, disk = { factory: new IDBFactory(), around: edges(daemon), alarm: { set: 0, on: false } }, times = { idle: 40, answer: 60 }, backoff = new Hasty(() => 0.5)) {
  const outbox = new Outbox(new Database(disk.factory));
  const link = new Link(disk.around);
  const delivery = new Delivery({
    outbox, link, backoff, times, changed: () => {}, unread: async () => [],
    wakeLater: async () => {
      disk.alarm.set++;
      disk.alarm.on = true;
    },
    sleep: async () => {
      disk.alarm.on = false;
    },
  });
  return { disk, outbox, link, delivery };
}

export const empty = (outbox) => async () => (await outbox.count()).waiting === 0;
