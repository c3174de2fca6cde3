// A hostile page tries the daemon's port and the extension, from a site that the person has allowed and from one that they
// have not. It gets nothing, and nothing changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./browser.js";
import { film, plain } from "./films.js";
import { eventually } from "./fixture.js";

/** All that a page can try. Runs in the page. @param {string} address of the daemon @param {string} origin of the extension */
async function attack(address, origin) {
  const viewing = { type: "viewing", id: "7d1f4f2e-0c5b-4a58-9a53-2f4b7c9e1d10", media: { type: "movie", ids: { tmdb: 666 } }, watchedAt: "2026-01-01T20:00:00Z" };
  const body = JSON.stringify(viewing);
  /** @type {{opened: boolean, heard: unknown[], reached: string[], read: string[], extension: unknown[]}} */
  const spoils = { opened: false, heard: [], reached: [], read: [], extension: [] };
  await new Promise((closed) => {
    const socket = new WebSocket(`ws://${address}/v1/connector`, "filmspool.v1");
    socket.onopen = () => {
      spoils.opened = true;
      for (const message of [{ type: "hello", v: 1, client: { name: "evil", version: "1", browser: "evil" } }, viewing]) socket.send(JSON.stringify(message));
    };
    socket.onmessage = ({ data }) => {
      spoils.heard.push(data);
      socket.close();
    };
    socket.onclose = closed;
  });
  /** @param {string} what @param {RequestInit} [options] */
  const request = async (what, options) => {
    try {
      const answer = await fetch(what, options);
      spoils.reached.push(what);
      const text = await answer.text();
      if (answer.type !== "opaque" || text) spoils.read.push(`${what}: ${text}`);
    } catch { /* refused: as it should be */ }
  };
  const headers = { "Content-Type": "application/json", Authorization: "Bearer guess" };
  for (const what of ["/", "/v1/health", "/v1/status", "/v1/list"]) {
    await request(`http://${address}${what}`);
    await request(`http://${address}${what}`, { mode: "no-cors" });
    await request(`http://${address}${what}`, { headers });
  }
  await request(`http://${address}/v1/pair`, { mode: "no-cors", method: "POST" });
  await request(`http://${address}/v1/viewings`, { mode: "no-cors", method: "POST", body });
  await request(`http://${address}/v1/viewings`, { method: "POST", body, headers });

  const { runtime } = (globalThis.chrome ?? {});
  for (const message of [{ kind: "state" }, { kind: "watched", session: viewing }]) {
    postMessage(message, "*");
    document.dispatchEvent(new CustomEvent("filmspool", { detail: message }));
    if (runtime?.sendMessage) spoils.extension.push(await runtime.sendMessage(new URL(origin).hostname, message).catch(() => null));
  }
  for (const what of ["/pages/options.html", "/pages/popup.html", "/manifest.json"]) await request(origin + what);
  const frame = Object.assign(document.createElement("iframe"), { src: `${origin}/pages/options.html` });
  await new Promise((loaded) => {
    frame.onload = loaded;
    document.body.append(frame);
  });
  spoils.extension.push(globalThis.filmspool ?? null, frame.contentDocument?.body?.innerText || null);
  return spoils;
}

test("a hostile page gets nothing, also on a site that is allowed", async (t) => {
  const person = await visit(t);
  const { home } = person;
  const clients = await home.clients();
  for (const host of ["evil.example", "films.example"]) {
    const page = await person.open("<!doctype html><title>Evil</title><body>", host);
    const { reached, ...got } = await page.evaluate(attack, home.address, person.origin);
    assert.deepEqual(got, { opened: false, heard: [], read: [], extension: got.extension.map(() => null) }, host);
    assert.ok(reached.includes(`http://${home.address}/v1/health`), "it has not even reached the daemon: this proves nothing");
    await eventually("the daemon has refused the socket", () => home.daemon?.log ?? "", (log) => log.includes("socket refused"));
  }
  const last = film("Afterwards");
  await person.watch(plain(last));
  await home.delivered(last.tmdb);
  assert.deepEqual((await home.clients()).map(({ id }) => id), clients.map(({ id }) => id));
});
