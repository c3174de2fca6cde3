/** Handles pairing, unpairing, and the address of Filmspool. */
import { request } from "./ask.js";
import { button, fault, find, form, input, onSubmit, part, say } from "./elements.js";
import { put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Settings} Settings
 */

/** The most characters of the name of this browser. The protocol allows more, but lists show it. */
const LONGEST_LABEL = 60;

/**
 * @param {() => Promise<void>} refresh
 * @returns {(state: State) => void}
 */
export function pairingView(refresh) {
  /** @type {State | undefined} */
  let last;
  pairForm(refresh);
  unpairSteps(refresh);
  addressForm(refresh, () => last?.settings);
  button("to-sites").addEventListener("click", () => {
    part("sites-heading").scrollIntoView();
    part("sites-heading").focus({ preventScroll: true });
  });
  return (state) => {
    const paired = isPaired(state);
    const changed = last === undefined || isPaired(last) !== paired || (last.link.state === "revoked") !== (state.link.state === "revoked");
    part("paired").hidden = !paired;
    part("address").hidden = !paired;
    part("first-step").hidden = !paired || state.sites.some(({ granted }) => granted);
    put(part("pair-summary"), text(paired ? "pairAgainSummary" : "pairSummary"));
    if (paired) put(part("paired-words"), state.link.pairedLabel ? text("pairedAs", state.link.pairedLabel) : text("paired"));
    if (changed) find("pair", HTMLDetailsElement).open = !paired || state.link.state === "revoked";
    if (!last && !paired) input("pair-code").focus();
    offer("pair-address", state.settings.address, last?.settings.address);
    offer("new-address", state.settings.address, last?.settings.address);
    part("code-page").setAttribute("href", `http://${state.settings.address}/`);
    offer("pair-label", state.link.pairedLabel || browserName(), last && (last.link.pairedLabel || browserName()));
    last = state;
  };
}

/** @param {State} state */
const isPaired = ({ link }) => link.state !== "unpaired";

/**
 * Fills in a field, unless it has the focus or the user has typed something else.
 * @param {string} id
 * @param {string} value
 * @param {string | undefined} before what was filled in last
 */
function offer(id, value, before) {
  const field = input(id);
  if (field === document.activeElement) return;
  if (field.value === "" || field.value === before) field.value = value;
}

function browserName() {
  const agent = navigator.userAgent;
  const [, name] = /(Firefox|Edg|OPR|Vivaldi)\//.exec(agent) ?? [];
  return { Firefox: "Firefox", Edg: "Edge", OPR: "Opera", Vivaldi: "Vivaldi" }[name ?? ""] ?? "Chrome";
}

/** @param {() => Promise<void>} refresh */
function pairForm(refresh) {
  const code = input("pair-code");
  code.addEventListener("paste", (event) => {
    const pasted = event.clipboardData?.getData("text") ?? "";
    if (!readCode(pasted)) return;
    event.preventDefault();
    code.value = pasted;
    form("pair-form").requestSubmit();
  });
  onSubmit(form("pair-form"), async () => {
    const read = readCode(code.value);
    if (!read) return fault(code, text(code.value.trim() ? "faultCode" : "faultCodeEmpty"));
    const label = input("pair-label").value.trim();
    const address = readAddress(input("pair-address").value);
    if ([...label].length > LONGEST_LABEL) return fault(input("pair-label"), text("faultLong", LONGEST_LABEL, [...label].length));
    if (!address) return fault(input("pair-address"), text("faultAddress"));
    say(text("pairingNow"));
    const trouble = await request({ kind: "pair", code: read, label, address });
    await refresh();
    say(trouble ? "" : text("pairingDone"));
    if (trouble) return fault(code, trouble);
    code.value = "";
    find("pair", HTMLDetailsElement).open = false;
    (part("first-step").hidden ? part("link") : button("to-sites")).focus();
  });
}

/** @param {() => Promise<void>} refresh */
function unpairSteps(refresh) {
  const step = (/** @type {boolean} */ asks) => {
    part("unpair-sure").hidden = !asks;
    button("unpair").hidden = asks;
    button(asks ? "unpair-no" : "unpair").focus();
  };
  button("unpair").addEventListener("click", () => step(true));
  button("unpair-no").addEventListener("click", () => step(false));
  part("unpair-sure").addEventListener("keydown", (pressed) => {
    if (pressed.key === "Escape") step(false);
  });
  button("unpair-yes").addEventListener("click", async () => {
    const trouble = await request({ kind: "unpair" });
    await refresh();
    step(false);
    if (!trouble) part("pairing-heading").focus();
    say(trouble || text("unpaired"));
  });
}

/**
 * @param {() => Promise<void>} refresh
 * @param {() => Settings | undefined} settings
 */
function addressForm(refresh, settings) {
  const address = input("new-address");
  onSubmit(form("address-form"), async () => {
    const at = readAddress(address.value);
    const now = settings();
    if (!at || !now) return fault(address, text("faultAddress"));
    const trouble = await request({ kind: "settings", settings: { ...now, address: at } });
    if (trouble) return fault(address, trouble);
    address.value = at;
    await refresh();
    say(text("saved"));
  });
}

/**
 * Reads a pairing code. Case, spaces and dashes are ignored.
 * @param {string} typed
 * @returns {string | null}
 */
function readCode(typed) {
  const code = typed.replace(/[\s\p{Pd}]/gu, "").toUpperCase();
  return /^[2-9A-HJ-NP-Z]{8}$/.test(code) ? code : null;
}

/**
 * Reads the address of the daemon: host:port, a port alone, or a copied URL. Only
 * addresses on this computer are accepted.
 * @param {string} typed
 * @returns {string | null}
 */
function readAddress(typed) {
  const bare = typed.trim().replace(/^\w+:\/\//, "").replace(/\/.*$/, "");
  const [, host = "127.0.0.1", port] = /^(?:(127\.0\.0\.1|localhost):)?(\d{1,5})$/.exec(bare) ?? [];
  if (!port || Number(port) < 1 || Number(port) > 65_535) return null;
  return `${host}:${Number(port)}`;
}
