import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { fakeBrowser } from "./fake-browser.js";

const api = (globalThis.chrome = fakeBrowser());
const { lookOf, showBadge } = await import("../source/background/badge.js");

const calm = () => ({
  link: { state: "connected" },
  daemon: { online: true, pending: 3, attention: 0, lastDelivered: null },
  outbox: { waiting: 0, full: false, rejected: [] },
  paused: false,
});

/** From the least to the most pressing: each is added to those before, and shows. */
const steps = [
  ["", "name", () => {}],
  ["II", "badgePaused", (state) => (state.paused = true)],
  ["!", "badgeAttention", (state) => (state.daemon.attention = 2)],
  ["!", "badgeProblem", (state) => (state.daemon.problems = [{ severity: "soon", text: "Soon.", act: "Do." }, { severity: "needs you", text: "The disk is full.", act: "Make room." }])],
  ["12", "badgeWaiting", (state) => (state.outbox.waiting = 12)],
  ["999+", "badgeWaiting", (state) => (state.outbox.waiting = 1000)],
  ["!", "badgeRejected", (state) => state.outbox.rejected.push({}, {})],
  ["!", "badgeUnpaired", (state) => (state.link.state = "unpaired")],
  ["!", "badgeOld", (state) => (state.link.state = "old")],
  ["!", "badgeStranger", (state) => (state.link.state = "stranger")],
  ["!", "badgeRevoked", (state) => (state.link.state = "revoked")],
  ["!", "badgeFull", (state) => (state.outbox.full = true)],
];

test("the most pressing shows, as a sign and in words", () => {
  const state = calm();
  for (const [text, key, change] of steps) {
    change(state);
    const look = lookOf(state);
    assert.deepEqual([look.text, look.key], [text, key]);
    assert.match(look.fallback, /^Filmspool/);
  }
});

test("what is not paired yet is a step to be taken, and trouble once something waits for it", () => {
  const unpaired = { ...calm(), link: { state: "unpaired" } };
  assert.deepEqual([lookOf(unpaired).text, lookOf(unpaired).key, lookOf(unpaired).color], ["…", "badgeUnpaired", "#4d4d4d"]);
  for (const kept of [{ waiting: 1 }, { rejected: [{}] }]) {
    const { text, color } = lookOf({ ...unpaired, outbox: { ...unpaired.outbox, ...kept } });
    assert.deepEqual([text, color], ["!", "#a5271d"]);
  }
});

test("an offline daemon alone is no trouble: what is watched is safe here", () => {
  assert.equal(lookOf({ ...calm(), link: { state: "offline" } }).text, "");
});

test("every title stands in every language, with its number", async () => {
  for (const language of ["en", "de"]) {
    const messages = JSON.parse(await readFile(new URL(`../source/_locales/${language}/messages.json`, import.meta.url), "utf8"));
    const state = calm();
    for (const [, , change] of steps) {
      change(state);
      const { key, args } = lookOf(state);
      assert.ok(messages[key], `${language}: ${key}`);
      assert.equal(Object.keys(messages[key].placeholders ?? {}).length, args.length, `${language}: ${key}`);
    }
  }
});

test("the badge is shown", async () => {
  const state = calm();
  state.outbox.waiting = 3;
  await showBadge(state);
  assert.deepEqual(api.badge, { text: "3", color: "#1f4e9c", title: "Filmspool: 3 waiting to be sent" });
});
