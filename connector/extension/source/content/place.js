/**
 * Where this script runs: its frame, and the page in the tab where the two
 * may see each other. The address of a page around a frame of another site
 * is not to be seen from here; the background adds it.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text, address, page } = own.bounds;

  /** @returns {Document} of the tab, or of this frame when that is closed to us */
  function tab() {
    try {
      return window.top?.document.location.href ? window.top.document : document;
    } catch {
      return document;
    }
  }

  /** @returns {{url: string, host: string, title: string, frameUrl?: string}} */
  function here() {
    const around = tab();
    const url = address(around.location.href);
    const place = { url, host: text(around.location.hostname, 253), title: text(around.title) };
    return window === window.top ? place : { ...place, frameUrl: address(location.href) };
  }

  /** @type {Map<string, string>} the last names, since they are asked for with every sample */
  const names = new Map();

  /** @param {string} href */
  function nameOf(href) {
    const known = names.get(href);
    if (known !== undefined) return known;
    if (names.size >= 10) names.clear();
    const name = page(href);
    names.set(href, name);
    return name;
  }

  /** @returns {string} a name that changes when another page is shown */
  function name() {
    const around = tab();
    const mine = nameOf(location.href);
    return around === document ? mine : `${nameOf(around.location.href)} ${mine}`;
  }

  let last = "";
  let visits = 0;

  /** @returns {number} another one for each page that was shown, also for one that is shown again */
  function visit() {
    const page = name();
    if (page !== last) visits++;
    last = page;
    return visits;
  }

  /** @returns {import("../messages.js").Evidence} */
  function evidence() {
    const around = tab();
    const mine = own.evidence.read(document, name());
    return around === document ? mine : own.evidence.joined(own.evidence.read(around, name()), mine);
  }

  own.place = { here, name, visit, evidence };
})();
