/**
 * Begins, once in each frame. The background may run these files a second
 * time in a page that has them already.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  if (own.started) return;
  own.started = true;

  const api = globalThis.browser ?? globalThis.chrome;
  const tracker = new own.tracker.SessionTracker();
  const finder = new own.finder.Finder(tracker);
  /** Milliseconds in which a frame that plays something may answer first. */
  const GIVE_WAY = 200;

  finder.begin();

  const once = { once: true };
  document.addEventListener("DOMContentLoaded", () => finder.search(), once);
  window.addEventListener("load", () => finder.soon(), once);
  for (const type of ["pointerdown", "keydown"]) {
    const acted = (/** @type {Event} */ event) => {
      if (!event.isTrusted) return;
      tracker.act();
      finder.soon();
    };
    window.addEventListener(type, acted, { capture: true, passive: true });
  }
  window.addEventListener("pagehide", () => tracker.hide());
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) tracker.show();
  });

  /**
   * Only the extension's own parts can send here; pages cannot.
   * @param {any} message
   * @param {any} _sender
   * @param {(answer: any) => void} answer
   * @returns {boolean | void} true when the answer comes later
   */
  function answerTo(message, _sender, answer) {
    if (message?.kind === "now") {
      const state = tracker.state();
      if (state) answer(state);
      else if (window === window.top) {
        setTimeout(() => answer(null), GIVE_WAY);
        return true;
      }
    } else if (message?.kind === "page" && window === window.top) {
      answer(tracker.page());
    }
  }

  api.runtime.onMessage.addListener(answerTo);
  own.parts = { tracker, finder };
})();
