/*
Package daemon wires the parts of Filmspool into one program. It owns their
lifetimes, the listener for browsers and programs, and the local socket for the
command line.

It promises that one process at a time holds the state folder. It promises that
the queue stops last, so that every answer is on disk. The first part that fails
stops all, within a bounded time. It refuses to decide what a viewing is, what
becomes of it, or what an answer means.

This page is the architecture of the whole. Read it first.

Filmspool is a local background service for people who keep a film and TV diary
at an online tracking service. A browser extension and a Kodi library, on this machine or on a server, tell it
what was watched. It puts every viewing on disk first. Then it replays the viewing when the service can be reached.

# The promise, in order

When two wishes collide, the earlier one wins.

 1. Nothing lost: what was acknowledged stays on disk until the service has it or the user drops it.
 2. Nothing doubled or invented: one playback is one viewing, at its true time. In doubt it is held and shown.
 3. Private: nothing listens beyond this machine, no web page gets in, the key goes to the service alone.
 4. Invisible when well, plain-spoken when not: one sentence says what is wrong and what to do.
 5. Fast: an acknowledged event costs about one disk flush; a million waiting viewings cost no more than ten.

# The way of a viewing

		  browser            Kodi             a person
		     |                |                  |
		 connector      kodi, kodi/watch    cmd/filmspool
		     |                |                  |
		     +--- Commit -----+------------------+
		             |
		           queue ......... queue/rules: send, hold or drop?
		             |      \..... the same playback from two sources is one entry
		             |
		       queue/replay ...... queue/resolve: what is this item?
		             |       \.... queue/replay/doubt: did it arrive?
		             |
		      queue/tracker
		             |
		        the service

	 1. A source reports an event: what it saw, raw, with an event id of its own.
	 2. The queue commits it, and only then the source hears "queued". The same id again is a duplicate.
	 3. Rules decide at once what needs no network. The rest is held with a reason.
	 4. The loop reads the entry that is due, looks whether the service has it, marks it as sending on disk, and sends one request.
	 5. The answer settles the entry. What may have arrived is in doubt, and is read back.

Every entry can be explained: what was seen, which rule did what, every attempt and every answer.

# The house

Each top folder bears a name that users know, too. One folder has one concern.
Each package says in its own comment what it owns, promises and refuses.

  - cmd/filmspool: the program; files named by their commands, no logic. e2e tests try the whole program.
    usage: mistakes in a command line. terminal: what prints and asks. report: answers in words. manual: man pages.
    servicecmd: the commands of the service
  - daemon: this package. config: settings, paths and keys. guard: who may talk to us.
    notify: how a person is told. control: the control API. service: the system service.
    demo: the tour. logging: the lines of the log.
    health: what is wrong, and what mends it. locale: the texts, in each language.
    identify: who else is asked what an item is
  - connector: the websocket of browsers and the posts of programs. protocol: the messages. pairing: codes and
    tokens. client: a client in Go. extension: the browser extension
  - kodi: a change in a library becomes viewings. rule: which viewings; pure.
    scan: what is told of a scan. library: reader.
  - queue: the outbox. disk: its file in SQLite. schema: its tables. entry: an entry, and what is asked about
    entries. export: the lines of an export. viewing: the shared words;
    viewing/typed: what a person types. account: how an account stands. playback: which ends are one playback.
    rules: what becomes of an event. brake: what comes as a wave, or in a silence.
    resolve: what an item is, by evidence: the table of certainty, who is asked, and what was answered;
    resolve/wikidata and resolve/tmdb ask. replay: the sending loop; replay/doubt: whether it
    arrived. tracker: the API of the service, over HTTP; tracker/sandbox: a service that keeps it
  - packaging: units, packages and installers. release: what is handed out. readme: what a page tells one to type.
    kodi: the add-on for LibreELEC. test: all of it on real machines

# Import rules

The linter checks them (depguard in .golangci.yml).

  - Sources never import the loop, the tracker or the daemon. Of the queue, they import only queue/viewing and its
    pure rooms. connector and kodi never import each other.
  - Each source declares its own interface for committing, with the types of queue/viewing. A Commit keeps the
    events and the memory of the source in one transaction.
  - queue/viewing imports the standard library alone. Nothing outside cmd imports cmd.
  - Only the libraries that .golangci.yml lists may be imported.
  - Every part has a Run(ctx) error that blocks. Nothing starts in a constructor.
  - Whoever starts a goroutine waits for it.

# Ready, alive, stopped

The daemon says "ready" when its listeners are open. The service manager gets a sign of
life only when the queue's writer has moved since the last one.

Where the disk is full or read-only, a start ends with exit code 75, and the service
manager tries again. A daemon that runs refuses viewings meanwhile, and browsers keep them.
A damaged queue is opened again within the process. A changed configuration is put to use
in the same way: the instance ends in order, and the next one has its port, its socket and
its lock. One that cannot begin gives way to the previous configuration.

# Where to find what

	where does it start?                  cmd/filmspool/main.go and run.go, then Serve (start.go) and Daemon.Run here
	what refuses a setting?               daemon/config: settings.go has the table; validate.go the rest
	who may knock?                        daemon/guard; listen.go and the connector ask it; commands: daemon/control/socket.go
	what tells that a library changed?    kodi/watch.go; what is new: kodi/rule/decide.go
	where is the file opened?             queue/sqlite: sqlite.go, and for its connections connect.go
	where is its shape?                   queue/schema.sql
	what becomes of a viewing?            queue/rules
	is it the same playback?              queue/playback: its comment has the table
	what did a person say that it is?     queue/correct.go; what is told alike: queue/resolve/correction.go
	what decides a resend?                queue/replay/settle.go; in doubt: queue/replay/doubt/doubt.go, decide
	what does an answer mean?             queue/tracker: its comment has the table
	why is it not sent?                   daemon/control/advice.go
	what can be wrong, and what mends it? daemon/health/table.go
	which test kills the process?         cmd/filmspool/e2e_kills_test.go
	what prints? what says "did you mean"? cmd/filmspool/terminal, and usage
	which words may a script rely on?     cmd/filmspool/SCRIPTS.md
	what does a word mean?                .github/GLOSSARY.md
	how is a source, a site, a table added? .github/CONTRIBUTING.md
*/
package daemon
