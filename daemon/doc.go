// Package daemon starts, runs, reloads and stops the parts of Filmspool, and implements the
// control API that the command line and the web pages call. It holds the lock of the state
// folder, the listeners and the queue. The rules about viewings are in other packages.
//
// The rest of this page is an overview of the whole program.
//
// Filmspool is a local background service for people who keep a film and TV diary at an
// online tracking service. A browser extension, other programs and a Kodi library report what
// was watched. Filmspool writes every viewing to disk first, and sends it when the service is
// reachable.
//
// # Promises
//
// If two of them conflict, the earlier one wins.
//
//  1. Nothing is lost: an acknowledged viewing stays on disk until the service has it or the user drops it.
//  2. Nothing is doubled or invented: one playback is one viewing at its true time. In doubt it is held and shown.
//  3. Private: only programs on this machine can connect, web pages cannot, and the key is sent to the service only.
//  4. Quiet when all is well, clear when not: one sentence says what is wrong and what to do.
//  5. Fast: acknowledging an event costs about one disk flush.
//
// # Data flow
//
//	browser extension --websocket--> connector --\
//	programs, players --HTTP POST--> connector ---> queue --> queue/replay --> queue/tracker --> service
//	Kodi library --fsnotify, poll--> kodi -------/   |             |
//	command line ------------------> control ------/ |             +- queue/replay/doubt: did it arrive?
//	                                                 |             +- queue/resolve: which item is it?
//	                                                 +- queue/rules: send, hold or drop?
//	                                                 +- queue/playback: the same playback as another entry?
//
//	command line --local socket--> daemon/control --\
//	browser --TCP on loopback----> daemon/page ------> control.API, implemented by this package
//
// The steps from a playback to the service:
//
//  1. A source reports an event: what was watched, with an event id that the source chose.
//  2. The queue commits the event to disk, then acknowledges it. The same id again is a duplicate.
//  3. Rules that need no network decide whether the new entry may be sent, is held with a reason, or is dropped.
//  4. The loop of the account takes the next due entry, marks it as sending on disk, and sends one request.
//  5. The answer decides the entry's state. A request that may have arrived leaves it in doubt; it is then compared
//     with the service's history.
//
// Every step of an entry is recorded: what was reported, which rule applied, every attempt and every answer.
// Texts for people are codes with values ([viewing.Message]); package locale renders them.
//
// # Packages
//
//	cmd/filmspool           the commands and their output
//	  terminal              printing, tables and questions
//	connector               websocket sessions of browsers, POST requests of programs, hooks of media servers
//	  extension             the browser extension
//	  hook                  payloads of media servers and players
//	  pairing               one-time codes and tokens
//	  protocol              the messages
//	daemon                  this package
//	  config                config.toml, settings.toml, paths, keys
//	  control               the control API: types, server, and client over a local socket
//	  demo                  a tour with a built-in tracking service
//	  guard                 which TCP clients may connect
//	  health                problems: one table, the checks, the summary, the report
//	  locale                all texts, English and German
//	  logging               the log lines
//	  notify                notices on the desktop and to a webhook
//	  page                  the web pages
//	  service               systemd, launchd, Windows
//	kodi                    turns changes of a library into viewings
//	  announce              notifications of a running Kodi
//	  library               reads a library
//	  nfo                   reads NFO files and exports, once, on command
//	  rule                  which changes are viewings
//	queue                   the outbox
//	  account               the state of an account
//	  entry                 entries, filters and orders
//	  playback              which events are the same playback
//	  replay, replay/doubt  the sending loop; whether a request arrived
//	  resolve               which item is meant, with resolve/tmdb and resolve/wikidata
//	  rules                 send, hold or drop
//	  sqlite                the database file: lock, open, writer, migration, recovery
//	  tracker               client of the tracking service; tracker/sandbox is a test server
//	  transfer              history files of other services, read and written
//	  viewing               the vocabulary; viewing/typed parses what a person types
//	packaging               texts of units, packages and installers; .goreleaser.yaml builds a release with them
//	  extension             packs the extension for a release
//	connector/connectortest, kodi/kodisim and queue/tracker/sandbox/pipetest are for tests.
//
// Import rules are in .golangci.yml (depguard): sources never import the loop, the tracker or this package;
// queue/viewing imports the standard library only; connector and kodi never import each other; nothing imports cmd.
//
// # Start, reload, stop
//
// [Serve] locks the folder, opens the local socket, and runs one instance after another. A changed configuration and a
// damaged queue stop the current instance in order; the next one uses the same lock and listeners. If an instance cannot
// start with a new configuration, the previous configuration is used again. A full or read-only disk at the start ends
// the process with exit code 75, and the service manager starts it again. The queue stops last, so that every answer is
// written.
//
// # Where to find things
//
//	start of the process                  start.go: Serve; daemon.go: runParts
//	what clients can request              control/api.go; while no daemon runs: offline.go
//	validation of settings                config/validate.go: Validate; config/settings.go: the table
//	who may connect                       guard/guard.go over TCP; control/socket.go for commands
//	list of problems                      health/table.go; where they are detected: health/conditions.go, status.go
//	buttons of the pages                  page/site.go: pages lists every page with its acts
//	texts                                 locale/en and locale/de, by the key in the code
//	why an entry is not sent              control/advice.go; the effect of an answer: queue/replay/send.go
//	words that scripts may rely on        cmd/filmspool/SCRIPTS.md
//	glossary                              .github/GLOSSARY.md
package daemon
