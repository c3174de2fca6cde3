// The button's badge: the most pressing shows, as a sign and in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { badgeOf } from "../source/background/badge.js";
import { texts } from "./page-rig.js";

const calm = () => ({
  link: { state: "connected" }, daemon: { online: true, pending: 3, attention: 0, lastDelivered: null, problems: [] },
  outbox: { waiting: 0, full: false, rejected: [] }, paused: false,
});

/** From the least to the most pressing: each is added to those before, and shows. */
const STEPS = [
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

test("the most pressing shows, and its title has as many values as its text", () => {
  const state = calm();
  for (const [text, key, change] of STEPS) {
    change(state);
    const badge = badgeOf(state);
    assert.deepEqual([badge.text, badge.key], [text, key]);
    assert.equal(Object.keys(texts("en")[key].placeholders ?? {}).length, badge.args.length, key);
  }
});

test("a daemon that is away is no trouble; no pairing is a step to be taken, and trouble once something waits for it", () => {
  const [quiet, trouble] = ["#4d4d4d", "#a5271d"];
  for (const [state, waiting, text, color] of [["offline", 0, "", quiet], ["unpaired", 0, "…", quiet], ["unpaired", 1, "!", trouble]]) {
    const badge = badgeOf({ ...calm(), link: { state }, outbox: { ...calm().outbox, waiting } });
    assert.deepEqual([badge.text, badge.color], [text, color], `${state} ${waiting}`);
  }
});
