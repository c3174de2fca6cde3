/** The sites of the grid "Where do you watch?". */

/** @returns {import("../messages.js").Place[]} */
export const places = () => [
  { name: "stremio", label: "Stremio", hosts: ["web.stremio.com", "web.strem.io", "app.strem.io"] },
];
