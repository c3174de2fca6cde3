/**
 * Types of the messages between the parts of the extension. The messages to the
 * daemon are specified in connector/protocol.
 */

/**
 * Identifiers of other services.
 * @typedef {{tmdb?: number, imdb?: string, tvdb?: number}} Ids
 */

/**
 * Identifiers of a site, as in the protocol.
 * @typedef {{name: string, title?: string, series?: string, numbering?: "site"}} SiteNumbers
 */

/**
 * A film or an episode, as it is sent to the daemon.
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
 * A film or a series for the watchlist.
 * @typedef {object} WatchlistMedia
 * @property {"movie" | "tv"} type
 * @property {Ids} [ids]
 * @property {string} [title]
 * @property {number} [year]
 */

/**
 * When a film or an episode counts as watched: all three must hold.
 * @typedef {object} Threshold
 * @property {number} played part of the duration that must be played, 0 to 1
 * @property {number} position part of the duration that must be reached, 0 to 1
 * @property {number} minimum seconds; shorter media never count
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
 * @property {boolean} private nothing is recorded until it is switched off
 */

/**
 * Kept in storage.local under "pairing"; the token never leaves the background.
 * @typedef {object} Pairing
 * @property {string} clientId
 * @property {string} token
 * @property {string} address where it was paired
 * @property {string} label
 * @property {boolean} [revoked] whether the daemon has revoked it
 */

/**
 * What was read on a page about what it plays, not interpreted.
 * @typedef {object} Evidence
 * @property {Record<string, any>[]} jsonld trimmed objects of the types Movie, TVEpisode, Episode, VideoObject
 * @property {{title: string, artist: string, album: string} | null} mediaSession
 * @property {string[]} links to themoviedb.org and imdb.com, at most 20
 * @property {{tmdbId?: string, tmdbType?: string}} attributes of the body
 * @property {Record<string, any> | null} provider ids from Jellyfin, Emby or Plex: tmdb, imdb, tvdb, type, season, episode, seriesTitle, …
 * @property {SiteEvidence} [site] what the rule of the site has read
 * @property {string[]} headings the page's h1, at most 3
 * @property {string[]} mentions og:title and smaller headings, at most 4
 * @property {string} [title] document.title; absent in a session, which has a field for it
 */

/**
 * What the rule of a site has read: numbers from the address, and texts by source in said. torn says that a source has
 * given different items.
 * @typedef {{name: string, kind?: "movie" | "episode", numbers: Record<string, string>, said: Record<string, string>[], torn?: boolean}} SiteEvidence
 */

/**
 * A playback session. Its id becomes the id of its event.
 * @typedef {object} SessionReport
 * @property {string} id UUID, version 4, made when it begins
 * @property {string} url of the tab's page
 * @property {string} host
 * @property {string} [frameUrl] when the medium plays in a frame
 * @property {string} title document.title
 * @property {string} startedAt RFC 3339
 * @property {string} at when the threshold was crossed, RFC 3339 with offset
 * @property {number} duration seconds
 * @property {number} position seconds
 * @property {number} played seconds played
 * @property {Evidence} evidence
 */

/**
 * The result of identify().
 * @typedef {object} Identified
 * @property {Media | null} media
 * @property {boolean} certain
 * @property {{title?: string, season?: number, episode?: number, year?: number, kind?: "movie" | "episode", site?: SiteNumbers}} evidence
 */

/**
 * The name of a viewing for people, which may be wrong.
 * @typedef {object} Seen
 * @property {string} title the best name, for the popup
 * @property {string} [name] the same, when it is good enough to be sent: not only the name of the site, and not a text from elsewhere on the page
 */

/**
 * Why a video that plays is not counted: no length yet, a live stream, too
 * short, hidden or tiny, muted and untouched, or recording is off.
 * @typedef {"length" | "live" | "short" | "hidden" | "muted" | "paused"} Silence
 */

/**
 * What a frame reports when nothing in it counts.
 * @typedef {object} Outlook
 * @property {{site: string, area: number}[]} players in frames of other sites, by match pattern
 * @property {Silence} [why]
 * @property {number} [least] seconds that the rule requires, when why is "short"
 */

/**
 * The progress of a session that has not crossed its threshold, so that it can
 * continue after a reload of the page.
 * @typedef {object} Halfway
 * @property {string} id of the session
 * @property {string} page name of the page: its address without the parts that change while a film plays
 * @property {number} duration seconds
 * @property {string} startedAt
 * @property {[number, number][]} spans starts and ends of the played stretches, in seconds
 */

/**
 * Messages of content scripts to the background. The popup sends "session" to
 * identify the session from the answer to {kind: "now"}, and "watched" for "Mark
 * as watched": the session still becomes one event. page is the name of the page
 * as in Halfway. tab is the tab of the session, when the popup sends it.
 * @typedef {{kind: "session", session: SessionReport, page?: string, tab?: number}
 *   | {kind: "watched", session: SessionReport, tab?: number}
 *   | {kind: "playing", state: "playing" | "paused" | "ended", session: SessionReport}
 *   | {kind: "object"}
 *   | {kind: "left", sessionId: string, halfway: Halfway}} FromContent
 */

/**
 * The answer to "session".
 * @typedef {object} SessionAnswer
 * @property {boolean} record false when recording is paused or private mode is on
 * @property {Rule} rule
 * @property {string[]} [servers] the media servers that the page may belong to
 * @property {Record<string, any> | null} [site] the rule of the site, with its name
 * @property {Media | null} identified
 * @property {boolean} certain
 * @property {{title: string, host: string}} [seen] for the popup: the best name, and the host of the page
 * @property {{id: string, startedAt: string, spans: [number, number][]}} [resume] the progress of an earlier visit
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
 * The state of the link to the daemon:
 * unpaired (no pairing), ready (not connected yet), connected (the last connection succeeded;
 * an idle socket is closed), lost (failed, with back-off), offline (nothing listens at the
 * address), revoked (must be paired again), stranger (another program listens there, or the
 * daemon could not prove that it knows the token), old (one of the two must be updated).
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
 * The status of the daemon.
 * @typedef {object} DaemonStatus
 * @property {boolean} online
 * @property {number} pending
 * @property {number} attention
 * @property {string | null} lastDelivered
 * @property {Trouble[]} problems the worst first
 * @property {string} page the origin of Filmspool's web pages
 */

/**
 * A problem that the user can solve, with its texts in the language of the user.
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
 * Messages of the popup and the options to the background.
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
 * The answer to most messages of pages. code is an error code of the protocol, or
 * a state of the link in capitals.
 * @typedef {{ok: true} | {ok: false, code: string}} Answer
 */

/**
 * Message of the background to the pages, when State may have changed.
 * @typedef {{kind: "changed"}} Changed
 */

export {};
