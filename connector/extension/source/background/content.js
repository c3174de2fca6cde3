/**
 * The content scripts, in the order in which a page runs them. They are
 * registered by sites.js for the sites the user has allowed, never for all.
 * @type {string[]}
 */
export const contentFiles = [];
