/** What a page tells the background and the popup of its sessions, and when. */
import assert from "node:assert/strict";
import { Screening, answer, settle, screened } from "./screening.js";

screened("a background that sleeps is asked again; the event is the same, and told until it is kept", async (screening) => {
  let deaf = true;
  screening.answers = (message) => (message.kind === "watched" && deaf ? Promise.reject(new Error("gone")) : answer(message));
  const film = screening.film();
  await film.play(6000);
  await screening.wait(600_000);
  const tries = screening.of("watched");
  assert.ok(tries.length >= 5 && tries.length < 12, `${tries.length} tries`);
  deaf = false;
  await screening.wait(600_000);
  const total = screening.of("watched").length;
  assert.equal(new Set(screening.of("watched").map((message) => JSON.stringify(message))).size, 1);
  await screening.wait(3600_000);
  assert.equal(screening.of("watched").length, total);
});

screened("a no for good is not asked again; a full outbox is", async (screening) => {
  let reason = "full";
  screening.answers = (message) => (message.kind === "watched" ? { kept: false, reason } : answer(message));
  const film = screening.film();
  await film.play(6000);
  await screening.wait(10_000);
  assert.equal(screening.of("watched").length, 3);
  reason = "paused";
  await screening.wait(60_000);
  const told = screening.of("watched").length;
  await screening.wait(3600_000);
  assert.equal(screening.of("watched").length, told);
});

screened("what is watched before recording is refused, and while it is, never counts, also not later", async (screening) => {
  let say;
  screening.answers = (message) => (message.kind === "session" ? new Promise((resolve) => (say = (record) => resolve({ ...answer(message), record }))) : answer(message));
  const film = screening.film();
  for (const record of [false, true]) {
    await film.play(2000);
    say(record);
    await settle();
  }
  await film.play(2000);
  assert.equal(screening.watched.length, 0);
});

screened("a page that goes tells what it has not told", async (screening) => {
  screening.answers = (message) => (message.kind === "watched" ? null : answer(message));
  const film = screening.film();
  await film.play(5000);
  const before = screening.of("watched").length;
  screening.window.dispatchEvent(new screening.window.Event("pagehide"));
  await settle();
  assert.equal(screening.of("watched").length, before + 1);
});

screened("out of the browser's cache the session goes on", async (screening) => {
  const film = screening.film();
  await film.play(2500);
  film.pause();
  screening.window.dispatchEvent(new screening.window.Event("pagehide"));
  screening.now += 600_000;
  screening.window.dispatchEvent(Object.assign(new screening.window.Event("pageshow"), { persisted: true }));
  await film.play(2500);
  assert.equal(screening.watched.length, 1);
  assert.equal(new Set(screening.of("session").map((message) => message.session.id)).size, 1);
});

screened("half a film is noted, and gone on with after the page was loaded anew", async (screening) => {
  const film = screening.film();
  await film.play(2700);
  screening.window.dispatchEvent(new screening.window.Event("pagehide"));
  const { halfway, sessionId } = screening.of("left").at(-1);
  assert.equal(halfway.id, sessionId);
  assert.ok(halfway.spans[0][1] >= 2690);
  const reloaded = new Screening({
    answers: (message) => (message.kind === "session" ? { ...answer(message), resume: halfway } : answer(message)),
  });
  const rest = reloaded.film();
  rest.seek(2700);
  await rest.play(2100);
  assert.equal(reloaded.watched.length, 1);
  assert.equal(reloaded.watched[0].id, halfway.id);
  assert.ok(reloaded.watched[0].played > 4700);
  reloaded.close();
});

screened("nothing is noted of what is over, or has hardly begun", async (screening) => {
  const film = screening.film();
  await film.play(30);
  film.pause();
  assert.equal(screening.of("left").length, 0);
  await film.play(4900);
  const noted = screening.of("left").length;
  film.pause();
  screening.window.dispatchEvent(new screening.window.Event("pagehide"));
  assert.equal(screening.of("left").length, noted);
});

screened("the popup hears what plays, and how much is missing", async (screening) => {
  const film = screening.film();
  await film.play(1800);
  const now = await screening.ask({ kind: "now" });
  assert.equal(now.crossed, false);
  assert.equal(now.needs, 3000);
  assert.equal(now.session.id, screening.of("session")[0].session.id);
  await film.play(4000);
  const then = await screening.ask({ kind: "now" });
  assert.equal(then.crossed, true);
  assert.equal(then.needs, 0);
  assert.deepEqual(structuredClone(then.session), screening.watched[0]);
});

screened("a page without a film tells the popup so, after frames had their chance", async (screening) => {
  const asked = screening.ask({ kind: "now" });
  await screening.wait(250);
  assert.equal(await asked, null);
  assert.equal((await screening.ask({ kind: "page" })).host, "films.example");
  assert.equal(await screening.ask({ kind: "else" }), undefined);
});

screened("files that are run twice begin once", async (screening) => {
  screening.load(["content/start.js"]);
  const film = screening.film();
  await film.play(5000);
  assert.equal(screening.of("watched").length, 1);
});

screened("a script of an extension that is gone gives up quietly", async (screening) => {
  screening.answers = () => {
    screening.window.chrome.runtime.id = undefined;
    throw new Error("Extension context invalidated.");
  };
  const film = screening.film();
  await film.play(6000);
  await screening.wait(3600_000);
  assert.equal(screening.of("watched").length, 0);
});

screened("a film that ends before the background has answered is watched all the same", async (screening) => {
  const began = Math.floor(Date.now() / 1000) * 1000; // as precise as a time is told
  let deaf = true;
  screening.answers = (message) => (deaf ? null : answer(message));
  const film = screening.film({ duration: 301 });
  film.playbackRate = 16;
  film.fire("ratechange");
  await film.play(301);
  film.pause();
  deaf = false;
  const { Date: Clock } = screening.window;
  screening.window.Date = class extends Clock {
    constructor(...args) {
      super(...(args.length > 0 ? args : [Clock.now() + 9 * 3600_000])); // the machine has slept meanwhile
    }
  };
  await screening.wait(5000);
  assert.equal(screening.watched.length, 1);
  const at = Date.parse(screening.watched[0].at);
  assert.ok(at >= began && at <= Date.now(), "its time is that of the playback");
});

screened("nothing runs while nothing plays", async (screening) => {
  const film = screening.film();
  await film.play(100);
  film.pause();
  await screening.wait(10_000);
  const count = screening.timers.length;
  await screening.wait(24 * 3600_000);
  assert.equal(screening.timers.length, count);
});

const playing = (screening) => screening.of("playing").map(({ state, session }) => [state, session.position]);

screened("what plays is told at its begin, at pause and end, and once a minute in between", async (screening) => {
  const film = screening.film({ duration: 1200 });
  await film.play(150);
  film.pause();
  film.pause();
  await screening.wait(600_000);
  await film.play(1050);
  const told = playing(screening);
  const kept = told.filter(([state], n) => state !== told[n - 1]?.[0]);
  assert.deepEqual(kept.slice(1), [["paused", 150], ["playing", 158], ["paused", 1200], ["ended", 1200]]);
  assert.equal(kept[0][0], "playing");
  assert.deepEqual(told.slice(1, 3).map(([, position], n) => position - told[n][1]), [64, 64], "the film's clock moves by 8 s");
});

screened("another film in its place, and the end of the page, end what was told", async (screening) => {
  const film = screening.film({ duration: 1200 });
  await film.play(100);
  film.load(1500);
  assert.equal(playing(screening).at(-1)[0], "ended");
  await film.play(100);
  screening.window.dispatchEvent(new screening.window.Event("pagehide"));
  assert.equal(playing(screening).at(-1)[0], "ended");
  assert.equal(new Set(screening.of("playing").map(({ session }) => session.id)).size, 2);
});

screened("what is not recorded is not told as playing: not before that is known, no clip, nothing muted", async (screening) => {
  let record = false;
  screening.answers = (message) => (message.kind === "session" ? { ...answer(message), record } : answer(message));
  await screening.film().play(500);
  record = true;
  const clip = screening.film({ duration: 200 });
  await clip.play(200);
  const silent = screening.film({ duration: 900 });
  silent.muted = true;
  await silent.play(900);
  assert.deepEqual(playing(screening), []);
});
