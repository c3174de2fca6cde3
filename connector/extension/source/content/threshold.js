/** Decides when a film or an episode counts as watched. */
(() => {
  const own = (globalThis.filmspool ??= {});

  /** Seconds. Longer durations are no film: players set them for live streams. */
  const LONGEST = 24 * 3600;

  /** The rule until the background has sent that of the user. */
  const usual = {
    movie: { played: 0.5, position: 0.8, minimum: 300 },
    episode: { played: 0.5, position: 0.8, minimum: 300 },
    last: 0,
  };

  /**
   * @param {import("../messages.js").Rule} rule
   * @param {"movie" | "episode" | null} kind null when it is unknown: then the stricter of both holds
   * @returns {import("../messages.js").Threshold}
   */
  function threshold(rule, kind) {
    if (kind) return rule[kind];
    const { movie, episode } = rule;
    return {
      played: Math.max(movie.played, episode.played),
      position: Math.max(movie.position, episode.position),
      minimum: Math.max(movie.minimum, episode.minimum),
    };
  }

  /**
   * @param {import("../messages.js").Rule} rule
   * @param {"movie" | "episode" | null} kind
   * @param {number} duration seconds
   * @returns {boolean} false for live streams and clips, and while the duration is unknown
   */
  function long(rule, kind, duration) {
    return duration <= LONGEST && duration > 0 && duration >= threshold(rule, kind).minimum;
  }

  /**
   * @param {import("../messages.js").Rule} rule
   * @param {number} duration seconds
   * @returns {boolean} whether it is long enough for a film or for an episode
   */
  function longer(rule, duration) {
    return long(rule, "movie", duration) || long(rule, "episode", duration);
  }

  /**
   * @param {import("../messages.js").Rule} rule
   * @param {number} duration seconds
   * @returns {boolean} true for a clip; false for what may be a film, also while the duration is unknown
   */
  function short(rule, duration) {
    return duration < Math.min(rule.movie.minimum, rule.episode.minimum);
  }

  /** @param {number} duration seconds @returns {boolean} true for a live stream */
  function endless(duration) {
    return duration > LONGEST;
  }

  /**
   * @param {import("../messages.js").Rule} rule
   * @param {"movie" | "episode" | null} kind
   * @param {{played: number, position: number, duration: number}} state seconds
   * @returns {number} seconds still to play: 0 when it counts as watched, Infinity when it never will
   */
  function needs(rule, kind, { played, position, duration }) {
    if (!long(rule, kind, duration)) return Infinity;
    const limit = threshold(rule, kind);
    const goal = rule.last > 0 ? Math.max(0, duration - rule.last) : limit.position * duration;
    return Math.max(0, goal - position, limit.played * duration - played);
  }

  own.threshold = { usual, long, longer, short, endless, needs };
})();
