/** Why there is no link to the daemon, as the pages show it. */
export class LinkProblem extends Error {
  /**
   * @param {import("../messages.js").LinkState} state
   * @param {string} code of the protocol, or the state in capitals
   * @param {string} message one plain sentence
   * @param {number} [retryAfter] milliseconds
   */
  constructor(state, code, message, retryAfter = 0) {
    super(message);
    this.name = "LinkProblem";
    this.state = state;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/**
 * What a close code of the daemon's means.
 * @param {number} code
 * @returns {LinkProblem}
 */
export function closed(code) {
  switch (code) {
    case 4401:
      return new LinkProblem("revoked", "PAIRING_REQUIRED", "Filmspool does not accept this browser's token. Pair again.");
    case 4403:
      return new LinkProblem("revoked", "REVOKED", "This browser was removed in Filmspool. Pair again to go on.");
    case 4426:
      return new LinkProblem("old", "UNSUPPORTED_VERSION", "Filmspool and this extension are of different ages. Update the older one.");
    case 4429:
      return new LinkProblem("waiting", "RATE_LIMITED", "Filmspool has asked for a pause.");
    case 1001:
      return new LinkProblem("offline", "OFFLINE", "Filmspool has stopped.");
    default:
      return new LinkProblem("waiting", "LOST", "The connection to Filmspool was lost.");
  }
}
