/**
 * The whole background, from message to message, in a browser of paper. It
 * begins when this file is imported, with a daemon that it is not paired with.
 */
import assert from "node:assert/strict";
import { after, beforeEach } from "node:test";
import "fake-indexeddb/auto";
import { fakeBrowser, sender } from "./fake-browser.js";
import { Database } from "../source/background/database.js";
import { Outbox } from "../source/background/outbox.js";
import { FakeDaemon, until } from "./fake-daemon.js";

export const api = (globalThis.chrome = fakeBrowser());
export const daemon = new FakeDaemon();
globalThis.WebSocket = daemon.WebSocket;
globalThis.fetch = daemon.fetch;
await import("../source/background/main.js");
export const { page, content, stranger } = sender(api);
export const outbox = new Outbox(new Database()); // the same as the background's

export const state = () => page({ kind: "state" });
export const settled = (condition, what) => until(async () => condition(await state()), what);
export const uuid = () => crypto.randomUUID();
export const sitting = (more = {}, evidence = {}) => ({
  id: uuid(), url: "https://films.example/watch/1?token=secret#x", host: "films.example", title: "The Wire", startedAt: "2026-03-01T20:00:00+01:00",
  at: "2026-03-01T21:00:00+01:00", duration: 3600, position: 3000, played: 2900.123,
  evidence: { jsonld: [], mediaSession: null, links: [], attributes: {}, provider: null, ...evidence }, ...more,
});
/** A certain film is watched. */
export const watch = async () => {
  const one = sitting({}, certainly);
  assert.deepEqual(await content({ kind: "watched", sitting: one }), { kept: true });
  return one;
};
export const certainly = { jsonld: [{ type: "Movie", name: "The Matrix", refs: ["https://www.themoviedb.org/movie/603"] }] };
/** Pairs the browser by a code. */
export async function paired() {
  daemon.listens = true;
  daemon.token = "t".repeat(43);
  assert.deepEqual(await page({ kind: "pair", code: daemon.code, label: "Desk", address: "127.0.0.1:43456" }), { ok: true });
}

/** What the daemon answers where a test says nothing else. */
export const accepting = daemon.answers;

beforeEach(() => {
  daemon.answers = accepting;
  daemon.heard.length = 0;
});

after(() => daemon.socket?.shut(1001)); // else it would stay open until it has been idle for long enough
