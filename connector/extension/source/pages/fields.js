/** Forms: faults stand beside their field, and nothing typed is lost. */
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
