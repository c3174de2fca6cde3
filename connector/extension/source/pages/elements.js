/** Helpers for elements and forms. Texts are never set as HTML. Errors are shown at their field and clear no input. */
import { put } from "./words.js";

/**
 * Returns the element with an id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function find(id, type) {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`no ${type.name} #${id}`);
}

/** @param {string} id */
export const part = (id) => find(id, HTMLElement);

/** @param {string} id */
export const input = (id) => find(id, HTMLInputElement);

/** @param {string} id */
export const button = (id) => find(id, HTMLButtonElement);

/** @param {string} id */
export const form = (id) => find(id, HTMLFormElement);

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | boolean>} [attributes] false leaves one out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/**
 * Updates the children of a list to match its items. Existing children stay, with
 * their focus and input.
 * @template T
 * @param {HTMLElement} list
 * @param {T[]} items
 * @param {(item: T) => string} key
 * @param {(item: T) => HTMLElement} build
 */
export function keep(list, items, key, build) {
  const old = new Map([...list.children].map((child) => [child.getAttribute("data-key"), child]));
  const wanted = new Set(items.map(key));
  for (const [name, child] of old) if (!wanted.has(name ?? "")) child.remove();
  items.forEach((item, i) => {
    let child = old.get(key(item));
    if (!child) {
      child = build(item);
      child.setAttribute("data-key", key(item));
    }
    if (list.children[i] !== child) list.insertBefore(child, list.children[i] ?? null);
  });
}

/** How long a result is shown, in milliseconds. */
const SAID = 20_000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let saying;

/**
 * Shows the result of an action, also to screen readers. It disappears after a while,
 * unless stays is set.
 * @param {string} words
 */
export function say(words, stays = false) {
  clearTimeout(saying);
  put(part("said"), words);
  if (words && !stays) saying = setTimeout(() => put(part("said"), ""), SAID);
}

/**
 * Shows the error of a field in the element ID-fault, and focuses the field.
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

/**
 * Handles the submission of a form, one at a time.
 * @param {HTMLFormElement} form
 * @param {(button: string) => Promise<void>} act gets the value of the button
 */
export function onSubmit(form, act) {
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.getAttribute("aria-busy") === "true") return;
    const sender = /** @type {HTMLButtonElement | null} */ (event.submitter);
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      part(`${field.id}-fault`).hidden = true;
      field.removeAttribute("aria-invalid");
    }
    say("");
    form.setAttribute("aria-busy", "true");
    void act(sender?.value ?? "").finally(() => form.removeAttribute("aria-busy"));
  });
}
