/** Pairing by two clicks: what is said to whom, and what is believed. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Knock } from "../source/background/knock.js";
import { checkNumber, commitmentTo } from "../source/background/proof.js";
import { FakeDaemon, until } from "./fake-daemon.js";

const WISH = { address: "127.0.0.1:43456", label: "Desk" };

/** A knock at a fake daemon. @param {(daemon: FakeDaemon) => void} [change] */
function knocking(change = () => {}) {
  const daemon = new FakeDaemon();
  daemon.features = ["knock"];
  change(daemon);
  const pairings = [];
  /** @type {number[]} */
  let alone = [];
  const knock = new Knock({
    WebSocket: daemon.WebSocket,
    fetch: daemon.fetch,
    client: { name: "Filmspool", version: "0.0.1", browser: "chromium" },
    paired: async (pairing) => void pairings.push(pairing),
    changed: () => {},
    alone: { load: async () => alone, save: async (times) => void (alone = times) },
  });
  return { daemon, knock, pairings, alone: () => alone };
}

/** The knock has heard all that was said to it: it answers a ping that was said after. @param {FakeDaemon} daemon */
async function heard(daemon) {
  const before = daemon.said("pong").length;
  daemon.socket.tell({ type: "ping" });
  await until(() => daemon.said("pong").length > before, "a ping is answered");
}
const closed = (daemon) => until(() => daemon.sockets.every((socket) => socket.closed), "the socket is closed");

test("the number is the one of the protocol's example", async () => {
  const example = JSON.parse(await readFile(new URL("../../protocol/testdata/knock.json", import.meta.url), "utf8"));
  assert.equal(await checkNumber(example.nonce, example.answer, String(example.port)), example.number);
  assert.equal(await commitmentTo(example.nonce), example.commitment);
});

test("it commits itself first, and shows what it has computed", async () => {
  const { daemon, knock } = knocking();
  await knock.begin(WISH);
  const [, { commitment, label }, { nonce }] = daemon.heard;
  assert.deepEqual(daemon.heard.map(({ type }) => type), ["hello", "knock", "reveal"]);
  assert.equal(label, "Desk");
  assert.equal(await commitmentTo(nonce), commitment);
  const { number, ...rest } = knock.shown;
  assert.equal(number, await checkNumber(nonce, daemon.nonce, "43456"));
  assert.deepEqual(rest, { accepted: false, agreed: false, phase: "open", alone: false });
  knock.end();
  await closed(daemon);
});

for (const order of [["here", "there"], ["there", "here"]]) {
  test(`a click ${order[0]}, then one ${order[1]}: paired`, async () => {
    const { daemon, knock, pairings } = knocking();
    await knock.begin(WISH);
    for (const place of order) {
      assert.deepEqual(daemon.said("confirm"), []);
      if (place === "here") knock.agree();
      else daemon.letIn(true);
      if (place !== order[1]) await heard(daemon);
    }
    await until(() => knock.shown.phase === "paired", "paired");
    assert.equal(daemon.said("confirm").length, 1);
    assert.deepEqual(pairings, [{ clientId: "c".repeat(16), token: "t".repeat(43), ...WISH }]);
    await closed(daemon);
  });
}

test("a squatter's yes is nothing without the person's click here", async () => {
  const { daemon, knock, pairings } = knocking();
  await knock.begin(WISH);
  const paired = { type: "paired", id: daemon.said("knock")[0].id, clientId: "evil", token: "evil" };
  daemon.socket.tell(paired);
  daemon.letIn(true);
  daemon.socket.tell(paired);
  await heard(daemon);
  assert.deepEqual(pairings, []);
  assert.deepEqual(daemon.said("confirm"), []);
  assert.equal(knock.shown.phase, "open");
  knock.end();
});

test("a click here alone asks for nothing", async () => {
  const { daemon, knock, pairings } = knocking();
  await knock.begin(WISH);
  knock.agree();
  daemon.socket.tell({ type: "paired", id: "x", clientId: "evil", token: "evil" });
  await heard(daemon);
  assert.deepEqual([daemon.said("confirm"), pairings], [[], []]);
  knock.end();
});

/** @type {[string, (daemon: FakeDaemon) => void, string][]} */
const ENDS = [
  ["refused on the page", (daemon) => daemon.letIn(false), "refused"],
  ["the daemon stops", (daemon) => daemon.socket.shut(1001), "lost"],
  ["the disk is full", (daemon) => daemon.socket.tell({ type: "error", code: "STORAGE", message: "no", retryable: true }), "lost"],
];
for (const [what, happens, phase] of ENDS) {
  test(`${what}: it is over, and a later yes is nothing`, async () => {
    const { daemon, knock, pairings } = knocking();
    await knock.begin(WISH);
    const { socket } = daemon;
    happens(daemon);
    await until(() => knock.shown.phase === phase, phase);
    await closed(daemon);
    knock.agree();
    socket.onmessage?.({ data: JSON.stringify({ type: "answered", id: "x", accepted: true }) });
    assert.deepEqual([daemon.said("confirm"), pairings, knock.shown.agreed], [[], [], false]);
  });
}

test("after the time that the daemon gives it is over", async () => {
  const { daemon, knock } = knocking();
  const { answer } = daemon;
  daemon.answer = async (socket, message) =>
    message.type === "knock" ? socket.tell({ type: "knocked", id: message.id, nonce: daemon.nonce, expiresInMs: 30 }) : answer.call(daemon, socket, message);
  await knock.begin(WISH);
  await until(() => knock.shown.phase === "expired", "it is over");
  await closed(daemon);
});

/** @type {[string, (daemon: FakeDaemon) => void, string][]} */
const PROBLEMS = [
  ["a daemon from before there were knocks", (daemon) => (daemon.features = []), "KNOCK_OLD"],
  ["nobody there", (daemon) => (daemon.listens = false), "OFFLINE"],
  ["another program", (daemon) => (daemon.health = { service: "zotero" }), "STRANGER"],
  ["another version", (daemon) => (daemon.health.protocol = [2]), "UNSUPPORTED_VERSION"],
];
for (const [what, change, code] of PROBLEMS) {
  test(`${what}: ${code}, and nothing is shown`, async () => {
    const { daemon, knock } = knocking(change);
    await assert.rejects(knock.begin(WISH), { code });
    assert.equal(knock.shown, null);
    assert.deepEqual(daemon.said("knock"), []);
    await closed(daemon);
  });
}

test("two clicks at once: one knock, and the other socket is closed", async () => {
  const { daemon, knock } = knocking();
  await Promise.allSettled([knock.begin(WISH), knock.begin(WISH)]);
  await until(() => knock.shown, "one is shown");
  assert.equal(daemon.sockets.filter((socket) => !socket.closed).length, 1);
  knock.end();
  await closed(daemon);
});

test("a pairing that cannot be kept is none", async () => {
  const { daemon, knock, pairings } = knocking();
  pairings.push = () => {
    throw new Error("disk full");
  };
  await knock.begin(WISH);
  knock.agree();
  daemon.letIn(true);
  await until(() => knock.shown.phase === "lost", "it is said");
});

test("without a click it knocks five times in an hour, and one at a time", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
  const { daemon, knock } = knocking();
  for (let i = 0; i < 7; i++) {
    await Promise.all([knock.beginAlone(WISH), knock.beginAlone(WISH)]);
    await knock.beginAlone(WISH);
    assert.equal(daemon.said("knock").length, Math.min(i + 1, 5));
    assert.equal(knock.shown?.alone, i < 5 ? true : undefined);
    knock.end();
  }
  t.mock.timers.tick(3_600_000);
  await knock.beginAlone(WISH);
  assert.equal(daemon.said("knock").length, 6);
  knock.end();
  await closed(daemon);
});

test("without a click: while nobody answers it goes on trying", async () => {
  const { daemon, knock } = knocking((daemon) => (daemon.listens = false));
  for (let i = 0; i < 10; i++) await assert.rejects(knock.beginAlone(WISH), { code: "OFFLINE" });
  daemon.listens = true;
  await knock.beginAlone(WISH);
  assert.equal(knock.shown.alone, true);
  knock.end();
  await closed(daemon);
});

test("without a click: another program is asked five times, and hears of no knock", async () => {
  const { daemon, knock } = knocking((daemon) => (daemon.health = { service: "zotero" }));
  for (let i = 0; i < 10; i++) await knock.beginAlone(WISH).catch(() => {});
  assert.deepEqual([daemon.probes, daemon.heard], [5, []]);
});

/** @type {[string, (knock: Knock, daemon: FakeDaemon) => unknown][]} */
const ANSWERS = [
  ["refused it on the page", (_knock, daemon) => daemon.letIn(false)],
  ["said what is wanted here", (knock) => knock.wait().then(() => knock.end())],
];
for (const [what, happens] of ANSWERS) {
  test(`a person who has ${what} is not asked again without a click`, async () => {
    const { daemon, knock, alone } = knocking();
    await knock.beginAlone(WISH);
    await happens(knock, daemon);
    await closed(daemon);
    await until(() => alone().length === 5, "it is kept that it shall not ask by itself");
    await knock.beginAlone(WISH);
    assert.equal(daemon.said("knock").length, 1);
    await knock.begin(WISH);
    assert.equal(daemon.said("knock").length, 2);
    knock.end();
    await closed(daemon);
  });
}

test("a knock without a click pairs nobody until a person has said yes here", async () => {
  const { daemon, knock, pairings } = knocking();
  await knock.beginAlone(WISH);
  daemon.letIn(true);
  await heard(daemon);
  assert.deepEqual([daemon.said("confirm"), pairings], [[], []]);
  knock.agree();
  await until(() => pairings.length === 1, "it is paired");
});

test("a second click begins anew, with another number to compare", async () => {
  const { daemon, knock, pairings } = knocking();
  await knock.begin(WISH);
  const first = daemon.socket;
  await knock.begin(WISH);
  assert.ok(first.closed);
  assert.equal(new Set(daemon.said("knock").map(({ commitment }) => commitment)).size, 2);
  first.tell({ type: "answered", id: "x", accepted: true });
  knock.agree();
  await heard(daemon);
  assert.deepEqual([daemon.said("confirm"), pairings], [[], []]);
  knock.end();
});
