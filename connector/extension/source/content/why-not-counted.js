/**
 * Describes a frame for the popup when nothing in it counts: why a video that
 * plays is not counted, and which frames of other sites look like players. The
 * extension cannot see into those unless the user allows their site.
 */
(() => {
  const own = (globalThis.filmspool ??= {});
  const { address } = own.bounds;

  const MOST_FRAMES = 50;
  /** Pixels. Smaller frames are buttons and counters, not players. */
  const LEAST_WIDTH = 300;
  const LEAST_HEIGHT = 150;
  /** Permissions that pages give to frames with players. */
  const PLAYS = /\b(?:fullscreen|autoplay|encrypted-media|picture-in-picture)\b/;

  /**
   * @param {Element} frame
   * @returns {number} its area in square pixels when it looks like a player, else 0
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
   * @returns {string} the match pattern of its site when that is another one, else ""
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

  /** @returns {import("../messages.js").Outlook} the description of this frame */
  own.whyNotCounted = () => ({ players: players(), ...own.parts.tracker.silence() });
})();
