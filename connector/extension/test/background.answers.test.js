/** What the user answers, and what the background remembers and ignores from then on. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { accepting, api, certainly, content, daemon, emptied, media, named, outbox, page, paired, settled, sitting, state, unknowns } from "./background-rig.js";
import { until } from "./fake-daemon.js";

const known = (key, value) => api.storage.local.set({ known: { [key]: value } });
const episode = (n) => ({ jsonld: [{ type: "TVEpisode", name: `Part ${n}`, episode: n, season: 1, series: { name: "The Wire" } }] });

before(paired);

test("not identified: asked once, remembered for the series, the others follow", async () => {
  for (const n of [1, 2]) assert.deepEqual(await content({ kind: "watched", sitting: sitting({}, episode(n)) }), { kept: true });
  await settled(({ outbox }) => outbox.unknown.length === 2);
  await until(() => api.badge.text === "2?");
  const [first] = (await state()).outbox.unknown;
  assert.deepEqual(first.evidence, { kind: "episode", title: "The Wire", season: 1, episode: 1 });
  assert.equal(first.host, "films.example");
  const said = { type: "episode", show: { ids: { tmdb: 1438 }, title: "The Wire" }, season: 1, episode: 1 };
  assert.deepEqual(await page({ kind: "identify", id: first.id, media: said, remember: true }), { ok: true });
  assert.equal(daemon.said("viewing").length, 0, "an answer stays a moment, so that it can be taken back");
  await until(async () => (await state()).outbox.waiting === 0, "both are sent", 20_000);
  assert.deepEqual(daemon.said("viewing").map(({ media: { show, season, episode: n } }) => [show.ids.tmdb, season, n]), [[1438, 1, 1], [1438, 1, 2]]);
  const third = sitting({}, episode(3));
  assert.equal((await content({ kind: "sitting", sitting: third })).certain, true);
  await content({ kind: "watched", sitting: third });
  await until(() => daemon.said("viewing").length === 3);
  assert.equal((await page({ kind: "identify", id: first.id, media: said, remember: false })).code, "NOT_FOUND");
});

test("an answer of another kind is refused, and never remembered", async () => {
  const show = { jsonld: [{ type: "TVEpisode", name: "Pilot", episode: 1, season: 1, series: { name: "Breaking Bad" } }] };
  const film = { jsonld: [{ type: "Movie", name: "Fight Club", date: "1999-10-15" }] };
  for (const [evidence, said, code] of [
    [show, media(603), "NOT_A_FILM"],
    [film, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 2 }, "NOT_AN_EPISODE"],
  ]) {
    await content({ kind: "watched", sitting: sitting({}, evidence) });
    await settled(({ outbox }) => outbox.unknown.length === 1);
    const [{ id }] = (await state()).outbox.unknown;
    assert.equal((await page({ kind: "identify", id, media: said, remember: true })).code, code);
    assert.equal((await state()).outbox.unknown.length, 1);
    assert.equal((await content({ kind: "sitting", sitting: sitting({}, evidence) })).certain, false);
    await page({ kind: "discard", id });
  }
});

test("answers of earlier versions have no kind: they are asked again, and not listed", async () => {
  await known("films.example|the wire", { tmdb: 603, title: "The Wire" });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(4)) })).certain, false);
  assert.deepEqual(await page({ kind: "answers" }), []);
});

test("answers are listed and can be forgotten", async () => {
  await known("films.example|the wire", { kind: "tv", tmdb: 1438, title: "The Wire", about: "The Wire" });
  const [answer] = await page({ kind: "answers" });
  assert.deepEqual(answer, { key: "films.example|the wire", host: "films.example", kind: "tv", tmdb: 1438, title: "The Wire", about: "The Wire" });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(4)) })).certain, true);
  assert.deepEqual(await page({ kind: "forgetAnswer", key: answer.key }), { ok: true });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(4)) })).certain, false);
});

test("not this: the answer that said so is forgotten", async () => {
  await known("films.example|the wire", { kind: "tv", tmdb: 1438, title: "The Wire", about: "The Wire" });
  const wrong = sitting({}, episode(4));
  assert.equal((await content({ kind: "sitting", sitting: wrong })).certain, true);
  assert.deepEqual(await page({ kind: "notThis", sitting: wrong }), { ok: true });
  assert.deepEqual(await page({ kind: "answers" }), []);
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, episode(5)) })).certain, false, "nor is the next episode taken for that");
});

test("a page without a name of its film is recognised when it plays the very same again", async () => {
  const bare = (more = {}) => sitting({ title: "Player", url: "https://films.example/play?id=5", ...more });
  await content({ kind: "watched", sitting: bare() });
  await settled(({ outbox }) => outbox.unknown.length === 1);
  const [{ id }] = (await state()).outbox.unknown;
  await page({ kind: "identify", id, media: media(603), remember: true });
  const recognised = async (more) => (await content({ kind: "sitting", sitting: bare(more) })).identified?.ids?.tmdb;
  assert.equal(await recognised(), 603);
  assert.equal(await recognised({ url: "https://films.example/play?id=5&t=90" }), 603);
  assert.equal(await recognised({ url: "https://films.example/play?id=6" }), undefined);
  assert.equal(await recognised({ duration: 3700 }), undefined);
  assert.equal(await recognised({ title: "Other" }), undefined);
  assert.equal(await recognised({ evidence: { ...bare().evidence, mediaSession: { title: "Part 2", artist: "", album: "" } } }), undefined);
  assert.doesNotMatch(JSON.stringify(api.storage.local.kept().known), /id=5/, "an address may hold secrets");
  assert.deepEqual(await page({ kind: "undo", id }), { ok: true });
  assert.equal(await recognised(), undefined, "an answer that was taken back is not used");
  const [again] = (await state()).outbox.unknown;
  assert.notEqual(again.id, id, "the question is there again");
  await page({ kind: "discard", id: again.id });
});

test("the name that was seen stays with an answer that brings none", async () => {
  const answers = [
    [named("Night Train"), media(603), { type: "movie", ids: { tmdb: 603 }, title: "Night Train" }],
    [named("Pilot"), { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 1 }, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 1, title: "Pilot" }],
    [named("Night Train"), { ...media(604), title: "Nattåg" }, { type: "movie", ids: { tmdb: 604 }, title: "Nattåg" }],
    [{ mediaSession: { title: "Pilot", artist: "Breaking Bad", album: "Season 1" } }, { type: "episode", show: { ids: { tmdb: 1396 } }, season: 1, episode: 1 },
      { type: "episode", show: { ids: { tmdb: 1396 }, title: "Breaking Bad" }, season: 1, episode: 1 }],
    [{ headings: ["Films"] }, media(605), media(605)],
    [{ mentions: ["More like this"] }, media(606), media(606)],
  ];
  for (const [evidence, said, sent] of answers) {
    await emptied();
    const one = sitting({ title: "Films" }, evidence);
    await content({ kind: "watched", sitting: one });
    assert.deepEqual(await page({ kind: "identify", id: one.id, media: said, remember: false }), { ok: true });
    const { message } = await outbox.get(one.id);
    assert.deepEqual(message.media, sent);
    await page({ kind: "undo", id: one.id });
  }
  await emptied();
  const wrong = sitting({}, certainly);
  await page({ kind: "notThis", sitting: wrong });
  await content({ kind: "watched", sitting: wrong });
  await page({ kind: "identify", id: wrong.id, media: media(607), remember: false });
  assert.deepEqual((await outbox.get(wrong.id)).message.media, media(607), "nor is the name of a page that named the wrong film kept");
  await page({ kind: "undo", id: wrong.id });
  await emptied();
});

test("an answer about a series is told to the daemon when its viewing leaves; forgotten, it is forgotten there", async () => {
  await emptied();
  daemon.features = ["correct"];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
  daemon.answers = (message) => (message.type === "correct" ? { type: "corrected", id: message.id, changed: 0 } : accepting(message));
  const series = (n) => ({ jsonld: [{ type: "TVEpisode", episode: n, season: 1, series: { name: "Treme" } }] });
  await content({ kind: "watched", sitting: sitting({}, series(1)) });
  const [card] = (await state()).outbox.unknown;
  const said = { type: "episode", show: { ids: { tmdb: 31132 }, title: "Treme" }, season: 1, episode: 1 };
  await page({ kind: "identify", id: card.id, media: said, remember: true });
  const about = () => daemon.said("correct").filter(({ media: { show } }) => show?.title === "Treme").map(({ media, is, was }) => ({ media, ...(is && { is }), ...(was && { was }) }));
  assert.equal(about().length, 0);
  await until(() => about().length === 1 && daemon.said("viewing").length === 1, "both leave", 20_000);
  const told = { type: "episode", show: { title: "Treme" } };
  assert.deepEqual(about()[0], { media: told, is: { type: "tv", tmdb: 31132, title: "Treme" } });
  const [{ key }] = (await page({ kind: "answers" })).filter(({ title }) => title === "Treme");
  await page({ kind: "forgetAnswer", key });
  await until(() => about().length === 2);
  assert.deepEqual(about()[1], { media: told, was: { type: "tv", tmdb: 31132 } });
  daemon.features = [];
  daemon.socket?.shut(1001);
  await until(() => daemon.socket === undefined);
});

test("discarded: gone from the questions, taken back out of the bin, forgotten", async () => {
  await emptied();
  for (const name of ["One", "Two", "Three"]) await content({ kind: "watched", sitting: sitting({}, named(name)) });
  const [one, two, three] = await unknowns();
  assert.equal((await page({ kind: "discardAll", ids: [] })).code, "NOT_FOUND");
  assert.equal((await page({ kind: "discardAll", ids: "x" })).code, "NOT_FOUND");
  assert.deepEqual(await page({ kind: "discardAll", ids: [one.id, two.id] }), { ok: true });
  assert.deepEqual((await unknowns()).map(({ id }) => id), [three.id]);
  const { discarded } = (await state()).ignored;
  assert.deepEqual(discarded.map(({ title, host }) => `${title} ${host}`).sort(), ["One films.example", "Two films.example"]);
  assert.deepEqual(await page({ kind: "restore", id: one.id }), { ok: true });
  assert.equal((await page({ kind: "restore", id: one.id })).code, "NOT_FOUND");
  assert.deepEqual((await unknowns()).find(({ id }) => id === one.id), one, "as it was");
  assert.deepEqual(await page({ kind: "emptyBin" }), { ok: true });
  assert.deepEqual((await state()).ignored.discarded, []);
  await emptied();
});

test("Not a film: this video is not asked about again, others are; taken back, it is", async () => {
  await emptied();
  const talk = (more = {}, name = "A long talk") => sitting({ title: `(2) ${name} - Films`, ...more }, named(name));
  await content({ kind: "watched", sitting: talk() });
  await content({ kind: "watched", sitting: talk({ url: "https://www.films.example/other", host: "www.films.example" }) });
  await content({ kind: "watched", sitting: talk({}, "A film") });
  const [first] = await unknowns();
  assert.deepEqual(await page({ kind: "notFilm", id: first.id }), { ok: true });
  assert.deepEqual((await unknowns()).map(({ title }) => title), ["A film"], "all questions about it are gone");
  assert.equal((await page({ kind: "notFilm", id: first.id })).code, "NOT_FOUND");
  const begun = await content({ kind: "sitting", sitting: talk() });
  assert.deepEqual([begun.record, begun.why], [true, "notFilm"]);
  assert.deepEqual(await content({ kind: "watched", sitting: talk() }), { kept: false, reason: "notFilm" });
  assert.deepEqual(await page({ kind: "watched", sitting: talk() }), { kept: true }, "unless the user marks it");
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({ title: "A long talk" }, { ...named("A long talk"), ...certainly }) }), { kept: true }, "what is certain is no question");
  const { films } = (await state()).ignored;
  assert.deepEqual(films.map(({ title, host }) => [title, host]), [["A long talk", "films.example"]]);
  assert.deepEqual(await page({ kind: "takeBack", key: films[0].key }), { ok: true });
  assert.deepEqual(await content({ kind: "watched", sitting: talk() }), { kept: true });
  await emptied();
});

test("Not a film, where the page has no name for it: known by its address and length, of which a hash is kept", async () => {
  await emptied();
  const bare = (more = {}) => sitting({ url: "https://films.example/embed/77?t=12", title: "Player", ...more });
  await content({ kind: "watched", sitting: bare() });
  await page({ kind: "notFilm", id: (await unknowns())[0].id });
  assert.deepEqual(await content({ kind: "watched", sitting: bare({ url: "https://films.example/embed/77?t=99" }) }), { kept: false, reason: "notFilm" });
  assert.deepEqual(await content({ kind: "watched", sitting: bare({ duration: 5400 }) }), { kept: true });
  assert.deepEqual(await content({ kind: "watched", sitting: bare({ url: "https://films.example/embed/78" }) }), { kept: true });
  const { films } = (await state()).ignored;
  assert.doesNotMatch(JSON.stringify(api.storage.local.kept().ignored), /embed/);
  await page({ kind: "takeBack", key: films[0].key });
  await emptied();
});

test("Never here: nothing is asked or counted on the site, with or without www.; taken back, it is", async () => {
  await emptied();
  const other = { host: "tube.example", url: "https://tube.example/1" };
  await content({ kind: "watched", sitting: sitting({ title: "One" }) });
  await content({ kind: "watched", sitting: sitting({ title: "Two", host: "www.films.example" }) });
  await content({ kind: "watched", sitting: sitting({ title: "Three", ...other }) });
  assert.deepEqual(await page({ kind: "never", host: "www.films.example" }), { ok: true });
  assert.deepEqual((await unknowns()).map(({ title }) => title), ["Three"]);
  assert.deepEqual((await state()).ignored.sites, ["films.example"]);
  const begun = await content({ kind: "sitting", sitting: sitting({}, certainly) });
  assert.deepEqual([begun.record, begun.why], [false, "never"]);
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({}, certainly) }), { kept: false, reason: "never" });
  assert.deepEqual(await content({ kind: "watched", sitting: sitting({ title: "Four", ...other }) }), { kept: true });
  assert.deepEqual(await page({ kind: "takeBack", key: "films.example" }), { ok: true });
  assert.equal((await content({ kind: "sitting", sitting: sitting({}, certainly) })).record, true);
  await emptied();
});
