/** The rules of the sites: their form, their pages, and what they read of them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import Ajv from "ajv";
import formats from "ajv-formats";
import { objects } from "../source/background/objects.js";
import { rules, servers } from "../source/sites/index.js";
import { Player, SitePage, expected, read, told } from "./site-page.js";
import { Screening } from "./screening.js";

const here = path.join(import.meta.dirname, "sites");
const nothing = { kind: null, title: null, series: null, season: null, episode: null, year: null, numbers: {}, missing: [] };

/** All values of a rule that stand under such a name. @param {any} value @param {string[]} names @returns {string[]} */
function values(value, names, inside = false) {
  if (typeof value === "string") return inside ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => values(one, names, inside));
  return Object.entries(value ?? {}).flatMap(([name, one]) => values(one, names, names.includes(name) || (inside && name === "selector")));
}

const PARTS = ["name", "series", "film", "place", "season", "episode", "title", "year", "titleNumber", "seriesNumber"];
const SELECTORS = ["is", "not", "ad", "adText", "upNext", "scope", "slider", "same", "needs", ...PARTS];

/** The members of a list of selectors. @param {string} list */
const members = (list) => list.split(/,(?![^([]*[)\]])/).map((one) => one.trim());

/** @param {any} rule */
function selectors(rule) {
  const pages = rule.say.filter(({ from }) => from === "page");
  return values({ ...rule, say: pages }, SELECTORS).flatMap(members);
}

test("every file is in the list, a rule has a folder of pages, and no host has two rules", () => {
  const files = fs.readdirSync(path.join(here, "../../source/sites")).filter((name) => name.endsWith(".json")).map((name) => path.parse(name).name);
  assert.deepEqual(files.sort(), Object.keys({ ...rules, ...servers }).sort());
  assert.deepEqual(fs.readdirSync(here, { withFileTypes: true }).filter((one) => one.isDirectory()).map(({ name }) => name).sort(), Object.keys(rules).sort());
  const hosts = Object.values(rules).flatMap((rule) => rule.hosts);
  assert.equal(new Set(hosts).size, hosts.length);
});

const ajv = new Ajv({ allErrors: true });
formats.default(ajv);
const valid = ajv.compile(JSON.parse(read("schema.json")));

for (const [name, file] of Object.entries({ ...rules, ...servers })) {
  test(`${name}: the file has the form of the schema, and no pattern that could take long over a long text`, () => {
    assert.ok(valid(file), JSON.stringify(valid.errors, null, 1));
    assert.match(name, /^[a-z0-9-]{1,32}$/);
    const patterns = [...values(file, ["path", "pattern", "seriesNumber", "server"]), ...file.never ?? []];
    assert.deepEqual(patterns.filter((one) => /[+*}]\??\)[+*{]/.test(one)), []);
    assert.equal(file.say?.some(({ from }) => from === "object") ?? false, Object.hasOwn(objects, name), "an object of the page is read where the rule says so");
  });
}

test("each media server has a reader, and each reader a file", () => {
  const { window } = new Screening();
  assert.deepEqual(Object.keys(window.filmspool.provider.providers).sort(), Object.keys(servers).sort());
  window.close();
});

for (const [name, rule] of Object.entries(rules)) {
  test(`${name}: there are the pages of a film, an episode, a trailer and hidden controls`, () => {
    const pages = expected(name);
    const tells = { movie: /"movie"|<film>|"film"|"object"|"jsonld"/, episode: /"episode"|<episode>|<number>|"place"|<place>|"series"|"object"|"jsonld"/ };
    const kinds = Object.keys(tells).filter((kind) => tells[kind].test(JSON.stringify([rule.watch, rule.say])));
    assert.notDeepEqual(kinds, []);
    for (const kind of kinds) assert.ok(Object.values(pages).some((page) => page.answer.kind === kind), kind);
    for (const page of ["trailer", "hidden"]) {
      assert.ok(pages[page], page);
      assert.equal(pages[page].answer.title ?? pages[page].answer.series ?? null, null, `nothing is known of ${page}`);
    }
    assert.deepEqual(fs.readdirSync(path.join(here, name)).sort(), [...Object.keys(pages).map((page) => `${page}.html`), "expected.json"].sort());
  });

  test(`${name}: its pages are read as expected, and have every selector and every address of the rule`, async () => {
    const found = new Set();
    const wanted = selectors(rule);
    const paths = [...values(rule, ["path"]).filter((one) => one.startsWith("^")), ...rule.never ?? []];
    for (const [page, { answer }] of Object.entries(expected(name))) {
      const opened = new SitePage(read(name, `${page}.html`), expected(name)[page].url, { scripts: true });
      assert.deepEqual(await opened.answer(), { site: name, ...nothing, ...answer }, page);
      const { roots } = opened.window.filmspool.parts.finder;
      for (const selector of wanted) if (roots.some((root) => root.querySelector(selector))) found.add(selector);
      const { pathname, search, hash } = opened.window.location;
      for (const pattern of paths) if (new RegExp(pattern, "u").test(pathname + search + hash)) found.add(pattern);
      opened.screening.close();
    }
    assert.deepEqual([...wanted, ...paths].filter((one) => !found.has(one)), []);
  });

  if (expected(name).next) test(`${name}: the next episode starts by itself`, () => autoplay(name));
}

/** The words and the place in an answer. @param {any} answer */
const item = ({ series = null, season = null, episode = null }) => ({ series, season, episode });

/** From one episode to the next on one page: old words linger, new ones come late, and the controls hide. @param {string} name */
async function autoplay(name) {
  const { episode, next } = expected(name);
  const player = new Player(name);
  const { screening, page } = player;
  const saw = () => item(told(structuredClone(screening.of("session").at(-1).session)));
  await player.shown(30);
  assert.deepEqual(saw(), item(episode.answer));
  await player.hidden(2430);
  assert.deepEqual(item(told(screening.watched[0])), item(episode.answer), "its words hold while the controls are hidden");
  await player.shown(500);
  page.window.history.pushState({}, "", next.url);
  page.window.eval("globalThis.netflix = undefined");
  player.length = 2900;
  player.film.load(player.length);
  await player.play(9);
  await player.hidden(100);
  await player.shown(20, "next");
  assert.deepEqual(saw(), item(next.answer));
  await player.hidden(2300);
  assert.deepEqual(screening.watched.map((session) => item(told(session))), [item(episode.answer), item(next.answer)]);
  const later = screening.of("session").filter(({ session }) => session.id !== screening.watched[0].id);
  for (const { session } of later) assert.notDeepEqual(item(told(session)), item(episode.answer), "words of before are not those of the next");
  screening.close();
}

test("the command says the same of a page that was saved", () => {
  const { url, answer: known } = expected("netflix").next;
  const args = ["--no-warnings", "try-rule.js", "--url", url, path.join(here, "netflix/next.html")];
  assert.deepEqual(JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" })), { site: "netflix", ...nothing, ...known });
});
