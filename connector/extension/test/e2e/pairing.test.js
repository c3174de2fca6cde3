// A paired browser is let in, and not for longer than the person wants.
import assert from "node:assert/strict";
import { test } from "node:test";
import { says, visit } from "./browser.js";
import { film, plain } from "./films.js";
import { eventually } from "./fixture.js";

test("a browser that was removed sends nothing, keeps what it has, and sends it when it is paired again", async (t) => {
  const person = await visit(t);
  const { home } = person;
  const [client] = await home.clients();
  await home.run(["sources", "programs", "remove", client.id]);
  const one = film("Kept");
  const page = await person.watch(plain(one));
  await person.isLinked("revoked");
  await eventually("it is kept", async () => (await person.state()).outbox.waiting, (waiting) => waiting === 1);
  assert.deepEqual([(await home.records()).history, await home.queue()], [[], []]);
  const popup = await person.popup(page);
  await says(popup, "#link", /pair/i);
  await popup.close();
  await person.typeCode(await home.pairingCode());
  await person.isLinked("connected");
  await home.delivered(one.tmdb);
});
