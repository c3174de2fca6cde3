/**
 * Describes where this script runs: the frame, and the page of the tab when
 * that is of the same origin. A frame of another site cannot read the address
 * of the page around it; the background adds it.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { text, address, page } = own.bounds;

  /** @returns {Document} of the tab, or of this frame when the tab shows another origin */
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

  /** @type {Map<string, string>} the last names by address: every sample needs one */
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

  /** @returns {string} the name of the page, which changes when another page is shown */
  function name() {
    const around = tab();
    const mine = nameOf(location.href);
    return around === document ? mine : `${nameOf(around.location.href)} ${mine}`;
  }

  let last = "";
  let visits = 0;

  /** @returns {number} a number that grows whenever another page is shown, also when it was shown before */
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
