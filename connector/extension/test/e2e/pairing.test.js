// Who is let in: the code that the daemon shows, nothing else, and not for longer than the person wants.
import assert from "node:assert/strict";
import { test } from "node:test";
import { says, text, visit } from "./browser.js";
import { film, plain } from "./films.js";
import { eventually } from "./fixture.js";

test("a wrong code pairs nobody, and the page says so; the right one does", async (t) => {
  const person = await visit(t, { paired: false });
  const { home, options } = person;
  const code = await home.pairingCode();
  const wrong = code.startsWith("A") ? code.replace(/^A/, "B") : code.replace(/^./, "A");
  await person.typeCode(wrong);
  await says(options, "#pair-code-fault", /code/i);
  assert.deepEqual([await home.clients(), (await person.state()).link.state], [[], "unpaired"]);
  await person.typeCode(code);
  await person.isLinked("connected");
  const [client, ...others] = await home.clients();
  assert.deepEqual([client.origin, others], [person.origin, []]);
  assert.doesNotMatch(await text(options, "#pair-code-fault"), /\S/);
});

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
