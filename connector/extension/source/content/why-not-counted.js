/**
 * What the popup is told of a frame when nothing there counts: why a video
 * that plays is not counted, and players in frames of other sites, into which
 * nobody looks unless the user allows it.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { address } = own.bounds;

  const MOST_FRAMES = 50;
  /** A frame that may play, in pixels. Smaller ones are buttons and counters. */
  const LEAST_WIDTH = 300;
  const LEAST_HEIGHT = 150;
  /** What pages let a player do. */
  const PLAYS = /\b(?:fullscreen|autoplay|encrypted-media|picture-in-picture)\b/;

  /**
   * @param {Element} frame
   * @returns {number} its area when it looks like a player's, else 0
   */
  function size(frame) {
    const { width, height } = frame.getBoundingClientRect();
    if (width < LEAST_WIDTH || height < LEAST_HEIGHT) return 0;
    if (frame.checkVisibility?.({ visibilityProperty: true }) === false) return 0;
    const may = frame.hasAttribute("allowfullscreen") || PLAYS.test(frame.getAttribute("allow") ?? "");
    return may || width >= innerWidth / 2 ? width * height : 0;
  }

  /**
   * @param {Element} frame
   * @returns {string} the site it shows, when that is another one; else ""
   */
  function site(frame) {
    const href = address(frame.getAttribute("src"), document.location.href);
    if (href === "") return "";
    const { protocol, hostname } = new URL(href);
    return hostname === location.hostname ? "" : `${protocol}//${hostname}/*`;
  }

  /** @returns {{site: string, area: number}[]} players in frames of other sites */
  function players() {
    return [...document.querySelectorAll("iframe")].slice(0, MOST_FRAMES)
      .map((frame) => ({ site: site(frame), area: size(frame) }))
      .filter((one) => one.site !== "" && one.area > 0);
  }

  /** @returns {import("../messages.js").Outlook} of this frame */
  own.whyNotCounted = () => ({ players: players(), ...own.parts.tracker.silence() });
})();
