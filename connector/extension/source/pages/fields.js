/** Forms: faults stand beside their field, and nothing typed is lost. */
import { api } from "./api.js";
import { part } from "./elements.js";
import { put } from "./words.js";

/**
 * Tells the result of what the user did, for eyes and for screen readers.
 * @param {string} words
 */
export function say(words) {
  put(part("said"), words);
}

/**
 * Shows what is wrong with a field, in the element named ID-fault, and goes
 * there.
 * @param {HTMLElement} field
 * @param {string} words
 */
export function fault(field, words) {
  const place = part(`${field.id}-fault`);
  put(place, words);
  place.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.focus();
}

/** @param {HTMLElement} field */
export function sound(field) {
  const place = document.getElementById(`${field.id}-fault`);
  if (place) place.hidden = true;
  field.removeAttribute("aria-invalid");
}

/**
 * Does something when a form is sent, once at a time. The button that sent it
 * keeps its focus.
 * @param {HTMLFormElement} form
 * @param {(button: string) => Promise<void>} act gets the value of the button
 */
export function onSubmit(form, act) {
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.getAttribute("aria-busy") === "true") return;
    const sender = /** @type {HTMLButtonElement | null} */ (event.submitter);
    for (const field of form.querySelectorAll("input, textarea, select")) sound(/** @type {HTMLElement} */ (field));
    say("");
    form.setAttribute("aria-busy", "true");
    void act(sender?.value ?? "").finally(() => form.removeAttribute("aria-busy"));
  });
}

/** @type {Record<string, string>} */
let drafts = {};

/**
 * Reads what was typed before the popup closed: it closes as soon as the user
 * goes to another page to copy an address. It lives as long as the browser.
 */
export async function loadDrafts() {
  const stored = await api.storage.session.get("drafts");
  drafts = /** @type {Record<string, string>} */ (stored.drafts ?? {});
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} name
 */
export function keepDraft(field, name) {
  if (drafts[name]) field.value = drafts[name];
  field.addEventListener("input", () => {
    drafts[name] = field.value;
    void api.storage.session.set({ drafts });
  });
}

/**
 * The same for a choice.
 * @param {HTMLInputElement[]} radios
 * @param {string} name
 */
export function keepDraftOf(radios, name) {
  for (const radio of radios) {
    if (drafts[name]) radio.checked = drafts[name] === radio.value;
    radio.addEventListener("change", () => {
      drafts[name] = radio.value;
      void api.storage.session.set({ drafts });
    });
  }
}

/**
 * Notes something for when the popup opens again.
 * @param {string} name
 * @param {string} value
 */
export function noteDraft(name, value) {
  drafts[name] = value;
  void api.storage.session.set({ drafts });
}

/** @param {string} name */
export const draftOf = (name) => drafts[name] ?? "";

/** @param {string} name */
export const hasDraft = (name) => Boolean(drafts[name]);

/** @param {...string} names */
export function dropDrafts(...names) {
  for (const name of names) delete drafts[name];
  void api.storage.session.set({ drafts });
}
