// Pairing by two clicks in real browsers, with the real program: who gets in, and
// what a person reads when somebody else is between, or says no.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { Relay } from "./relay.js";
import { Squatter } from "./squatter.js";
import { stage } from "./stage.js";
import { until } from "./until.js";
import { SOURCE, Visit } from "./visit.js";

/** What the options page shows of an element; empty when it is hidden. */
const words = (/** @type {string} */ id) => {
  const element = /** @type {HTMLElement} */ (document.getElementById(id));
  return element.checkVisibility() ? (element.textContent ?? "").trim() : "";
};

for (const name of /** @type {const} */ (["chromium", "firefox"])) {
  stage(name, "pairing by two clicks", (Browser) => {
    const visit = new Visit(Browser);
    const { home } = visit;
    before(() => visit.open());
    after(() => visit.close());

    const shown = (/** @type {string} */ id) => visit.options.run(words, id);
    const number = () => until("a number is shown", async () => (await shown("knock-digits")).replace(" ", ""));
    const says = (/** @type {string} */ id, /** @type {RegExp} */ wanted) => until(`#${id} says ${wanted}`, async () => wanted.test(await shown(id)));
    const stranger = async () => assert.deepEqual([home.clients(), (await visit.state()).link.state], [[], "unpaired"]);

    /** The button is pressed. @param {string} [address] */
    async function knocks(address = home.address) {
      await until("the button is there", () => shown("knock"));
      await visit.options.run((/** @type {string} */ address) => { /** @type {HTMLInputElement} */ (document.getElementById("pair-address")).value = address; }, address);
      await visit.options.click("#knock");
      return number();
    }

    // The extension shows its number as soon as it has told how it came to it.
    // The daemon may still have to read that.
    const there = () => until("the daemon shows it, too", async () => (await home.knocks())[0]);

    it("without a click it asks by itself, and no more once it was cancelled", async () => {
      await visit.options.front();
      // It may have begun at the usual address, where another Filmspool can be.
      const its = await until("the number that is shown here, too", async () => {
        const here = await number();
        return (await home.knocks()).find((one) => one.number === here);
      });
      assert.equal(its.origin, visit.browser.origin(SOURCE));
      await home.answerKnock(its.id, true);
      await says("knock-next", /Was it the same|War es dieselbe/);
      await stranger(); // until a person has said yes here, too
      await visit.options.click("#knock-end");
      await until("it is over", async () => (await home.knocks()).length === 0);
      await visit.ask({ kind: "knockAlone", label: "" });
      assert.deepEqual(await home.knocks(), []);
    });

    it("refused on the page: it says so, and has to wait for an hour", async () => {
      await knocks();
      await home.answerKnock((await there()).id, false);
      await says("knock-fault", /in an hour|in einer Stunde/);
      await visit.options.click("#knock");
      await says("knock-fault", /\d:\d\d/);
      assert.deepEqual(await home.knocks(), []);
      await stranger();
      await home.stop();
      await home.start(); // which forgets it
    });

    it("the daemon stops meanwhile: it says so", async () => {
      await knocks();
      await home.stop();
      await says("knock-fault", /connection|Verbindung/);
      await home.start();
      await stranger();
    });

    it("a program between the two shows another number", async () => {
      const relay = new Relay(home.address);
      await relay.open();
      try {
        const here = await knocks(relay.address);
        assert.notEqual((await there()).number, here);
        await visit.options.click("#knock-end");
        await until("the knock is over", async () => (await home.knocks()).length === 0);
        await stranger();
      } finally {
        await relay.close();
      }
    });

    it("a program on the port that says yes to all gets nothing", async () => {
      await home.stop();
      const squatter = new Squatter({ paired: false, features: ["knock"] }, { say: [
        { type: "knocked", id: "x", nonce: "0".repeat(64), expiresInMs: 120_000 },
        { type: "answered", id: "x", accepted: true },
        { type: "paired", id: "x", clientId: "0123456789abcdef", token: "t".repeat(43) },
      ] });
      await squatter.open(home.address);
      await knocks();
      await says("knock-next", /same number|dieselbe Zahl/);
      assert.equal((await visit.state()).link.state, "unpaired");
      await visit.options.click("#knock-end");
      await squatter.close();
      assert.doesNotMatch(squatter.heard.join("\n"), /"confirm"/);
      await home.start();
    });

    it("a click here alone pairs nobody; with one there the browser is paired, and the sites come next", async () => {
      const here = await knocks();
      const its = await there();
      assert.equal(its.number, here);
      assert.equal(its.origin, visit.browser.origin(SOURCE));
      assert.equal(its.browser, visit.browser.name);
      await visit.options.click("#knock-agree");
      await says("knock-next", /^Now add|^Füge jetzt/);
      await stranger();
      await home.answerKnock(its.id, true);
      await until("the browser is paired", () => home.clients().length === 1);
      await visit.linkIs("connected");
      assert.deepEqual(await home.knocks(), []);
      const [client] = home.clients();
      assert.deepEqual([client.origin, client.browser], [visit.browser.origin(SOURCE), visit.browser.name]);
      await until("the next step is offered", () => visit.options.run(() => document.activeElement?.id === "to-sites"));
    });
  });
}
