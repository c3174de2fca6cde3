import { contentFiles } from "./content.js";

/** @type {typeof chrome} */
const api = globalThis.browser ?? globalThis.chrome;

/** Registers the content scripts for what the user has allowed. */
export async function registerAll() {
  const { origins = [] } = await api.permissions.getAll();
  if (origins.length === 0 || contentFiles.length === 0) return;
}
