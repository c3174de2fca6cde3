// Package daemon starts, runs, reloads and stops the parts of Filmspool, and answers what
// the command line and the pages ask. It holds the lock of the state folder, the listeners
// and the queue; the rules about viewings are elsewhere.
//
// This page describes the whole program.
//
// Filmspool is a local background service for people who keep a film and TV diary at an
// online tracking service. A browser extension, programs and a Kodi library report what was
// watched. Filmspool writes every viewing to disk first, and sends it when the service can
// be reached.
//
// # Promises
//
// When two wishes collide, the earlier one wins.
//
//  1. Nothing lost: what was acknowledged stays on disk until the service has it or the user drops it.
//  2. Nothing doubled or invented: one playback is one viewing at its true time. In doubt it is held and shown.
//  3. Private: only this machine can connect, web pages cannot, and the key goes to the service alone.
//  4. Quiet when all is well, clear when not: one sentence says what is wrong and what to do.
//  5. Fast: an acknowledged event costs about one disk flush.
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
// A viewing takes this way:
//
//  1. A source reports an event: what it saw, with an event id of its own.
//  2. The queue commits it to disk; then the source is told "queued". The same id again is a duplicate.
//  3. Rules decide what needs no network. The rest is held with a reason.
//  4. The loop of the account takes the entry that is due, marks it as sending on disk, and sends one request.
//  5. The answer settles the entry. An entry that may have arrived is in doubt, and is compared with the service's history.
//
// Every entry can be explained: what was seen, which rule did what, every attempt and every answer.
// What people read is a code with values ([viewing.Message]) until package locale renders it.
//
// # Packages
//
//	cmd/filmspool           the commands and how they print
//	  terminal              printing, tables and questions
//	connector               sessions of browsers, posts of programs, hooks of media servers
//	  extension             the browser extension, and how it is packed
//	  hook                  what media servers and players post
//	  pairing               codes and tokens
//	  protocol              the messages
//	daemon                  this package
//	  config                config.toml, settings.toml, paths, keys
//	  control               the control API: types, server and client over a local socket
//	  demo                  a tour with a service of its own
//	  guard                 who may connect over TCP
//	  health                what is wrong: one table, the checks, the summary, the report
//	  locale                all texts, English and German
//	  logging               the lines of the log
//	  notify                notices on the desktop and to a webhook
//	  page                  the web pages
//	  service               systemd, launchd, Windows
//	kodi                    from changes of a library to viewings
//	  announce              notifications of a running Kodi
//	  library               reads a library
//	  nfo                   reads NFO files and exports, once, on command
//	  rule                  which changes are viewings
//	queue                   the outbox
//	  account               how an account stands
//	  entry                 an entry, and what is asked about entries
//	  playback              which events are the same playback
//	  replay, replay/doubt  the sending loop; whether a request arrived
//	  resolve               which item is meant; resolve/tmdb and resolve/wikidata are asked
//	  rules                 send, hold or drop
//	  sqlite                the file: lock, open, writer, migration, recovery
//	  tracker               the service over HTTP; tracker/sandbox is a service that keeps the contract
//	  transfer              the history files of other services, read and written
//	  viewing               the vocabulary; viewing/typed reads what a person types
//	packaging               the texts of units, packages and installers; .goreleaser.yaml makes a release of them
//	  extension             packs the extension for a release
//	connector/connectortest, kodi/kodisim and queue/tracker/sandbox/pipetest are for tests.
//
// Import rules are in .golangci.yml (depguard): sources never import the loop, the tracker or this package;
// queue/viewing imports the standard library only; connector and kodi never import each other; nothing imports cmd.
//
// # Start, reload, stop
//
// [Serve] locks the folder, listens on the socket, and runs one instance after another. A changed configuration, and a
// queue found damaged, end the instance in order; the next one has the same lock and listeners. A configuration that
// cannot be used gives way to the previous one. A full or read-only disk at the start ends with exit code 75, and the
// service manager tries again. The queue stops last, so that every answer is on disk.
//
// # Where to find what
//
//	what starts?                          start.go: Serve; daemon.go: runParts
//	what can a person ask?                daemon/control/api.go; while nothing runs: offline.go
//	what refuses a setting?               daemon/config/validate.go: Validate; daemon/config/settings.go: the table
//	who may connect?                      daemon/guard/guard.go over TCP; daemon/control/socket.go for commands
//	what is wrong, and who says so?       daemon/health/table.go; the conditions are in status.go
//	what does a button on the page do?    daemon/page/site.go: pages lists every page with its acts
//	where does a text come from?          daemon/locale/en and de, by the key that the code names
//	why is an entry not sent?             control/advice.go; what an answer does to it: queue/replay/send.go
//	which words may a script rely on?     cmd/filmspool/SCRIPTS.md
//	what does a word mean?                .github/GLOSSARY.md
package daemon
