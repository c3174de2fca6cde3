// The example messages of the protocol, which the daemon's own tests read, are the contract of both sides. Neither the
// extension nor the tests' fake daemon says a field, or a type of value, that no example of that message has.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { playingMessage, viewingEvent, watchlistEvent } from "../source/background/events.js";
import { Link } from "../source/background/link.js";
import { FakeDaemon, edges, until } from "./fake-daemon.js";

const examples = new URL("../../protocol/testdata/good/", import.meta.url);

/** Each field of a message with its type, such as "media.ids.tmdb number". @param {any} value @returns {string[]} */
function fields(value, path = "") {
  if (Array.isArray(value)) return value.flatMap((each) => fields(each, `${path}[]`));
  if (value === null || typeof value !== "object") return [`${path} ${value === null ? "null" : typeof value}`];
  return Object.entries(value).flatMap(([name, each]) => fields(each, path ? `${path}.${name}` : name));
}

/** The fields that the examples of one side have, by type of message. @param {"client" | "daemon"} side */
function known(side) {
  const all = {};
  for (const name of readdirSync(examples)) {
    if (!name.startsWith(`${side}-`)) continue;
    const message = JSON.parse(readFileSync(new URL(name, examples), "utf8"));
    all[message.type] = new Set([...(all[message.type] ?? []), ...fields(message)]);
  }
  return all;
}

/** @param {"client" | "daemon"} side @param {any[]} messages */
function isLikeExamples(side, messages) {
  const all = known(side);
  for (const message of messages) {
    assert.deepEqual(fields(message).filter((field) => !all[message.type]?.has(field)), [], `${side}: ${JSON.stringify(message)}`);
  }
}

test("what is said from pairing to the last acknowledgement is said as in the examples", async () => {
  const daemon = new FakeDaemon();
  daemon.problems = [{ code: "offline", severity: "soon", text: "It is offline.", act: "Wait." }];
  const link = new Link({ ...edges(daemon), language: "de" });
  const answers = [];
  link.listen((message) => answers.push(message), () => {});
  await link.pair({ code: daemon.code, label: "Desk", address: "127.0.0.1:43456" });
  daemon.token = "t".repeat(43);
  await link.connect();
  const at = "2026-03-01T21:00:00+01:00";
  const session = { id: crypto.randomUUID(), url: "https://films.example/watch/1", host: "films.example", at, duration: 3600, position: 3000, played: 2900.1 };
  const film = { type: "movie", ids: { tmdb: 603, imdb: "tt0133093" }, title: "The Matrix", year: 1999 };
  const episode = { type: "episode", show: { ids: { tmdb: 1396 }, title: "Breaking Bad", year: 2008 }, season: 1, episode: 2, site: { name: "netflix", title: "80057281", series: "70143836" } };
  for (const media of [film, episode]) {
    link.send(viewingEvent({ ...session, id: crypto.randomUUID() }, { media, certain: true, evidence: {} }, { title: "x" }).message);
  }
  link.send(watchlistEvent(crypto.randomUUID(), at, film).message);
  for (const state of ["playing", "paused", "ended"]) link.send(playingMessage(session, { media: episode, certain: true, evidence: {} }, { title: "x" }, state));
  link.send({ type: "status", id: "s" });
  await until(() => answers.length === 4);
  link.rest();
  assert.deepEqual([...new Set(daemon.heard.map(({ type }) => type))], ["hello", "pair", "auth", "viewing", "watchlist", "playing", "status"]);
  isLikeExamples("client", daemon.heard);
  assert.deepEqual(answers.map(({ type }) => type), ["ack", "ack", "ack", "status"]);
  isLikeExamples("daemon", answers);
});
