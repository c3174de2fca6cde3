import assert from "node:assert/strict";
import { test } from "node:test";
import { Screening } from "./screening.js";

test("a film that was there before, and one that comes later", async () => {
  const screening = new Screening({ html: "<!doctype html><video id=a></video>" });
  await screening.film({ element: screening.document.querySelector("#a"), duration: 1000 }).play(500);
  await screening.film({ duration: 2000 }).play(500);
  assert.deepEqual(screening.of("session").map((message) => message.session.duration), [1000, 2000]);
  screening.close();
});

test("a film in a shadow tree, in a tree within a tree, and in one attached much later", async () => {
  const screening = new Screening({ html: "<!doctype html><film-player></film-player><div id=late></div>" });
  const outer = screening.document.querySelector("film-player").attachShadow({ mode: "open" });
  screening.document.body.append(screening.document.createElement("p"));
  await screening.wait(60_000);
  const inner = outer.appendChild(screening.document.createElement("section")).attachShadow({ mode: "open" });
  await screening.wait(60_000);
  await screening.film({ into: outer, duration: 1000 }).play(100);
  await screening.film({ into: inner, duration: 2000 }).play(100);
  const late = screening.document.querySelector("#late").attachShadow({ mode: "open" });
  const film = screening.film({ into: late, duration: 3000 });
  screening.document.body.append(screening.document.createElement("p"));
  await screening.wait(60_000);
  await film.play(100);
  const durations = new Set(screening.of("session").map((message) => message.session.duration));
  assert.deepEqual([...durations], [1000, 2000, 3000]);
  screening.close();
});

test("a closed shadow tree is opened by the browser's door for extensions, where there is one", async () => {
  const closed = new Map();
  const screening = new Screening({
    html: "<!doctype html><film-player></film-player>",
    before: (window) => (window.chrome.dom = { openOrClosedShadowRoot: (host) => closed.get(host) ?? null }),
  });
  const host = screening.document.querySelector("film-player");
  closed.set(host, host.attachShadow({ mode: "closed" }));
  const film = screening.film({ into: closed.get(host) });
  screening.document.body.append(screening.document.createElement("p"));
  await screening.wait(60_000);
  await film.play(5000);
  assert.equal(screening.watched.length, 1);
  screening.close();
});

test("a page that changes without end is searched seldom", async () => {
  const screening = new Screening();
  let searches = 0;
  const all = screening.document.querySelectorAll;
  screening.document.querySelectorAll = function (selector) {
    if (selector === "*") {
      searches++;
      screening.now += 40; // a large page
    }
    return all.call(this, selector);
  };
  for (let second = 0; second < 120; second++) {
    screening.document.body.append(screening.document.createElement("p"));
    await screening.wait(1000);
  }
  assert.ok(searches >= 3 && searches <= 10, `${searches} searches`);
  screening.close();
});

test("audio is no film", async () => {
  const screening = new Screening();
  await screening.film({ element: screening.document.createElement("audio") }).play(5000);
  assert.equal(screening.sent.length, 0);
  screening.close();
});
