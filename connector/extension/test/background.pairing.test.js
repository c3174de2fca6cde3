/** The background comes to be paired, loses its daemon, and is paired again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { api, daemon, page, paired, settled, state, watch } from "./background-rig.js";
import { until } from "./fake-daemon.js";

test("first start: options open, the storage is closed to content scripts", async () => {
  api.runtime.onInstalled.fire({ reason: "install" });
  await until(() => api.optionsOpened === 1 && api.badge.text === "…", "a step to be taken, and no alarm");
  assert.match(api.badge.title, /not paired/);
  assert.equal(api.storage.local.kept()["access level"], "TRUSTED_CONTEXTS");
  const now = await state();
  assert.equal(now.link.state, "unpaired");
  assert.equal(now.link.address, "127.0.0.1:43456");
  assert.equal(daemon.probes, 0, "nobody is asked before there is something to say");
  api.runtime.onInstalled.fire({ reason: "update" });
  assert.equal(api.optionsOpened, 1);
});

test("before pairing, what is watched is kept", async () => {
  await watch();
  assert.equal((await state()).outbox.waiting, 1);
  await until(() => api.badge.text === "!", "it waits for the pairing");
  assert.ok(api.alarms.set.has("flush"));
});

test("pairing: a wrong code, a foreign address, then right; what waited goes", async () => {
  assert.equal((await page({ kind: "pair", code: "WRONG", label: "", address: "127.0.0.1:43456" })).code, "PAIRING_CODE_INVALID");
  for (const address of ["films.example:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:80/x", "user@127.0.0.1:80", "0.0.0.0:80", null]) {
    assert.equal((await page({ kind: "pair", code: daemon.code, label: "", address })).code, "ADDRESS", String(address));
  }
  await paired();
  await settled(({ outbox }) => outbox.waiting === 0);
  await settled(({ daemon: seen }) => seen?.pending === 2);
  const now = await state();
  assert.equal(now.link.state, "connected");
  assert.equal(now.link.pairedLabel, "Desk");
  assert.equal(JSON.stringify(now).includes(daemon.token), false, "the pages never see the token");
  assert.equal(JSON.stringify([api.storage.local.kept(), api.storage.session.kept(), api.told]).includes(daemon.token), false);
  await until(() => !api.alarms.set.has("flush"));
});

test("the daemon stops: kept; the alarm finds it again", async () => {
  daemon.listens = false;
  daemon.socket?.shut(1001);
  await page({ kind: "retry" });
  await watch();
  await settled(({ link, outbox }) => link.state === "offline" && outbox.waiting === 1);
  assert.ok(api.alarms.set.has("flush"));
  await until(() => api.badge.text === "1");
  daemon.listens = true;
  await settled(({ outbox }) => {
    if (outbox.waiting > 0) api.alarms.onAlarm.fire({ name: "flush" }); // one within the back-off does nothing
    return outbox.waiting === 0;
  });
});

test("revoked: told in badge and state, everything is kept; unpair and pair again", async () => {
  await page({ kind: "retry" });
  await settled(({ link }) => link.state === "connected");
  await until(() => daemon.socket !== undefined);
  daemon.socket.shut(4403);
  await settled(({ link }) => link.state === "revoked");
  await until(() => /pair this browser again/.test(api.badge.title));
  await watch();
  assert.deepEqual(await page({ kind: "unpair" }), { ok: true });
  assert.equal((await state()).link.state, "unpaired");
  assert.equal((await state()).outbox.waiting, 1);
  await paired();
  await settled(({ outbox }) => outbox.waiting === 0);
});
