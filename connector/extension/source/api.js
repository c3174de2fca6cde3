/**
 * The browser's interface, under the name that this browser has for it.
 * @type {typeof chrome}
 */
export const api = globalThis.browser ?? globalThis.chrome;
