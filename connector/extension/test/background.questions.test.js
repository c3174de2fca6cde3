/** What the background asks the service and the user, and how a report is taken back. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { accepting, api, certainly, content, daemon, emptied, named, outbox, page, paired, settled, sitting, state, unknowns, uuid } from "./background-rig.js";
import { until } from "./fake-daemon.js";

before(paired);

test("the service is asked first: certain is sent without a question, the rest is a card with suggestions", async () => {
  daemon.features = ["resolve", "undo", "waiting"];
  daemon.socket?.shut(1001);
  const told = new Map([
    ["Fight Club", { outcome: "certain", media: { type: "movie", ids: { tmdb: 550 }, title: "Fight Club", year: 1999 } }],
    ["Dune", { outcome: "open", candidates: [{ type: "movie", tmdb: 841, title: "Dune", year: 1984 }, { type: "tv", tmdb: 1 }, { type: "x" }] }],
    ["Solaris", { outcome: "later", retryAfterMs: 7 }],
  ]);
  daemon.answers = (message) => {
    if (message.type === "resolve") return { type: "resolved", id: message.id, ...told.get(message.media.title) };
    return message.type === "waiting" ? null : accepting(message);
  };
  const film = (name, date) => ({ jsonld: [{ type: "Movie", name, date }] });
  await until(() => daemon.socket === undefined);
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  await content({ kind: "watched", sitting: sitting({}, film("Fight Club", "1999-10-15")) });
  await until(() => daemon.said("viewing").length === 1);
  assert.deepEqual(daemon.said("resolve")[0].media, { type: "movie", title: "Fight Club", year: 1999 });
  assert.deepEqual(daemon.said("viewing")[0].media, { type: "movie", ids: { tmdb: 550 }, title: "Fight Club", year: 1999 });
  assert.deepEqual(Object.keys(daemon.said("resolve")[0]).sort(), ["id", "media", "type"], "nothing else is told by a question");
  await content({ kind: "watched", sitting: sitting({}, film("Dune")) });
  await settled(({ outbox }) => outbox.unknown.length === 1);
  const [dune] = (await state()).outbox.unknown;
  assert.deepEqual(dune.candidates, [{ type: "movie", tmdb: 841, title: "Dune", year: 1984 }]);
  await content({ kind: "watched", sitting: sitting({}, film("Solaris")) });
  await settled(({ outbox }) => outbox.unknown.length === 2);
  assert.equal((await state()).outbox.unknown[1].later, true);
  assert.ok(api.alarms.set.get("ask").when > Date.now() + 20_000, "it is asked again later");
  await until(() => daemon.said("waiting").at(-1)?.viewings === 2, "the daemon knows what waits");
  await page({ kind: "identify", id: dune.id, media: { type: "movie", ids: { tmdb: 841 } }, remember: false });
  assert.equal((await state()).recent[0].title, "Dune", "the name stays with the answer");
  for (const { id } of (await state()).outbox.unknown) await page({ kind: "discard", id });
  await until(() => daemon.said("waiting").at(-1)?.viewings === 0);
  assert.deepEqual(await page({ kind: "undo", id: dune.id }), { ok: true });
  const [again] = (await state()).outbox.unknown;
  await page({ kind: "discard", id: again.id });
  assert.equal(daemon.said("undo").length, 0, "what was never sent is nobody's to take back");
});

test("not this: asked when it counts; after it was reported it is taken back, and asked at once", async () => {
  daemon.answers = (message) => {
    if (message.type === "undo") return { type: "undone", id: message.id, removed: true };
    return message.type === "waiting" ? null : accepting(message);
  };
  const first = sitting({}, certainly);
  assert.deepEqual(await page({ kind: "notThis", sitting: first }), { ok: true });
  assert.equal((await content({ kind: "sitting", sitting: first })).identified, null);
  await content({ kind: "watched", sitting: first });
  await settled(({ outbox }) => outbox.unknown.length === 1);
  const [card] = (await state()).outbox.unknown;
  assert.equal(card.kind, null, "the page may be wrong about the kind, too");
  assert.equal(daemon.said("viewing").length, 0);
  await page({ kind: "discard", id: card.id });
  const second = sitting({}, certainly);
  await content({ kind: "watched", sitting: second });
  await until(() => daemon.said("viewing").length === 1);
  await settled(({ outbox }) => outbox.waiting === 0);
  const { ok, id } = await page({ kind: "notThis", sitting: second });
  assert.equal(ok, true);
  assert.equal(daemon.said("undo")[0].event, second.id);
  const [asked] = (await state()).outbox.unknown;
  assert.deepEqual([asked.id, asked.at], [id, second.at]);
  await page({ kind: "discard", id });
});

test("undo of what was reported: done, refused in words, or not possible with an older daemon", async () => {
  const report = async () => {
    const one = sitting({}, certainly);
    await content({ kind: "watched", sitting: one });
    await settled(({ outbox, recent }) => outbox.waiting === 0 && recent[0]?.id === one.id);
    return one.id;
  };
  daemon.answers = (message) => {
    if (message.type === "undo") return { type: "error", id: message.id, code: "REFUSED", message: "it stays", retryable: false };
    return message.type === "waiting" ? null : accepting(message);
  };
  const id = await report();
  assert.deepEqual(await page({ kind: "undo", id }), { ok: false, code: "UNDO_REFUSED", message: "it stays" });
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  assert.equal((await page({ kind: "undo", id })).code, "UNDO_OLD");
  daemon.listens = false;
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  assert.equal((await page({ kind: "undo", id })).code, "UNDO_OFFLINE");
  daemon.listens = true;
  assert.equal((await page({ kind: "undo", id: uuid() })).code, "NOT_FOUND");
  assert.equal((await state()).recent[0].id, id, "what was not taken back can still be");
});

test("a question has every name, its page and its times; of all that nothing is sent but what the protocol has", async () => {
  await emptied();
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  const one = sitting({ url: "https://user:word@films.example/watch/1?v=9#/x", title: "Films" },
    { mediaSession: { title: "...And the Bag", artist: "Breaking Bad", album: "Season 1" }, headings: ["Watch now"] });
  await content({ kind: "watched", sitting: one });
  const [unknown] = await unknowns();
  assert.equal(unknown.title, "Breaking Bad: ...And the Bag");
  assert.deepEqual(unknown.names.map(({ from }) => from), ["session", "artist", "album", "heading", "title"]);
  assert.deepEqual(unknown.guess, { series: "Breaking Bad", season: 1, title: "...And the Bag" });
  assert.deepEqual([unknown.address, unknown.played, unknown.duration], ["https://films.example/watch/1?v=9#/x", 2900.1, 3600]);
  await page({ kind: "identify", id: unknown.id, media: { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 3 }, remember: false });
  await until(() => daemon.said("viewing").length === 1, "it is sent once it can no longer be taken back", 20_000);
  const [sent] = daemon.said("viewing");
  assert.deepEqual(Object.keys(sent).sort(), ["id", "media", "progress", "source", "type", "watchedAt"]);
  assert.doesNotMatch(JSON.stringify(sent), /v=9|And the Bag|Watch now|word/);
});

test("of a name alone the service is asked, too; its card is there meanwhile, and nothing is sent without a choice", async () => {
  await emptied();
  /** @type {(() => void)[]} */
  const hold = [];
  daemon.features = ["resolve", "undo", "waiting"];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  daemon.answers = (message) => {
    if (message.type === "waiting") return null;
    if (message.type !== "resolve") return accepting(message);
    const { socket } = daemon;
    hold.push(() => socket.tell({ type: "resolved", id: message.id, outcome: "open", candidates: [{ type: "movie", tmdb: 275, title: "Fargo", year: 1996 }, { type: "tv", tmdb: 60622, title: "Fargo", year: 2014 }] }));
    return null;
  };
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  const asked = () => daemon.said("resolve").map(({ media: about }) => about);
  await content({ kind: "watched", sitting: sitting({ title: "Films" }, named("Fargo")) });
  const [card] = await unknowns();
  assert.deepEqual([card.title, card.candidates, card.later], ["Fargo", undefined, undefined]);
  await until(() => hold.length === 1);
  assert.deepEqual(asked(), [{ type: "movie", title: "Fargo" }]);
  hold[0]();
  await until(async () => (await unknowns())[0].candidates?.length === 2);
  await content({ kind: "watched", sitting: sitting({ title: "Films" }, { jsonld: [{ type: "TVEpisode", name: "Pilot", series: { name: "Fargo" } }] }) });
  await until(() => hold.length === 2);
  hold[1]();
  await until(async () => (await unknowns())[1].candidates?.length === 1, "a film is no answer to an episode");
  assert.deepEqual(asked()[1], { type: "movie", title: "Fargo" });
  await content({ kind: "watched", sitting: sitting({ title: "Films" }) });
  await content({ kind: "watched", sitting: sitting({ title: "Player" }) });
  assert.equal((await unknowns()).length, 4);
  const asks = (await outbox.list("unknown")).map(({ ask }) => ask);
  assert.deepEqual(asks, [undefined, undefined, undefined, undefined], "a site's name is no title to ask by");
  assert.equal(daemon.said("viewing").length, 0);
  await emptied();
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
});

test("words are asked of the daemon, and of no older one", async () => {
  const seek = (more) => page({ kind: "candidates", words: ` ${"x".repeat(300)}`, ...more });
  daemon.features = ["candidates"];
  await page({ kind: "retry" });
  const found = Array.from({ length: 12 }, (_, n) => ({ type: n % 2 ? "tv" : "movie", tmdb: n + 1, title: `Found ${n}`, secret: 1 }));
  let answer = { type: "resolved", outcome: "open", candidates: found };
  daemon.answers = (message) => (message.type === "candidates" ? { ...answer, id: message.id } : accepting(message));
  const { ok, candidates } = await seek({ as: "tv" });
  assert.deepEqual([ok, candidates.length, candidates[0]], [true, 8, { type: "movie", tmdb: 1, title: "Found 0" }]);
  const [{ id: _, ...asked }] = daemon.said("candidates");
  assert.deepEqual(asked, { type: "candidates", words: "x".repeat(200), kind: "tv" });
  answer = { type: "resolved", outcome: "later" };
  assert.equal((await seek()).code, "SEEK_LATER");
  answer = { type: "error", code: "RATE_LIMITED", message: "too much", retryable: true };
  assert.equal((await seek()).code, "RATE_LIMITED");
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  assert.equal((await seek()).code, "SEEK_OLD");
  assert.equal(daemon.said("candidates").length, 3);
});
