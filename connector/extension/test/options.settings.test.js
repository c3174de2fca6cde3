// The settings in the options: thresholds, privacy, what is remembered and what is ignored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stateWith } from "./fake-api.js";
import { open } from "./page-rig.js";

test("thresholds in percents and minutes, kept in parts and seconds", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  assert.deepEqual(["movie-played", "episode-position", "movie-minimum", "rule-last"].map((id) => page.find(`#${id}`).value), ["50", "80", "5", "0"]);
  page.type("#episode-position", "90");
  page.type("#rule-last", "5");
  await page.click("#rule-form [value=save]");
  const { rule } = page.rig.asked("settings")[0].settings;
  assert.deepEqual(rule.episode, { played: 0.5, position: 0.9, minimum: 300 });
  assert.equal(rule.last, 300);
  await page.click("#rule-form [value=defaults]");
  assert.equal(page.find("#episode-position").value, "80");
});

for (const [id, value] of [["movie-played", "0"], ["movie-played", "101"], ["episode-minimum", "-1"], ["rule-last", "five"], ["movie-position", "1.5"]]) {
  test(`a threshold out of range: ${id} ${value}`, async (t) => {
    const page = await open(t, "options", { state: stateWith() });
    page.type(`#${id}`, value);
    await page.click("#rule-form [value=save]");
    assert.match(page.words(`#${id}-fault`), /^A whole number from \d+ to \d+\.$/);
    assert.equal(page.find(`#${id}`).value, value);
    assert.deepEqual(page.rig.asked("settings"), []);
  });
}

test("private mode and asking are kept as they are switched", async (t) => {
  const page = await open(t, "options", { state: stateWith() });
  await page.click("#private");
  await page.click("#ask-unknown");
  const [first, second] = page.rig.asked("settings").map(({ settings }) => settings);
  assert.deepEqual([first.private, first.askUnknown, second.private, second.askUnknown], [true, true, true, false]);
  assert.equal(page.words("#recording"), "Private mode: nothing is recorded.");
  await page.click("#pause");
  assert.equal(page.find("#private").checked, false);
});

test("remembered answers are listed with what they mean, and can be forgotten", async (t) => {
  const remembered = [
    { key: "films.example|the wire", host: "films.example", about: "The Wire", kind: "tv", tmdb: 1438, title: "The Wire" },
    { key: "films.example|page|/play|x", host: "films.example", about: "Player", kind: "tv", tmdb: 9, title: "", season: 1, episode: 2 },
    { key: "films.example|film|solaris|1972", host: "films.example", kind: "movie", tmdb: 593, title: "Solaris" },
  ];
  const page = await open(t, "options", { state: stateWith(), remembered });
  const rows = [...page.document.querySelectorAll("#answers li > span")].map(({ textContent }) => textContent);
  assert.deepEqual(rows, [
    "The Wire on films.example means The Wire: Series 1438 on themoviedb.org",
    "Player on films.example means Series 9 on themoviedb.org S01E02",
    "Solaris on films.example means Solaris: Film 593 on themoviedb.org",
  ]);
  assert.equal(page.find("#answers-empty").hidden, true);
  page.rig.script.remembered = [];
  await page.click("#answers button");
  assert.deepEqual(page.rig.asked("forgetAnswer"), [{ kind: "forgetAnswer", key: "films.example|the wire" }]);
  assert.equal(page.said(), "Forgotten: The Wire");
  assert.equal(page.find("#answers-empty").hidden, false);
  assert.equal(page.document.activeElement?.id, "answers-heading");
});

test("what is not asked about is listed and taken back", async (t) => {
  const ignored = {
    sites: ["tube.example"], films: [{ key: "films.example|a talk", title: "A talk", host: "films.example" }],
    discarded: [{ id: "aaaaaaaa-2222-4333-8444-555555555555", title: "Night Train", host: "films.example", at: "2026-11-21T20:45:00+01:00" }],
  };
  const page = await open(t, "options", { state: stateWith({ ignored }) });
  assert.equal(page.find("#ignored-empty").hidden, true);
  await page.click('[aria-label="Take back: tube.example"]');
  await page.click('[aria-label="Take back: A talk"]');
  assert.deepEqual(page.rig.asked("takeBack").map(({ key }) => key), ["tube.example", "films.example|a talk"]);
  await page.click('[aria-label="Take back: Night Train"]');
  assert.deepEqual(page.rig.asked("restore"), [{ kind: "restore", id: ignored.discarded[0].id }]);
  assert.equal(page.said(), "Taken back: Night Train");
  await page.click("#discarded-all .quiet");
  assert.match(page.words("#discarded-all .sure"), /^1 discarded viewing is gone for good then/);
  await page.click("#discarded-all .danger");
  assert.deepEqual(page.rig.asked("emptyBin"), [{ kind: "emptyBin" }]);
  const none = await open(t, "options", { state: stateWith() });
  assert.equal(none.words("#ignored-empty"), "Nothing yet.");
  assert.equal(none.find("#never-heading").hidden, true);
});
