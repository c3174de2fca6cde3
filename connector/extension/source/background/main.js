/**
 * The background's door: listeners are registered here, synchronously, so
 * that a worker that was woken for an event does not miss it.
 */
import { registerAll } from "./sites.js";

/** @type {typeof chrome} */
const api = globalThis.browser ?? globalThis.chrome;

api.runtime.onInstalled.addListener((details) => {
  void registerAll();
  if (details.reason === "install") void api.runtime.openOptionsPage();
});
