/**
 * Starts the content scripts, once in each frame: the background may run these
 * files again in a page that has them already.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  if (own.started) return;
  own.started = true;

  const api = globalThis.browser ?? globalThis.chrome;
  const tracker = new own.tracker.SessionTracker();
  const finder = new own.finder.Finder(tracker);
  /** Milliseconds for which the page leaves the answer to a frame that plays something. */
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
   * Answers the popup and the background. Pages cannot send messages here.
   * @param {any} message
   * @param {any} _sender
   * @param {(answer: any) => void} answer
   * @returns {boolean | void} true when the answer follows later
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
