/**
 * Picks from a page what its site's adapter has named. An adapter is data:
 * {site, pick: {field: {selector, attribute?}}, providers?}.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text } = own.bounds;

  const MOST_FIELDS = 12;
  const MOST_ELEMENTS = 20;

  /**
   * @param {ParentNode} document
   * @param {{selector: string, attribute?: string}} rule
   * @returns {string} "" when nothing, or more than one thing, stands there
   */
  function one(document, { selector, attribute }) {
    const values = new Set();
    for (const element of [...document.querySelectorAll(selector)].slice(0, MOST_ELEMENTS)) {
      const value = text(attribute ? element.getAttribute(attribute) : element.textContent);
      if (value) values.add(value);
    }
    return values.size === 1 ? [...values][0] : "";
  }

  /**
   * @param {ParentNode} document
   * @param {Record<string, any> | null | undefined} adapter
   * @returns {Record<string, string>}
   */
  function pick(document, adapter) {
    /** @type {Record<string, string>} */
    const picked = {};
    for (const [field, rule] of Object.entries(adapter?.pick ?? {}).slice(0, MOST_FIELDS)) {
      try {
        const value = one(document, rule);
        if (value) picked[field] = value;
      } catch {
        // A selector this browser does not know picks nothing.
      }
    }
    return picked;
  }

  own.pickup = { pick };
})();
