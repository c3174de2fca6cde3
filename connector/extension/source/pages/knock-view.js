/** Pairing by two clicks: one here, and one on Filmspool's page. Nobody has to click for the question itself. */
import { ask, request } from "./ask.js";
import { button, form, input, part } from "./elements.js";
import { fault, say, sound } from "./fields.js";
import { readPairing } from "./pairing-view.js";
import { put, text } from "./words.js";

/**
 * @typedef {import("../messages.js").State} State
 * @typedef {import("../messages.js").Knock} Knock
 */

/** How often the background is asked while a knock is open: it must not fall asleep meanwhile. In milliseconds. */
const BEAT = 1000;

/** How often the page asks by itself, in milliseconds, and how many times in a row. */
const PAUSE = 5000;
const MOST_TRIES = 60;

/**
 * @param {() => Promise<void>} refresh
 * @param {() => void} done the browser is paired
 * @returns {(state: State) => void}
 */
export function knockView(refresh, done) {
  /** @type {Knock | null} */
  let last = null;
  let cancelled = false;
  let unpaired = false;
  begins(refresh);
  const asks = asksAlone(refresh, () => unpaired && last?.phase !== "open");
  for (const [id, kind] of /** @type {const} */ ([["knock-agree", "knockAgree"], ["knock-end", "knockEnd"]])) {
    button(id).addEventListener("click", async () => {
      cancelled = kind === "knockEnd";
      await request({ kind });
      await refresh();
      part(kind === "knockEnd" ? "knock" : "knock-open").focus();
    });
  }
  setInterval(() => last?.phase === "open" && void refresh(), BEAT);
  return ({ link, knock }) => {
    const before = last;
    const first = !unpaired;
    last = knock;
    unpaired = link.state === "unpaired";
    const open = knock?.phase === "open";
    const here = document.activeElement === button("knock");
    part("knock-start").hidden = open;
    part("knock-open").hidden = !open;
    if (open && here) part("knock-open").focus();
    if (knock && open) showOpen(knock, before);
    else if (before?.phase === "open" && knock?.phase === "paired") done();
    else if (before?.phase === "open" && !cancelled && unpaired && !unseen(before, knock)) fails(endOf(knock));
    cancelled &&= open;
    if (first && unpaired) void asks();
  };
}

/**
 * Asks by itself, while a person looks at the page. How often it may knock is the background's to say.
 * @param {() => Promise<void>} refresh
 * @param {() => boolean} wanted
 */
function asksAlone(refresh, wanted) {
  let left = MOST_TRIES;
  const asks = async () => {
    if (document.hidden || !wanted() || left === 0) return;
    left--;
    await ask({ kind: "knockAlone", label: input("pair-label").value.trim() });
    await refresh();
  };
  document.addEventListener("visibilitychange", () => {
    left = MOST_TRIES;
    void asks();
  });
  setInterval(asks, PAUSE);
  return asks;
}

/**
 * Whether nobody has done anything about a knock that nobody has clicked for.
 * @param {Knock} before
 * @param {Knock | null} knock
 */
const unseen = ({ alone, accepted, agreed }, knock) => alone && !accepted && !agreed && knock?.phase !== "refused";

/**
 * Tells why it came to nothing. Who types a code meanwhile goes on with it.
 * @param {string} words
 */
function fails(words) {
  const typing = document.activeElement;
  fault(button("knock"), words);
  if (typing instanceof HTMLInputElement) typing.focus();
}

/** @param {Knock | null} knock that came to nothing; null when the background has died with it */
function endOf(knock) {
  if (knock?.phase === "refused") return text("knockRefused");
  const late = knock?.phase === "expired";
  return text(late ? "knockExpired" : "knockLost");
}

/** @param {() => Promise<void>} refresh */
function begins(refresh) {
  const start = button("knock");
  start.addEventListener("click", async () => {
    for (const field of [start, ...form("pair-form").querySelectorAll("input")]) sound(field);
    const wish = readPairing();
    if (!wish || start.getAttribute("aria-busy") === "true") return;
    start.setAttribute("aria-busy", "true");
    say(text("pairingNow"));
    const answer = await request({ kind: "knock", ...wish });
    start.removeAttribute("aria-busy");
    say("");
    if (!answer.ok) return fault(start, answer.why);
    await refresh();
    part("knock-open").focus();
  });
}

/**
 * @param {Knock} knock
 * @param {Knock | null} before
 */
function showOpen({ number, accepted, agreed, alone }, before) {
  const next = accepted ? text("knockAccepted") : text(agreed ? "knockAgreed" : "knockWaits");
  put(part("knock-digits"), `${number.slice(0, 3)} ${number.slice(3)}`);
  put(part("knock-spoken"), [...number].join(" "));
  put(part("knock-next"), next);
  button("knock-agree").hidden = agreed;
  const changed = before?.phase === "open" ? before.accepted !== accepted || before.agreed !== agreed : alone;
  if (changed) say(next);
}
