/** Finding and making elements. Text is only ever set as text. */

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
