/** Elements and forms. Text is only ever set as text; faults stand beside their field, and nothing typed is lost. */
import { put } from "./words.js";

/**
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
 * Brings the children of a list in line with its items. What is there already
 * stays, with its focus and what was typed into it.
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
 * Tells the result of what the user did, for eyes and for screen readers. It goes away after
 * a while, unless it stays until something else is told.
 * @param {string} words
 */
export function say(words, stays = false) {
  clearTimeout(saying);
  put(part("said"), words);
  if (words && !stays) saying = setTimeout(() => put(part("said"), ""), SAID);
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
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      part(`${field.id}-fault`).hidden = true;
      field.removeAttribute("aria-invalid");
    }
    say("");
    form.setAttribute("aria-busy", "true");
    void act(sender?.value ?? "").finally(() => form.removeAttribute("aria-busy"));
  });
}
