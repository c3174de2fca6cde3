/*
Package daemon wires the parts of Filmspool into one program and owns their
lifetimes, the one listener, and the control file by which the command line
finds a running instance.

It promises that the state folder is held by one process at a time, that the
queue stops last, so that every answer is on disk, and that the first part to
fail stops all, bounded in time.

It refuses to decide what a viewing is (package kodi), what becomes of it
(package queue/rules) or what an answer means (package queue/tracker).

This page is also the architecture of the whole: read it first.

Filmspool is a local background service for people who keep a film and TV diary at an online tracking service.
A browser extension and the Kodi library on this machine tell it what was watched; it puts every viewing on disk
first, and replays it to the service when the service can be reached.

The promise, in order. When two wishes collide, the earlier one wins.
1. Nothing lost: what was acknowledged is on disk, and stays until the service has it or the user drops it.
2. Nothing doubled or invented: one playback is one viewing, at its true time. In doubt, hold and say so; never guess.
3. Private: nothing listens beyond this machine, no web page gets in, the key leaves only towards the service.
4. Invisible when well, plain-spoken when not: next to no CPU when idle; one sentence says what is wrong and what to do.
5. Fast: an acknowledged event costs about one disk flush; a million waiting viewings cost no more than ten.

# The house

The names of the top folders are the user's; one folder, one concern. Data flows one way:
connector, kodi → queue → queue/replay → queue/tracker → the service. Control and status go through daemon.

  - cmd/filmspool: the program: one file per subcommand, exit codes; no logic
  - daemon: wires the parts, owns their lifetimes, the listener and the mux: New(Options), Run(ctx); its doc.go is the architecture page
  - daemon/config: one Config: defaults, TOML file, environment, flags; validation that reports every fault at once; paths; the key
  - daemon/guard: who may talk to us: Host for the whole mux, then per route Origin, token, session; read in full by whoever doubts it
  - daemon/holder: who has a port: another filmspool or another program, whose, and what would stop it
  - daemon/nudge: "try again now": news of the network, sleep, a clock that was set; watches only while something waits
  - daemon/status: the local HTTP face: status page, JSON control API under /v1/control/ and its client for the CLI, metrics
  - daemon/service: the system service: install, uninstall, start, stop, state, on systemd, launchd and Windows directly, elsewhere on kardianos/service
  - daemon/demo: the tour behind filmspool demo
  - connector: the websocket endpoint: one session per browser, acknowledgement after commit, limits; asks an Allow(*http.Request) bool it is given and refuses without one
  - connector/protocol: the messages: types, validation, JSON Schema, example messages that Go and JavaScript both test against
  - connector/pairing: codes and tokens; keeps clients behind an interface that queue's database fulfils
  - connector/client: a Go client of the protocol, for the demo and the tests
  - connector/extension: the browser extension (plain JavaScript, no build step) and what packs it for the two families of browsers
  - kodi: the importer: a change in the library → new viewings; the rule of what a viewing is
  - kodi/library: where Kodi keeps its libraries; the reader of MyVideosNNN.db and of a MySQL or MariaDB server; read-only
  - kodi/nfo: readers of what was exported: trees of NFO files, videodb.xml; pure, read-only
  - kodi/plainfile: opens plain files alone, and never waits in an open
  - kodi/playlist: reader of the playlists that Kodi keeps; finds their lines among a library's files
  - kodi/kodisim: makes library files and plays, marks, refreshes and upgrades them as Kodi does; for the demo and the tests
  - kodi/realkodi: drives a real Kodi for the tests; knows which failures are Kodi's own end
  - kodi/watch: files → "something settled here": fsnotify, quiet window, ceiling, polling; knows nothing of Kodi
  - queue: the outbox in SQLite: commit, lease, settle, hold, list, counts; its schema
  - queue/viewing: the shared vocabulary: Viewing, Media, Batch, keys, validation; standard library only
  - queue/viewing/typed: pure: what a person types for a film, a series, an episode or a time; standard library only
  - queue/rules: pure: a viewing and the settings → send, hold, drop or merge, and for which account
  - queue/resolve: pure: what the service is asked about an item without an identifier, and which of its answers is certain
  - queue/replay: the loop: lease → send → settle; back-off, pauses, doubt; questions to the service about what has no identifier
  - queue/replay/doubt: pure: what the service showed when it was read back → delivered, pending again, or still in doubt
  - queue/tracker: the service's API: requests, answers, the fate of each
  - queue/tracker/sandbox: an embedded tracking service that keeps the contract: for trying out, for tests, for living without an account
  - packaging: units, packages, installers and their tests on real init systems
  - packaging/release: makes all that a release hands out; nfpm and go-containerregistry, which it needs, stand in the module .packages
  - packaging/readme: what a page tells its reader to type, so that tests can try it
  - packaging/kodi: the add-on for LibreELEC and CoreELEC, with its wrapper and unit, and what packs it for each architecture

A package is made when it is filled. Later come, in daemon/status, the status page and metrics. Import rules, held by a test that fails for a package it
does not know: queue/viewing, kodi/watch, connector/pairing, daemon/guard, daemon/holder, daemon/nudge, daemon/config import nothing of ours; sources never import
the queue's store, replay, tracker or daemon; connector and kodi never import each other; nothing imports cmd. A source declares its sink with built-in types and queue/viewing only:
State(ctx, source) (map[string][]byte, error) and Commit(ctx, viewing.Batch{Source, Viewings, Amendments, State}) ([]viewing.Outcome, error): new viewings, corrections of earlier ones
(another identity, or withdrawn: entries that have not begun to leave follow) and the source's changed state (nil deletes) in one transaction; queue stores state by (source, key) and reads none of it.
One door per library: gorilla/websocket in connector and connector/client, fsnotify in kodi/watch, kardianos/service in daemon/service, modernc.org/sqlite in queue, kodi/library, kodi/kodisim and the sandbox, go-sql-driver/mysql in kodi/library. A better idea may change a room: change daemon/doc.go with it.

Every part has a Run(ctx) error that blocks; nothing starts in a constructor; whoever starts a goroutine waits for it; the first
error stops all; stopping is bounded in time. "Ready" is said once the listener has answered ourselves, and the service manager gets a sign of life
only when the queue's writer and readers, the loop of each account and the listener have moved since the last one. What waits for the outside does not count.
Where the queue cannot be written, because the disk is full or read-only, the program waits and tries again after 1 s, doubling to 30 s. It is "ready" meanwhile: status says the disk first, reading commands work, and browsers are refused for now.
Where the queue's file is damaged or gone, the queue is opened anew within the process.
A person's service may write its state folder alone, as the machine's may: whoever asks for a file (queue backup, queue export) makes it.

# The life of a viewing

 1. A source reports a viewing (or a watchlist wish, or a list to create): what it saw, raw: ids of any kind (tmdb, imdb, tvdb),
    title and year as evidence, season and episode, when it ended, an event id of the source's own.
 2. queue commits it (WAL, synchronous=FULL, group commit) and only then the source hears "queued". The same event id again is
    "duplicate"; the same id with other content is a conflict.
 3. queue/rules decides at once what needs no network: filters, private mode, thresholds; the same playback seen by two sources becomes one request (package queue has the table).
 4. replay leases entries (a lease proves nothing and runs out), looks up what may be there already, and marks an entry sending on disk before the
    first byte of its own request leaves: never more entries than requests in flight (max_in_flight, default 4, at most 16). It settles each by the answer.

States of an entry: pending → sending → delivered; besides held (with a reason: unresolved, review, backdated, bulk, future, filter, user, imported, or another class that the settings hold), in_doubt (it may have arrived), rejected (the
service refused the data; kept with its answer), dropped (by the user or a rule, kept for the record), merged (the same playback as another entry). Finished entries stay
readable for a year; their dedupe keys stay for good. bulk and backdated are for libraries only; future is more than 5 minutes ahead. pause stops sending and relabels nothing.
What the user has ignored is dropped with the reason filter, or its class, and answered "dropped" with the filter's name; queue release takes it in after all. Of what the first filter that fits
and the class of a viewing say, the stricter counts. Never sent by itself, whatever the settings say: what is unresolved or lies in the future, and what nobody but a person can date or be sure of.
An item of a list waits for its list, in the account of that, and takes the service's id of it; it goes when the list is dropped. A service that takes no items (404, 405 or 501 there, or a key that is refused there alone) has
them dropped, which status says of the account; it is asked again after a day. In doubt an item waits for the user or the setting: no endpoint shows what is on a list.
It is held as no_list where its list, or the service's id of it, is not known here.
Every entry can be explained: what was seen, which rule did what, every attempt and answer.

The data that is dear to change later: events and entries are n:m (a double episode is one event and two entries; two witnesses are two events and one entry); an entry is unique by (event, account, part); an event by (kind, event id): browser UUIDs are shared by all clients, so that a browser that pairs anew does not double; Kodi ids
begin with a random library id minted at first contact; dedupe(key, content hash, entry) is kept for good; an entry may wait for another (after); lists keep their remote id; instants are UTC milliseconds with the original text, the offset when known, and the precision (second, day); an installation id; counters in the same transaction, lifetime totals for finished states.
So a paired client that knew another's UUID could use it first. That stays: UUIDs are random and told to the daemon alone, and whoever comes second hears CONFLICT, which loses nothing in silence.

# What has no identifier

An entry without an identifier that the service takes is held. Where the service has POST /media/resolve/batch, or else POST /media/resolve, it is asked what it is: by the IMDb identifier, else by title, type and year;
an episode by its series, never by a number of its own. Certain is an IMDb identifier of the right type that the service does not doubt itself and does not contradict by title and year. A title is certain only with high confidence, the same type, title and year,
told by both sides, and where the service knows no other of that title a year before or after. It is asked for that too. No documented endpoint tells which episodes a series has: season and number are taken as the source tells them.
Then the rules are asked again: what was held for want of an identifier alone leaves, what is held for its class stays. All else is a suggestion, told by queue explain with the command that takes it. What a broken NFO file or a file's name tells is never certain.
It is asked 2 s after a change of the queue, 50 at once, beside the sending and only while entries may leave; of what stays uncertain again after 1, 7 and 30 days, then no more, but anew when the source has new evidence or the account another address.
Trouble there holds nothing back, but a Retry-After holds for the whole account. 404, 405, 501, 401 and 403 mean "none here", which is tried again after a day or a login. A 404 to a single question means so only where no other is answered. Titles go to the user's own service alone.

# One act, one request

Go's transport repeats a POST by itself when it carries an Idempotency-Key or runs over HTTP/2, and follows 307 with our key header (all seen). So the sending client speaks HTTP/1.1 only, gives its body through
a reader of our own without GetBody, never follows redirects, and closes idle connections after 2 s. A test counts whole POSTs at a raw socket for FIN, RST and 307, on a fresh and on a reused connection, for each operation: always one.

What is sent: /history always carries type (movie or episode, never tv), count 1 (one request per viewing) and watchedAt in UTC; an episode goes as tvShowId + seasonNumber + episodeNumber, with id only when that is unknown, never both; absent optionals are left out, never null.
Entries about one item leave in the order they happened.

Proof that nothing was sent is the connection's own: a wrapper counts bytes; after any error it is sealed (no later write), then read. No connection, or fewer bytes than the request has, is "not sent". Error types and trace hooks are never proof (WroteRequest fires before the flush).

# What an answer means

An address is proven once it has answered with this API's success or error object. A known code decides before the status number: two of the three operations have undocumented statuses.

  - not sent whole: name, route, connect, TLS handshake, a proxy's refusal; 511: offline: no attempt counted; wakes on network change, resume, new work or back-off
  - 2xx with this operation's object: success true or absent (history, watchlist), an id (lists): delivered; a list's id is kept
  - VALIDATION_ERROR; success:false without a code; any other 4xx with an error object of another code (404, 409, 410, 413, 422, 451): this entry rejected, in the service's words. Except: 409 to a watchlist add is delivered; 409 to a resend with the same Idempotency-Key is in doubt; 404 and 405 of an unproven address prove nothing, see below
  - UNAUTHORIZED or 401, FORBIDDEN or 403: the account pauses; entries stay pending, unharmed. Without an error object: "something between here and the service refuses"
  - 425, 429; 408 before the body left; 503 with Retry-After or an error object: later; Retry-After (seconds or date) holds for the whole account
  - 404, 405, 3xx, 101, 501, other 4xx without an error object, or a 2xx that is not this API: address not proven: the account pauses, "is the address right?", the entry stays pending. Proven: offline; but a 2xx is in doubt
  - every other 5xx (a bare 503 too); 408 after the body; time-out, reset, EOF, TLS alert, cut or unreadable answer after the request left; a crash while sending: in doubt

A paused account is asked again by a request that records nothing, after 5 minutes, doubling to 6 hours, at once on a new key, a network change or queue retry. Probes are never entries: GET /me where it exists, else POST /history with {} (refused as invalid). 401, 403, 404 on an optional endpoint
mean "none here", never a pause. A new key whose /me names another user does not wake the account: its entries are held and the user is asked.

# Doubt

A count proves nothing: another device may have added. The evidence is a record of this item at our watchedAt. How a service keeps times (exact, minute, day, time of arrival) is learned from a viewing that it has answered with 2xx; until then absence proves nothing. No comparison uses our clock. Read-back uses the account and the key owner of the attempt.

  - a record at our time, to the learned precision, not claimed by another entry of ours: delivered, also when it is seen early
  - /media/status: watchedAt is ours: delivered; otherwise it only points to GET /history
  - no such record in two complete, equal readings 30 s apart, the first at least 5 minutes after the last byte, the learned viewing visible in them: pending again; what we delivered meanwhile is left out of both
  - watched:false in both, each beside the learned viewing as watched: pending again
  - the service keeps days and has one that day; keeps arrival times; pages shifted; item comparable in neither form: stays in doubt
  - k records for m doubts of one item and time: k delivered, m−k stay; so does one whose time is taken by records of our other entries alone

A way of keeping times is the coarsest that explains all viewings known to have arrived (the newest 20 of a form: film, episode by its place, episode by its number): one at a whole minute cannot tell seconds from minutes, one sent as it ended cannot tell its time from that of its arrival. Days need two.
A missing viewing is proof only beside a known one of the same form. Unread or unequal, it is looked for again after 30 s, 30 s, 5 minutes, 1 h and 6 h; then the setting decides, and with hold once a day for 30 days more. A run waits the 5 minutes by its own clock, anew after a restart. Each look begins with a probe;
before all this comes one early look, 2 s after the doubt or once the service can be asked: it can only prove that a viewing or a wish has arrived. It is not made where the same key is sent again, and the next one waits ten times as long as the last look took;
an endpoint that fails counts as a reading that proves nothing, one that is not there is not asked for a day.
What was sent to another address or with another person's key stays in doubt, whatever the setting.

What was in doubt in another queue is looked for where it is imported; found, it is delivered, and missing, it is held: the other queue may send it again.

A watchlist add in doubt is repeated, unless the item has been watched since. A list is ours only if its id was absent from a reading before the send, and name, description and visibility are equal. What cannot be settled by reading waits for the user, or for the in_doubt setting (hold; resend, at most three requests in all; delivered). Catch-up and imported
viewings are looked up before they are sent: the same item within half its running time (unknown: 40 minutes a film, 20 an episode), or on its day where only that is known, is merged;
one reading serves for a minute, or thirty times what it took, up to 15 minutes, and viewings of the same event never merge with each other.

Idempotency-Key = hash of installation id, dedupe key, account and revision; an edit or a definite refusal raises the revision. It is not evidence. Only for an account with idempotency = true are in-doubt entries resent with the same key, for 12 h (30 s after the doubt, doubling to 15 minutes), then read back, else held.

The gate after trouble: one probe, then 1, 2, 4 requests at once (additive increase, halved on 429 or 5xx); full-jitter back-off, base 1 s, cap 15 min, its state in the row; live before backfill (imports only, 5 a second by default); one entry's trouble never blocks another's. "Are we stopping?" is our own context's question, never an error's.

While entries of an account wait for a way to the service, or for it to take the key or show itself, the network and the clocks are watched: a change, a sleep, a clock that was set is a nudge, and the account is asked
within a few seconds. Nothing is watched otherwise: an idle program wakes at most three times a minute (a test counts), once for each library and less than once for the service manager.

# The connector protocol, version 1

ws://127.0.0.1:43456/v1/connector, subprotocol filmspool.v1, JSON text frames of at most 64 KiB, no compression; every message has type.
GET /v1/health answers {"service":"filmspool","version":…,"protocol":[1]} and nothing private; the extension asks it before it opens a
socket (browsers delay repeated socket failures for seconds, not fetches).

  - client · hello, first, within 5 s : v:1, client{name,version,browser}, clientId?, nonce?, token?
  - daemon · welcome : v:1, server{version}, paired (true only after the token was checked), proof?, limits{maxMessageBytes,maxInFlight}, features[], queue{pending,attention}
  - client · auth : token, after it has checked proof → daemon welcome again, paired:true
  - client · pair : id, code, label → daemon paired {id, clientId, token}; that socket is paired from then on
  - client · viewing : id (UUID made when it happened), media{type:"movie"|"episode", ids{tmdb,imdb,tvdb}, show{ids,title}, title, year, season, episode}, watchedAt (RFC 3339 with offset), count, progress{position,duration,played} (seconds), source{site,url?}; in ids tmdb and tvdb are integers, imdb is a string tt…; another type or a time without offset is BAD_MESSAGE
  - client · watchlist : id, media{type:"movie"|"tv",…}, priority
  - client · list : id, name, description, visibility
  - client · status : id → daemon status {id, online, pending, attention, lastDelivered}; also pushed when it changes
  - daemon · ack : id, status:"queued"|"duplicate"|"dropped", reason when dropped by a filter
  - daemon · error : id?, code, message, field?, retryable, retryAfterMs?
  - both · ping / pong : application messages (protocol pings keep no extension worker alive)

Error codes: BAD_JSON, BAD_MESSAGE, UNKNOWN_TYPE, UNSUPPORTED_VERSION, PAIRING_REQUIRED, PAIRING_CODE_INVALID, RATE_LIMITED, TOO_LARGE, QUEUE_FULL, STORAGE, CONFLICT, INTERNAL.
Close codes: 4400 bad protocol, 4401 wrong token, 4403 revoked, 4408 no hello, 4426 version, 4429 too many sockets or hellos, 5 wrong codes, or ignored 1,000 RATE_LIMITED, 1001 going away, 1009 too big. Unknown fields are ignored, unknown types refused.
403 before the upgrade: Host not in the list; Origin missing or not chrome-extension://[a-p]{32} or moz-extension://<uuid>. Everything else is said after it, since scripts can see only that: no token → paired:false, and anything but pair and ping gets PAIRING_REQUIRED with the socket left open; a wrong token or a token from another Origin → PAIRING_REQUIRED and 4401.
Limits, all configurable: 500 messages a second in bursts of 1,000 per client, 32 sockets, 8 per Origin, 30 unpaired hellos a minute per Origin (240 of all). The listener lets in 256 connections at once.
Where all places are taken, the stranger who came first makes room: a socket that is not paired, a connection that has shown no good token. What strangers do wrong costs one line of log for each Origin and cause, then a count every 10 minutes.
Who is not known has 15 s for a request and its answer.

Pairing: filmspool pair (or the status page) shows a one-time code: 8 characters, 120 s, 5 wrong tries close it to their Origin, 50 in all kill it. Who else has tried is told by the next filmspool pair, and to the extension. The extension's
options page sends it and gets 32 random bytes, stored here as a hash, bound to the exact Origin, named, listable, revocable (a revoked client's sockets close at once). With nonce the daemon proves itself first: proof = HMAC-SHA256(SHA-256(token), nonce); the extension always asks for it, so a program squatting on the
port learns nothing. Tokens never stand in a URL. A client can add and see counts; it never reads history or keys.

Other programs use POST /v1/viewings with "Authorization: Bearer TOKEN", a token from filmspool clients add NAME; it opens no socket, and a browser's token posts nothing. application/json only; any Origin, Referer or Sec-Fetch header is refused.
The body is one viewing, watchlist or list message, or an array of 1 to 100, 256 KiB and 10 s at most; the answer comes after the commit: {"answers":[ack|error,…]} in the order of the body, 200 when all was taken, 207 some, 422 nothing.
A post of which nothing was kept for another cause is answered {"error":{code,message,hint?}}: 400 unreadable, 401 token, 403 a browser, 405, 408 too slow, 413, 415, 429 and 503 with Retry-After. The limits per client are those of the websocket, four posts at once.
The schemas, an AsyncAPI description and a page for authors of other clients stand in connector/protocol.

# Kodi

Watch the Database folder and the NFO roots; an event is only a hint, the scan is the truth. Read the library in one short read-only
transaction into memory and close it: an open reader freezes the user's Kodi. Compare with what we knew, in our own database; commit new viewings and new state together. The rule of what is a viewing, its classes, the keys, the
clock and the many ways to be fooled stand in package kodi.
Tags, movie sets and playlists are wishes, each off until the user turns it on, then handed over as they stand: turning it on is the word for it, and nothing of them is held as bulk. More than ten at
once leave as imports do. A wish is made once for good, whatever becomes of the tag or the set; an item without an identifier is held, and follows its file's identity. What is wished for is read after each reading of
the library, in a look of its own. An add-on that names the service's host in its settings is told of; nothing of its settings is kept.
First contact with a library is a baseline: nothing is sent until the user asks for an import and has seen its preview. An import hands over the last play of each file, since Kodi keeps the time of no other;
it leaves out what the queue ever recorded and what the service has, and is kept in chunks, so that it can be cut at any moment.

# Program, files, words

filmspool demo · run · login · status · pair · clients · queue list|show|explain|retry|edit|hold|release|settle|drop|undo|export|import|backup ·
add movie|episode · watchlist add · list create · kodi libraries|scan|import · pause/resume · sandbox · service install|uninstall|start|stop|restart|status|logs ·
config check|show|path|example · version · completion. Later: open (the status page), doctor.
Every reading command has --json with stable fields; every command works on --state-dir/FILMSPOOL_STATE_DIR and --config/FILMSPOOL_CONFIG.
Exit codes: 0 done, 1 failed, 2 usage, 3 daemon not running, 4 needs attention (status), 78 bad configuration, or a database of a newer version: nothing is changed, and the hint names the copy to go back to.
Under launchd, which would start it again for ever, run ends with 0 instead of 78.
Errors: error: what happened and hint: a command to type.

One loopback listener (127.0.0.1:43456, and ::1 when asked); who finds its port taken says by whom, and ends with 78. Whoever writes the database holds an OS lock on state/lock; who starts waits for it up to 2 s, then says so. run writes control.json {address, token, pid, state}, 0600, and removes it, also one that a killed daemon left; the CLI finds the daemon by it.
On each connection the daemon first proves to the CLI that it knows the token: GET /v1/control/proof?nonce=N → {"proof"}, HMAC-SHA256(SHA-256(token), "Filmspool's control ADDRESS N"). Token and key go over proven connections alone.
Without a daemon login, add, watchlist, list, queue and kodi scan take the lock themselves; status, pair, clients exit 3.
A state folder or control file of another owner, or open to others, is refused by the daemon and by the CLI. --system addresses the system-wide instance (/run/filmspool/control.json, 0640, group filmspool); every verb, login too, then goes through the daemon. Control routes take the token in a header and refuse any Origin or Sec-Fetch header; /metrics is off until asked for.

On Windows, where nobody reads what a service writes, the state folder holds filmspool.log, with one before it, and service.json (how the last run ended); the machine's service runs as NT SERVICE\filmspool.
State in $STATE_DIRECTORY, else the OS's per-user place; config in TOML, unknown keys refused with line and caret (78). run without account or key starts, queues and says what is missing. The secret key: systemd
credential, else a 0600 file, else FILMSPOOL_KEY (later, when asked, the OS keyring); never in the config file, an argument, a log, an error or a URL. It is stored with the origin (scheme, host, port) it was proven for; another address pauses the account until login. login fails, naming the winner, when a stronger source of key or address exists.
Only https towards the service, loopback excepted. base_url must end in /api/v1 (a trailing slash is dropped). key_header = "x-api-key" | "bearer" per account. A pk_ key is refused ("it may only read"), and one that is neither sk_ nor pk_. The query-parameter key that the contract declares is never used.

Accounts: every entry belongs to an account (name, base address, key); one named default unless the config has more; routes say which client or Kodi profile feeds which.

# Words a script relies on

Stable once released; field names are lowerCamelCase; times RFC 3339 in UTC.

  - filmspool sandbox --listen 127.0.0.1:PORT --state-dir DIR --secret-key sk_… --public-key pk_… [--contract-only] serves
    http://127.0.0.1:PORT/api/v1; without keys it makes a pair and prints both. --contract-only serves the three operations, no optional endpoint, and ignores Idempotency-Key; otherwise it resolves a dozen well-known titles.
    POST /_sandbox/faults (loopback, outside the API) arms faults for tests: {"match":"POST /history","fault":F,"times":N} with F one of status:503, retry-after:2,
    delay:500ms, drop-before (connection closed, nothing recorded), drop-after (recorded, then closed without an answer), late:3s (answer dropped, recorded that much later), html, empty, cut, reset.
    GET /_sandbox/records lists all that was recorded, in order, with its Idempotency-Key: {"history":[…],"watchlist":[…],"lists":[…],"listItems":[…]}, the last only when there are any.

  - filmspool login --base-url URL --key-stdin [--account NAME]: proves the key without recording anything (/me, else {} to /history: 401/403 refute the key; 400 proves it only if a made-up key got 401 first, else it says "not yet proven"). A running daemon takes the new key at once.

  - filmspool run --listen ADDR --config FILE --state-dir DIR; prints one line when ready: ready on http://ADDR.

  - configuration, with the defaults a user rarely changes:
    listen = "127.0.0.1:43456"
    in_doubt = "hold"            # hold | resend | delivered: what reading back cannot settle
    [replay]
    rate = 0                     # requests a second towards one account; 0 is no limit
    backfill_rate = 5            # of these, of imports, which leave only when nothing live is due
    grace = "0s"                 # how long an entry stays before it may leave, so that queue drop can come first; to 24h
    [accounts.default]
    base_url = "https://tracker.example/api/v1"
    idempotency = false          # true: the service records requests of one Idempotency-Key once
    [[filters]]                  # of viewings, not of wishes and lists; the first that fits all it names has its say. None, to begin with
    path = "/srv/films/kids"     # a file, or a folder with all below; * within a name, ** for any folders; smb:// and Windows' too; cases of letters do not count
    folder = "/srv/films"        # the same for the library's source that the file lies under
    source = "kodi"              # who saw it: browser, program, kodi or cli, or one by name, such as kodi:/home/me/.kodi/userdata
    site = "films.example"       # of browsers: that host, and those below it
    kind = "movie"               # movie | episode
    genre = "Family"             # of the library; of an episode, its series'
    tag = "kids"                 # likewise
    shorter_than = "5m"          # the file; what is not known, as here the length, fits nothing
    action = "ignore"            # send | hold | ignore
    [kodi.classes]               # what becomes of what a library tells, by its class; see package kodi
    live = "send"
    catch-up = "send"
    bulk = "hold"
    backdated = "hold"
    review = "hold"
    [[kodi.libraries]]
    userdata = "/home/me/.kodi/userdata"
    account = "default"
    time_zone = "Europe/Lisbon"  # only when Kodi's clock is not this machine's
    watchlist_tag = ""           # films and series with this tag go to the watchlist
    movie_sets = false           # a list for each movie set, with its films
    playlists = false            # a list for each M3U playlist that holds films of the library, with those
    mysql_user = "reader"        # only for a library on a server: in the place of Kodi's user; password in keys/kodi-mysql-reader
    [[kodi.nfo]]
    path = "/srv/films"          # a folder of exported NFO files, or a videodb.xml; account and time_zone as above

  - filmspool status --json: state (ok, offline, paused by the user, attention when anything needs the user, a refused key included), summary (the one sentence), counts{pending,sending,held,inDoubt,rejected,delivered,merged,dropped},
    accounts[{name,state,reason,lastDelivered,unresolved (entries held without an identifier; absent: none),resolves (whether the service can be asked what they are; absent: not tried yet),note (what the service does not do that was asked of it)}], sources[{name,kind,state,lastSeen,detail,hint,waiting (viewings that wait in that browser for an answer; absent: none)}], oldestPendingSeconds, notices[{id,at,text,hint}] (what happened to the queue's file; status --seen N forgets one).

  - filmspool queue list --json [--state S] [--limit N]: [{id,kind,state,reason,account,source,eventId,media{type,ids,show,title,season,episode},watchedAt,count,attempts,createdAt}];
    queue explain ID --json adds steps[{at,what,detail}] and requests[{at,status,error,answer}].
    The step "sighting" tells of another source that saw the same playback, "merged" into which entry one went; the latter's state is merged, with the reason "another source saw the same playback".

  - filmspool queue retry|hold|release|settle|drop [ID]… [--state S] [--reason R] [--account A] [--source S] [--kind K] [--before T] [--all] [--dry-run] --json:
    {verb,dryRun,changed,from{state:n},left{in_doubt,unresolved,future,withdrawn,damaged},ids[…at most 100]}; nothing given is a mistake (2). Ids are changed all or none; filters pass over what does not fit.
    retry takes entries in doubt only with --may-double; release takes in what the settings ignored only by its id or with --state dropped, and what the user dropped only by its id; what may have arrived before is then in doubt; drop and settle of more than one need --yes; settle takes --as delivered|rejected|dropped. queue edit ID [--dry-run] --json: the entry.
    queue undo ID [--dry-run] --json: the entry with dryRun and removed (false: the service had it no more); refused (1) unless a whole reading shows one viewing of the item, and that is ours.

  - filmspool queue export: one line for each event, {v:1,source,eventId,committedAt,event{…},entries[{account,part,kind,state,reason,media,watchedAt,attempts,revision,remoteId,createdAt,settledAt}]};
    of an event that was trimmed {v,source,eventId,content} alone. queue import FILE|- [--dry-run] --json: {lines,events,entries,held,inDoubt,known,conflicts}; what had not left is held as imported.

  - filmspool pause|resume [--account NAME] --json: [{name,state,reason,hint}].

  - filmspool add movie 603 [--watched-at T], add episode --show 1396 --season 1 --episode 2, watchlist add tv 1396 [--priority N],
    list create NAME [--description D] [--visibility PRIVATE]: print the entry's id, on a terminal words; --json the entry. A wish or list that is there already is not added again without --again: its entry is told.
    A film or series is a number of TMDB, an IMDb number or the address of its page at one of the two; T is as people write it, see package queue/viewing/typed.

  - filmspool pair --json: {code,expiresAt}; clients list --json: [{id,kind,label,origin,browser,pairedAt,lastSeen}] with kind browser or program; clients add NAME --json: {id,kind,label,token,url}, the token this once; clients revoke ID.

  - filmspool kodi scan --json: what a scan finds now, changing nothing: {libraries:[{userdata,database,version,state,films,episodes,watched,new[…],held[…],ignored[…],unresolved[…],
    reporters[ids of add-ons that report to the same service],beside{watchlist[{media,path}],lists[{name,from:"set"|"playlist",new,items[…],left,leftOut[…]}],smart[…],unread[…],before}}]}; beside only where anything of it is turned on;
    kodi import [--dry-run] [--since DATE] [--plays one|all] [--yes] --json: {dryRun,libraries:[{userdata,database,version,state,films,episodes,held{reason:n},ignored{reason:n},unresolved,earlier,recorded,atService,copies,before,
    sample[…],heldSample[…]}],services:[{account,readable,reason}],needsYes,sendSeconds}; where a service does not tell what it has, it wants --yes (2). Cut short, it goes on with the rest when it is asked again.
    kodi libraries --json: [{userdata,profile,database,version,problem,configured}]: those of this machine and those of the configuration; it asks no server.

  - filmspool service install [--linger], filmspool --system service install [--user NAME]; service status --json, exit 0 while it runs and 3 otherwise: {installed,state (not installed, stopped, starting, running, stopping,
    restarting: it ended by itself and is about to be started again, failed),pid,since,restarts (by itself, since it was started),autostart,untilLogout (it ends when its person logs out),version (of what runs),outdated (another program is
    installed by now),silent (it runs and gives no answer),unit,detail,hint}; what is not known is left out. service start and restart end with 78 where somebody else has the port, and tell who.

  - filmspool demo --once --json: runs the whole tour on embedded parts in a temporary folder and prints
    {"history":{"browser":n,"kodi":n,"cli":n},"watchlist":n,"lists":n,"lost":0,"doubled":0,"offlineHeld":n}, counted from the sandbox's records; exit 0 only if all arrived exactly once.

# Libraries

gorilla/websocket v1.5.3, fsnotify v1.10.1, modernc.org/sqlite v1.60.1 (with exactly its libc, v1.77.1; newer versions do not tidy with every proxy), kardianos/service v1.3.0,
go-sql-driver/mysql v1.10.1 (libraries on a server), spf13/cobra, pelletier/go-toml/v2, golang.org/x/{sync,time,sys,term,text,net}; time/tzdata is linked in. More only with a reason in the commit.
Tests: go-cmp, testscript, rapid, goleak, kin-openapi, testing/synctest, fuzzing; a real Chromium, a real Firefox, a real Kodi, a real MariaDB, a real systemd.
*/
package daemon
