// Hostile pages and a hostile extension in real browsers, against the running
// daemon. They get in nowhere, nothing leaks, nothing changes.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { folder, Household } from "./household.js";
import { attackFrom, attackFromContent, attackFromExtension, attackFromFrame, faults, gotNothing, gotRefusals, gotUnpaired, guess, SECRET_FILM, STRANGER } from "./hostile.js";
import { Pages } from "./pages.js";
import { stage } from "./stage.js";
import { until } from "./until.js";

const NAMES = ["evil.example", "rebound.example"];
const REFUSED = '"socket refused"';

/** The daemon, with one film in its queue, and the pages of the attackers. */
class Siege {
  home = new Household();
  pages = new Pages();
  #folder = folder("pages");

  async open() {
    await this.home.open();
    await this.pages.open(this.#folder.dir);
    this.home.run(["add", "movie", String(SECRET_FILM)]);
    await this.home.settled();
    this.before = await this.#everything();
    this.http = this.pages.put("/evil", "<!doctype html><title>evil</title>", "evil.example");
    this.frames = this.pages.put("/frames", '<!doctype html><iframe sandbox="allow-scripts" src="/evil?framed"></iframe>', "evil.example");
    this.https = this.pages.secure(this.http);
    this.local = this.pages.put("/evil", "<!doctype html><title>evil</title>", "127.0.0.1");
    this.rebound = `http://rebound.example:${this.home.address.split(":")[1]}/v1/health`;
  }

  async #everything() {
    return { queue: this.home.queue(), records: await this.home.records(), clients: this.home.clients() };
  }

  /** Ends it: nothing may have changed, and the daemon must be alive. */
  async close() {
    try {
      assert.equal(this.before?.queue.length, 1);
      assert.deepEqual(await this.#everything(), this.before);
      await this.home.stop(); // fails when it has crashed
    } finally {
      await this.home.close();
      await this.pages.close();
      this.#folder.remove();
    }
  }
}

/** That many sockets reached the daemon and were refused by it. @param {Household} home @param {number} number */
const refusals = (home, number) => until(`${number} refused sockets in the daemon's log`, () => home.logged(REFUSED) === number, 5000);

/** Attacks from all pages where the browser itself stops nobody. @param {any} browser @param {Siege} siege */
async function attackFromPages(browser, siege) {
  const { home } = siege;
  for (const where of [siege.http, siege.https, siege.local]) {
    const from = home.logged(REFUSED);
    const tab = await browser.tab(where);
    const spoils = await attackFrom(tab, home.address);
    gotNothing(spoils);
    assert.ok(spoils.blindHealth.reached, `${where} has not even reached the daemon: this proves nothing`);
    await refusals(home, from + 1);
    gotNothing(await attackFromContent(tab, home.address));
    await refusals(home, from + 2);
    await tab.close();
  }
}

/** @param {any} browser @param {Siege} siege */
async function attackFromSandbox(browser, { home, frames }) {
  const from = home.logged(REFUSED);
  const tab = await browser.tab(frames);
  gotNothing(await attackFromFrame(tab, "framed", home.address));
  await refusals(home, from + 1);
  await tab.close();
}

/** @param {any} browser @param {Siege} siege */
async function attackByRebinding(browser, { home, rebound }) {
  const tab = await browser.tab(rebound);
  gotRefusals(await attackFrom(tab, new URL(rebound).host));
  gotNothing(await attackFrom(tab, home.address)); // the page's name, our address
  await tab.close();
}

/** @param {any} browser @param {Siege} siege */
async function attackFromTheStranger(browser, { home }) {
  gotUnpaired(await attackFromExtension(browser, home.address));
  console.log(`  ${browser.name}: faults: ${(await faults(browser, home.address)).join("; ")}`);
  const answers = await guess(browser, home.address, home.pairingCode());
  assert.deepEqual(answers, answers.map(() => "PAIRING_CODE_INVALID"));
  assert.deepEqual(home.clients(), []);
}

/** The scenarios that both browsers share. @param {(options: object) => any} make */
function scenarios(make) {
  const siege = new Siege();
  /** @type {any} */ let browser;
  before(async () => {
    await siege.open();
    browser = make({ extensions: [STRANGER], names: NAMES });
    await browser.open();
  });
  after(async () => {
    await browser.close();
    await siege.close();
  });
  it("pages over http, https and of this machine, and content scripts", () => attackFromPages(browser, siege));
  it("a sandboxed frame", () => attackFromSandbox(browser, siege));
  it("a rebound name", () => attackByRebinding(browser, siege));
  it("another extension", () => attackFromTheStranger(browser, siege));
}

stage("chromium", "hostile, with its local network checks off", (Browser) => {
  const args = ["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"];
  scenarios((options) => new Browser({ ...options, args }));
});

stage("firefox", "hostile", (Browser) => scenarios((options) => new Browser({ ...options, prefs: { "devtools.jsonview.enabled": false } })));

stage("chromium", "hostile, with its local network checks on", (Browser) => {
  const siege = new Siege();
  /** @type {any} */ let browser;
  before(async () => {
    await siege.open();
    const far = [siege.pages.http, siege.pages.https].map((port) => `127.0.0.1:${port}=public`);
    browser = new Browser({ extensions: [STRANGER], names: NAMES, args: [`--ip-address-space-overrides=${far.join(",")}`] });
    await browser.open();
  });
  after(async () => {
    await browser.close();
    await siege.close();
  });
  it("a page that the user did not allow is stopped by the browser", async () => {
    for (const where of [siege.http, siege.https]) {
      const tab = await browser.tab(where);
      gotNothing(await attackFrom(tab, siege.home.address));
      await tab.close();
    }
    assert.equal(siege.home.logged(REFUSED), 0);
  });
  it("a page that the user has allowed is refused by the daemon", async () => {
    await browser.context.grantPermissions(["local-network-access"]);
    const tab = await browser.tab(siege.https);
    gotNothing(await attackFrom(tab, siege.home.address));
    await refusals(siege.home, 1);
    await tab.close();
  });
  it("another extension", () => attackFromTheStranger(browser, siege));
});
