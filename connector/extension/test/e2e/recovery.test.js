// What comes between a film and its record: nothing is lost, and nothing is there twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./browser.js";
import { film, plain } from "./films.js";
import { eventually } from "./fixture.js";

const waiting = (/** @type {import("./browser.js").Person} */ person, /** @type {number} */ number) =>
  eventually(`${number} waiting in the extension`, async () => (await person.state()).outbox.waiting, (waiting) => waiting === number);

test("a background that dies between sending and acknowledgement sends again, and it is delivered once", async (t) => {
  const person = await visit(t);
  const { browser, home } = person;
  const isWorker = (one) => one.type() === "service_worker" && one.url().startsWith(person.origin);
  const target = await browser.waitForTarget(isWorker);
  const worker = await target.worker();
  await worker?.evaluate(() => {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (data) {
      if (JSON.parse(String(data)).type === "viewing") this.onmessage = null; // what is answered is not heard any more
      send.call(this, data);
    };
  });
  const one = film("Unheard");
  await person.watch(plain(one));
  await home.delivered(one.tmdb);
  await waiting(person, 1);
  await worker?.close();
  await eventually("the background is gone", () => browser.targets().includes(target), (there) => !there);
  await person.alarm();
  await eventually("the background comes to life by itself", () => browser.targets().some(isWorker));
  await waiting(person, 0);
  await home.delivered(one.tmdb);
});
