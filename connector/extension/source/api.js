/**
 * The extension API of the browser, which is called browser in Firefox and chrome in Chromium.
 * @type {typeof chrome}
 */
export const api = globalThis.browser ?? globalThis.chrome;
