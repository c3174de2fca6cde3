import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { Link } from "../source/background/link.js";
import { proofOf } from "../source/background/probe.js";
import { LinkProblem } from "../source/background/socket.js";
import { FakeDaemon, edges, pairing, until } from "./fake-daemon.js";

test("the proof is the one that the daemon computes", async () => {
  const example = JSON.parse(await readFile(new URL("../../protocol/testdata/proof.json", import.meta.url), "utf8"));
  assert.equal(await proofOf(example.token, example.nonce), example.proof);
});

/** A link, its daemon, and what it said when it was asked to connect. */
async function connecting(change = () => {}, kept = pairing()) {
  const daemon = new FakeDaemon();
  change(daemon);
  const around = edges(daemon, kept);
  const link = new Link(around);
  const problem = await link.connect().then(() => null, (error) => error);
  return { daemon, link, around, problem };
}

/** What must never have been said to a program that did not prove itself. */
const noSecrets = (daemon) => assert.equal(JSON.stringify(daemon.heard).includes(pairing().token), false);

test("it connects to a daemon that proves itself, and shows the token only then", async () => {
  const { daemon, link, problem } = await connecting();
  assert.equal(problem, null);
  assert.deepEqual(daemon.heard.map(({ type }) => type), ["hello", "auth"]);
  assert.equal(daemon.heard[0].token, undefined);
  assert.equal(daemon.heard[0].clientId, pairing().clientId);
  assert.equal(daemon.sockets[0].url, "ws://127.0.0.1:43456/v1/connector");
  assert.deepEqual(daemon.sockets[0].protocols, ["filmspool.v1"]);
  assert.deepEqual(link.info, { state: "connected", daemonVersion: "1.2.3" });
  assert.equal(link.window, 4);
});

test("a squatter learns nothing, whatever it answers", async (t) => {
  const wrong = {
    "a made-up proof": (daemon) => (daemon.proof = async () => "ab".repeat(32)),
    "the proof of another token": (daemon) => (daemon.token = "other"),
    "no proof": (daemon) => (daemon.proof = async () => undefined),
    "an error": (daemon) => (daemon.answer = async (socket) => socket.tell({ type: "error", code: "PAIRING_REQUIRED" })),
    "a claim to be paired": (daemon) => (daemon.answer = async (socket) => socket.tell({ type: "welcome", v: 1, paired: true })),
    "a close as if revoked": (daemon) => (daemon.answer = async (socket) => socket.shut(4403)),
    "another subprotocol": (daemon) => (daemon.subprotocol = ""),
    "another health": (daemon) => (daemon.health = { service: "zotero" }),
  };
  for (const [name, change] of Object.entries(wrong)) {
    await t.test(name, async () => {
      const { daemon, link, around, problem } = await connecting(change);
      noSecrets(daemon);
      assert.ok(["stranger", "revoked"].includes(problem.state), problem.state);
      assert.equal(link.info.state, problem.state);
      assert.equal(link.connected, false);
      assert.deepEqual(around.store.pairing, pairing(), "the pairing is kept, unmarked");
      await until(() => daemon.sockets.every(({ closed }) => closed), "the socket is closed");
    });
  }
});

test("nobody there: offline, no socket is tried, the pairing stays", async () => {
  const { daemon, link, around, problem } = await connecting((each) => (each.listens = false));
  assert.equal(problem.state, "offline");
  assert.equal(daemon.sockets.length, 0);
  assert.deepEqual(around.store.pairing, pairing());
  daemon.listens = true;
  await link.connect();
  assert.equal(link.info.state, "connected");
});

test("the address changes while it connects: it ends at the new one", async () => {
  const daemon = new FakeDaemon();
  const link = new Link(edges(daemon));
  daemon.proof = async () => {
    daemon.proof = (nonce) => proofOf(pairing().token, nonce);
    daemon.address = "127.0.0.1:50000";
    link.drop(new LinkProblem("ready"));
    return undefined;
  };
  await link.connect();
  assert.equal(link.info.state, "connected");
  assert.match(daemon.socket.url, /:50000/);
  assert.deepEqual(daemon.sockets.map(({ closed = false }) => closed), [true, false]);
});

test("the pairing is taken away while it connects: it does not stay connected, nor come back", async () => {
  const daemon = new FakeDaemon();
  const around = edges(daemon, { ...pairing(), revoked: true });
  const link = new Link(around);
  const { answer } = daemon;
  daemon.answer = async (socket, message) => {
    if (message.type === "auth") {
      around.store.pairing = undefined;
      link.unpaired();
    }
    return answer.call(daemon, socket, message);
  };
  const problem = await link.connect({ again: true }).catch((error) => error);
  assert.equal(problem.state, "unpaired");
  assert.equal(link.connected, false);
  assert.equal(around.store.pairing, undefined);
  assert.ok(daemon.sockets.every(({ closed }) => closed));
});

const OTHERS = [
  ["something that may not be read is a stranger, not nobody", (daemon) => (daemon.readable = false), "stranger"],
  ["no common version, by health", (daemon) => (daemon.health.protocol = [2]), "old"],
  ["no common version, by close code", (daemon) => (daemon.answer = async (socket) => socket.shut(4426)), "old"],
];
for (const [name, change, state] of OTHERS) test(name, async () => assert.equal((await connecting(change)).problem.state, state));

test("revoked while connected: told and kept; asked again only on the user's word", async () => {
  const { daemon, link, around } = await connecting();
  const ends = [];
  link.rest();
  link.listen(() => {}, (why) => ends.push(why.state));
  await link.connect();
  daemon.socket.shut(4403);
  await until(() => around.store.pairing.revoked === true);
  assert.deepEqual([link.info.state, ends], ["revoked", ["revoked"]]);
  const { probes } = daemon;
  assert.equal((await link.connect().catch((error) => error)).code, "REVOKED");
  assert.equal(daemon.probes, probes, "nobody was asked");
  await link.connect({ again: true });
  assert.equal(around.store.pairing.revoked, false);
});

test("a revocation of the pairing before is not one of the pairing now", async () => {
  const { daemon, link, around } = await connecting();
  around.store.pairing = { ...pairing(), clientId: "another" };
  daemon.socket.shut(4403);
  await until(() => !link.connected);
  assert.deepEqual([link.info.state, around.store.pairing.revoked], ["revoked", undefined]);
});

test("an answer of any length is read to a bound", async () => {
  let pulled = 0;
  const endless = new ReadableStream({ pull: (to) => (++pulled > 1000 ? to.close() : to.enqueue(new Uint8Array(1000))) });
  const { problem } = await connecting((daemon) => (daemon.health = endless));
  assert.equal(problem.state, "stranger");
  assert.ok(pulled < 20, `${pulled} kB were read`);
});

test("a proven daemon that refuses the token has revoked it", async () => {
  const { around, problem } = await connecting((daemon) => {
    const { proof } = daemon;
    daemon.proof = async (nonce) => {
      const known = await proof(nonce);
      daemon.token = "other";
      return known;
    };
  });
  assert.equal(problem.state, "revoked");
  assert.equal(around.store.pairing.revoked, true);
});

test("a lost socket is told; a socket that rests is not", async () => {
  const { daemon, link } = await connecting();
  assert.equal(link.connected, true);
  link.rest();
  assert.equal(link.connected, false);
  assert.equal(link.info.state, "connected");
  await link.connect();
  daemon.socket.shut(1001);
  await until(() => !link.connected);
  assert.equal(link.info.state, "offline");
});

test("pairing: the token is kept, then proved as always", async () => {
  const daemon = new FakeDaemon();
  const around = edges(daemon, undefined);
  around.store.pairing = undefined;
  const link = new Link(around);
  const wrong = await link.pair({ code: "WRONG", label: "Desk", address: "127.0.0.1:43456" }).catch((error) => error);
  assert.equal(wrong.code, "PAIRING_CODE_INVALID");
  assert.equal(around.store.pairing, undefined);
  await link.pair({ code: daemon.code, label: "Desk", address: "127.0.0.1:43456" });
  assert.deepEqual(around.store.pairing, { clientId: "c".repeat(16), token: "t".repeat(43), address: "127.0.0.1:43456", label: "Desk" });
  daemon.token = around.store.pairing.token;
  await link.connect();
  assert.equal(link.info.state, "connected");
});

test("two calls at once make one socket", async () => {
  const daemon = new FakeDaemon();
  const link = new Link(edges(daemon));
  await Promise.all([link.connect(), link.connect()]);
  assert.equal(daemon.sockets.length, 1);
});
