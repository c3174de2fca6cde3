// What a person does on the daemon's pages, in real browsers with the real program: a key
// mended, a candidate chosen, an undo, many at once, two tabs, an import; without JavaScript, too.
import { after, before, it } from "node:test";
import { chromium } from "playwright-core";
import { bulk, chosen, imported, Person, refused, shelves, suggested, twoTabs, undone } from "./acts.js";
import { CHROMIUM, Tab } from "./chromium.js";
import { Household } from "./household.js";
import { stage } from "./stage.js";
import { until } from "./until.js";

/** A Chromium in which no page's script runs. */
class Scriptless {
  async open() {
    this.browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: process.getuid?.() !== 0 });
    this.context = await this.browser.newContext({ javaScriptEnabled: false, locale: "en" });
  }

  /** @param {string} address */
  async tab(address) {
    const page = await /** @type {import("playwright-core").BrowserContext} */ (this.context).newPage();
    await page.goto(address);
    return new Tab(page);
  }

  async close() {
    await this.browser?.close();
  }
}

/** @param {"chromium" | "firefox"} name @param {string} what @param {any} Other another browser than the usual */
function acts(name, what, Other) {
  stage(name, what, (Browser) => {
    const home = new Household();
    const browser = new (Other ?? Browser)({ extensions: [] });
    /** @type {Person} */ let person;

    before(async () => {
      shelves(home);
      await home.open();
      await browser.open();
      const address = home.ticket();
      person = new Person(home, await browser.tab(address), new URL(address).origin);
      await until("the browser is signed in", () => person.tab.run(() => location.pathname === "/" && document.readyState === "complete"));
    });
    after(async () => {
      await browser.close();
      await home.close();
    });

    it("a key that is refused is mended, and what waited arrives", () => refused(person, "sk_another_0123456789abcdef"));
    it("a candidate is chosen, and the next episode is known", () => chosen(person));
    it("what the service has suggested needs one click", () => suggested(person));
    it("what was delivered is taken back", () => undone(person));
    it("many are dropped, held back and sent, each after a preview", () => bulk(person));
    it("two tabs: the older form does nothing, and says so", async () => {
      const other = new Person(home, await browser.tab(`${person.origin}/diary`), person.origin);
      await person.tab.front();
      await twoTabs(person, other);
    });
    // Last, for what was imported leaves for minutes.
    it("an import is shown first, paused, and gone on with", () => imported(person));
  });
}

acts("chromium", "what a person does on the pages", undefined);
acts("firefox", "what a person does on the pages", undefined);
acts("chromium", "the same without JavaScript", Scriptless);
