// The daemon's own pages in real browsers, with the real program: who gets in, what
// a page shows when something happens, and what other pages can do to it.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, it } from "node:test";
import { Household } from "./household.js";
import { stage } from "./stage.js";
import { until } from "./until.js";

/** What a person reads. */
const text = () => /** @type {HTMLElement} */ (document.querySelector("main")).innerText;

/** @param {any} tab @param {RegExp} wanted */
const shows = (tab, wanted) => until(`the page says ${wanted}`, async () => wanted.test(await tab.run(text)));

for (const name of /** @type {const} */ (["chromium", "firefox"])) {
  stage(name, "the pages of the daemon", (Browser) => {
    const home = new Household();
    const browser = new Browser({ extensions: [], names: ["evil.example"] });
    /** @type {any} */ let tab;
    /** @type {string} */ let origin;
    /** @type {http.Server} another program of this machine */ let stranger;
    /** @type {string} */ let page = "";
    /** @type {string} */ let strange;

    before(async () => {
      await home.open();
      await browser.open();
      stranger = http.createServer((request, answer) => {
        seen.push(String(request.headers.cookie ?? ""));
        answer.setHeader("Content-Type", "text/html");
        answer.end(page);
      }).listen(0, "127.0.0.1");
      await once(stranger, "listening");
      strange = `http://evil.example:${/** @type {any} */ (stranger.address()).port}/`;
    });
    after(async () => {
      await browser.close();
      stranger?.close();
      await home.close();
    });
    /** @type {string[]} the cookies that the stranger was sent */ const seen = [];

    it("an address signs one browser in, and does not stay", async () => {
      const address = home.ticket();
      origin = new URL(address).origin;
      assert.match(origin, /^http:\/\/filmspool-[a-z2-7]{16}\.localhost:\d+$/);
      tab = await browser.tab(address);
      await until("it is led on", () => tab.run(() => location.pathname + location.search === "/"));
      await shows(tab, /Ready/);
      assert.equal(await tab.run(() => document.cookie), "", "the page's script can read the cookie");
      assert.equal(await tab.run(() => history.length <= 2), true, "the address stays in the history");
      const again = await browser.tab(address);
      await shows(again, /has been used/);
      await again.goto(`${origin}/`);
      await shows(again, /Ready/); // the browser itself stays signed in
      await again.close();
    });

    it("two pages tell what happens, and again after a restart", async () => {
      const other = await browser.tab(`${origin}/`);
      const both = async (/** @type {RegExp} */ wanted) => {
        for (const one of [tab, other]) {
          await one.front(); // a page that nobody sees does not listen
          await shows(one, wanted);
        }
      };
      home.run(["add", "movie", "603"]);
      await both(/All is delivered/);
      await home.stop();
      await both(/does not answer/);
      await home.start();
      home.run(["pause"]);
      await both(/Paused/);
      await until("the alarm is over", async () => !/does not answer/.test(await other.run(text)));
      home.run(["resume"]);
      await both(/All is delivered/);
      await other.close();
    });

    it("nothing was complained of", () => {
      // A daemon that stops, and a link that has been used, are told by the browser, too.
      const expected = /ERR_CONNECTION_(REFUSED|RESET|CLOSED)|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|can.t establish a connection|was interrupted while|\/in\?ticket=.*403/;
      assert.deepEqual(browser.errors.filter((/** @type {string} */ error) => !expected.test(error)), []);
    });

    it("another page cannot frame it, send its forms, read it, or get the cookie", async () => {
      page = "<!doctype html><title>Another program</title>";
      const hostile = await browser.tab(strange);
      const outcome = await hostile.run(async (/** @type {string} */ origin) => {
        document.body.innerHTML = `<iframe src="${origin}/"></iframe><iframe name="into"></iframe>
          <form method="post" action="${origin}/pause" target="into"><input name="account"></form>`;
        document.forms[0].submit();
        const read = await fetch(`${origin}/`, { credentials: "include" }).then((answer) => answer.text(), () => "refused");
        const live = await new Promise((done) => {
          const source = new EventSource(`${origin}/live`, { withCredentials: true });
          source.onopen = () => done("open");
          source.onerror = () => done("refused");
        });
        const script = await new Promise((done) => {
          const element = document.createElement("script");
          element.src = `${origin}/static/page.js`;
          element.onload = () => done("loaded");
          element.onerror = () => done("refused");
          document.body.append(element);
        });
        return { read, live, script };
      }, origin);
      assert.deepEqual(outcome, { read: "refused", live: "refused", script: "refused" });
      // Of a page that may stand in no frame, the browser shows an error in its place.
      const framed = await hostile.run(() => { try { return document.querySelector("iframe")?.contentDocument?.body.innerText ?? ""; } catch { return ""; } });
      assert.equal(framed, "");
      assert.equal(home.json("status").accounts[0].state, "ok", "a form of another page has paused it");
      assert.ok(seen.every((cookie) => !cookie.includes("filmspool")), seen.join());
      await hostile.close();
    });

    it("the other names of this machine, and a name that leads here, get nothing", async () => {
      const port = new URL(origin).port;
      for (const host of ["127.0.0.1", "localhost", "evil.example", "filmspool-aaaaaaaaaaaaaaaa.localhost"]) {
        const one = await browser.tab(`http://${host}:${port}/`);
        assert.doesNotMatch(await one.run(() => document.body.innerText), /delivered|Paused|account/i, host);
        await one.close();
      }
    });
  });
}
