/**
 * The words that the parts of the extension exchange: types only, no code.
 * What goes to the daemon is specified in connector/protocol.
 */

/**
 * Identifiers from outside.
 * @typedef {{tmdb?: number, imdb?: string, tvdb?: number}} Ids
 */

/**
 * A site's own numbers, as the protocol has them.
 * @typedef {{name: string, title?: string, series?: string, numbering?: "site"}} SiteNumbers
 */

/**
 * A film or an episode, as it goes to the daemon.
 * @typedef {object} Media
 * @property {"movie" | "episode"} type
 * @property {Ids} [ids]
 * @property {{ids?: Ids, title?: string, year?: number}} [show]
 * @property {string} [title]
 * @property {number} [year]
 * @property {number} [season] from 0, which is the specials
 * @property {number} [episode] from 1
 * @property {SiteNumbers} [site]
 */

/**
 * A film or a series that may stand on the watchlist.
 * @typedef {object} WatchlistMedia
 * @property {"movie" | "tv"} type
 * @property {Ids} [ids]
 * @property {string} [title]
 * @property {number} [year]
 */

/**
 * When a film or an episode counts as watched: all three must hold.
 * @typedef {object} Threshold
 * @property {number} played part of the duration that was really played, 0 to 1
 * @property {number} position part of the duration that was reached, 0 to 1
 * @property {number} minimum seconds; shorter media is never counted
 */

/**
 * @typedef {object} Rule
 * @property {Threshold} movie
 * @property {Threshold} episode
 * @property {number} last seconds before the end that count in place of position; 0 is off
 */

/**
 * Kept in storage.local under "settings".
 * @typedef {object} Settings
 * @property {string} address of the daemon, host:port
 * @property {Rule} rule
 * @property {number} pausedUntil milliseconds since 1970; past or 0 is not paused
 * @property {boolean} private records nothing until it is switched off
 */

/**
 * Kept in storage.local under "pairing"; the token never leaves the background.
 * @typedef {object} Pairing
 * @property {string} clientId
 * @property {string} token
 * @property {string} address where it was paired
 * @property {string} label
 * @property {boolean} [revoked] the daemon itself has said so
 */

/**
 * What a page says about what it plays; nothing of it is judged yet.
 * @typedef {object} Evidence
 * @property {Record<string, any>[]} jsonld objects of type Movie, TVEpisode, Episode, VideoObject, trimmed
 * @property {{title: string, artist: string, album: string} | null} mediaSession
 * @property {string[]} links to themoviedb.org and imdb.com, at most 20
 * @property {{tmdbId?: string, tmdbType?: string}} attributes of the body
 * @property {Record<string, any> | null} provider ids from Jellyfin, Emby or Plex: tmdb, imdb, tvdb, type, season, episode, seriesTitle, …
 * @property {SiteEvidence} [site] what the rule of the site read
 * @property {string[]} headings the page's h1, at most 3
 * @property {string[]} mentions what else may name it: og:title and smaller headings, at most 4
 * @property {string} [title] document.title, within the page; a session has it as its own
 */

/**
 * What the rule of a site read, in the words of the page. said is by source,
 * and torn says that a source contradicted itself.
 * @typedef {{name: string, kind?: "movie" | "episode", numbers: Record<string, string>, said: Record<string, string>[], torn?: boolean}} SiteEvidence
 */

/**
 * One session before one medium; its id becomes the id of the one event.
 * @typedef {object} SessionReport
 * @property {string} id UUID, version 4, made at its begin
 * @property {string} url of the tab's page
 * @property {string} host
 * @property {string} [frameUrl] when the medium plays in a frame
 * @property {string} title document.title
 * @property {string} startedAt RFC 3339
 * @property {string} at when the threshold was crossed, RFC 3339 with offset
 * @property {number} duration seconds
 * @property {number} position seconds
 * @property {number} played seconds really played
 * @property {Evidence} evidence
 */

/**
 * What identify() makes of a session.
 * @typedef {object} Identified
 * @property {Media | null} media
 * @property {boolean} certain
 * @property {{title?: string, season?: number, episode?: number, year?: number, kind?: "movie" | "episode", site?: SiteNumbers}} evidence
 */

/**
 * What a person may recognise a viewing by. Nothing of it is certain.
 * @typedef {object} Seen
 * @property {string} title the best name, for the popup
 * @property {string} [name] the same, where it is more than the site's name and was not read off something else on the page
 */

/**
 * Why a video that plays is not counted: no length yet, a live stream, too
 * short, hidden or tiny, muted and untouched, or recording is off.
 * @typedef {"length" | "live" | "short" | "hidden" | "muted" | "paused"} Silence
 */

/**
 * What a frame reports when nothing there counts.
 * @typedef {object} Outlook
 * @property {{site: string, area: number}[]} players in frames of other sites, by match pattern
 * @property {Silence} [why]
 * @property {number} [least] seconds that the rule asks for, when why is "short"
 */

/**
 * How far a session got before its threshold, so that it can go on after the
 * page was loaded again.
 * @typedef {object} Halfway
 * @property {string} id of the session
 * @property {string} page names the page: its address without what changes while a film plays
 * @property {number} duration seconds
 * @property {string} startedAt
 * @property {[number, number][]} spans the stretches that were played, in seconds
 */

/**
 * Content to background. The popup says "session" to learn what the session it
 * got from {kind: "now"} is, and "watched" for "Mark as watched": the same
 * session stays one event. page is the name that Halfway uses. tab is the tab of a session that the popup speaks of.
 * @typedef {{kind: "session", session: SessionReport, page?: string, tab?: number}
 *   | {kind: "watched", session: SessionReport, tab?: number}
 *   | {kind: "playing", state: "playing" | "paused" | "ended", session: SessionReport}
 *   | {kind: "object"}
 *   | {kind: "left", sessionId: string, halfway: Halfway}} FromContent
 */

/**
 * The answer to "session".
 * @typedef {object} SessionAnswer
 * @property {boolean} record false: paused, private, or not allowed here
 * @property {Rule} rule
 * @property {string[]} [servers] the media servers that the page may be of
 * @property {Record<string, any> | null} [site] the rule of the site, with its name
 * @property {Media | null} identified
 * @property {boolean} certain
 * @property {{title: string, host: string}} [seen] for the popup: the best name, and the site of the page
 * @property {{id: string, startedAt: string, spans: [number, number][]}} [resume] what an earlier visit left half way
 */

/**
 * The answer to "watched".
 * @typedef {{kept: boolean, reason?: string}} WatchedAnswer
 */

/**
 * The answer of a tab's frame to {kind: "now"}; null when nothing plays there.
 * @typedef {{session: SessionReport, crossed: boolean, needs: number, why?: Silence} | null} NowAnswer
 */

/**
 * An event that the daemon has refused for good.
 * @typedef {{id: string, title: string, at: string, code?: string, field?: string}} Rejected
 */

/**
 * The link to the daemon:
 * unpaired (no pairing yet), ready (not asked yet), connected (it was there and ours when we
 * last talked; the socket itself rests while there is nothing to send), lost (back-off after
 * trouble), offline (nothing listens there), revoked (pair again), stranger (something else
 * listens there, or it could not prove itself), old (one of the two must be updated).
 * @typedef {"unpaired" | "ready" | "connected" | "lost" | "offline" | "revoked" | "stranger" | "old"} LinkState
 */

/**
 * @typedef {object} LinkInfo
 * @property {LinkState} state
 * @property {string | null} daemonVersion
 * @property {string | null} pairedLabel
 * @property {string} address
 */

/**
 * How the daemon stands.
 * @typedef {object} DaemonStatus
 * @property {boolean} online
 * @property {number} pending
 * @property {number} attention
 * @property {string | null} lastDelivered
 * @property {Trouble[]} problems the worst first
 * @property {string} page the address of Filmspool's pages, without a path
 */

/**
 * What a person can do something about, in the language of the pages.
 * @typedef {{severity: string, text: string, act: string}} Trouble
 */

/**
 * Everything the pages show.
 * @typedef {object} State
 * @property {LinkInfo} link
 * @property {DaemonStatus | null} daemon as last received
 * @property {{waiting: number, full: boolean, rejected: Rejected[]}} outbox
 * @property {Settings} settings
 * @property {{origin: string, granted: boolean}[]} sites match patterns such as "https://films.example/*"
 * @property {boolean} paused
 */

/**
 * Pages to background.
 * @typedef {{kind: "state"}
 *   | {kind: "pair", code: string, label: string, address: string}
 *   | {kind: "unpair"}
 *   | {kind: "settings", settings: Settings}
 *   | {kind: "retry"}
 *   | {kind: "watchlist", media: WatchlistMedia}
 *   | {kind: "again", id: string}
 *   | {kind: "discard", id: string}
 *   | {kind: "grant", origins: string[]}
 *   | {kind: "ungrant", origins: string[]}} FromPage
 */

/**
 * The answer to most page messages; code is an error code of the protocol, or
 * one of the link's states in capitals.
 * @typedef {{ok: true} | {ok: false, code: string}} Answer
 */

/**
 * Background to pages, when State may have changed.
 * @typedef {{kind: "changed"}} Changed
 */

export {};
