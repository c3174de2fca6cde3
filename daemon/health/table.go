package health

import (
	"slices"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// row is one problem. In command and page, {about}, {n} and {login} are filled in.
type row struct {
	code     string
	severity control.Severity
	kind     kind
	// find looks for it in the status; nil where parts of the program tell of it.
	find func(Conditions) []control.Trouble
	// causes are the codes of what it comes from where that is there, too.
	causes []string
	// after is how long it must have lasted before it is told, so that nothing flickers.
	after         time.Duration
	command, page string
}

// kind is what a problem is about, and so what is told beside it.
type kind int

const (
	_ kind = iota
	ofQueue
	ofAccount
	ofEntries
)

const (
	day  = 24 * time.Hour
	week = 7 * day
	// missingAfter is how long a library may be missing: drives are plugged in and network
	// folders mounted for a minute or two after a start, and systemd waits 90 s for them.
	missingAfter = 5 * time.Minute
)

// table is all problems that there are. Those of one severity stand in the order in
// which they are told.
func table() []row {
	return slices.Concat(queueRows(), accountRows(), programRows(), entryRows(), sourceRows(), browserRows())
}

// queueRows are about the queue's file.
func queueRows() []row {
	full := []string{DiskFull, DiskReadOnly, StateDenied}
	return []row{
		{code: DiskFull, severity: control.NeedsYou, kind: ofQueue, page: "/about"},
		{code: DiskReadOnly, severity: control.NeedsYou, kind: ofQueue, page: "/about"},
		{code: QueueUnwritable, severity: control.NeedsYou, kind: ofQueue, causes: full, page: "/about"},
		{code: QueueUnread, severity: control.NeedsYou, causes: []string{StateDenied}},
		{code: "notice", severity: control.NeedsYou, find: notices, command: "filmspool status --seen {n}", page: "/"},
		{code: DiskLow, severity: control.Soon, causes: []string{DiskFull}, page: "/about"},
	}
}

// accountRows are about an account at the service.
func accountRows() []row {
	const settings = "/settings#account-{about}"
	needs := func(code, command string) row {
		return row{code: code, severity: control.NeedsYou, kind: ofAccount, command: command, page: settings}
	}
	broken := []string{
		AddressMissing, AddressWrong, AddressConfigured, KeyMissing, KeyElsewhere, KeyRefused, KeyReadOnly, KeyAnothers, KeyCredential,
		AccessRefused, AccountUnknown, codeAccount, DiskFull, DiskReadOnly, QueueUnwritable,
	}
	return []row{
		needs(AddressMissing, "{login} --base-url ADDRESS"),
		needs(KeyMissing, "{login}"),
		needs(KeyElsewhere, "{login}"),
		needs(KeyRefused, "{login}"),
		needs(KeyReadOnly, "{login}"),
		needs(KeyAnothers, "{login}"),
		needs(KeyCredential, "filmspool service restart"),
		needs(AddressWrong, "{login} --base-url ADDRESS"),
		needs(AddressConfigured, "filmspool config show"),
		needs(AccessRefused, "filmspool queue retry --all"),
		needs(AccountUnknown, "filmspool queue list --state pending --account {about}"),
		needs(codeAccount, "filmspool resume"),
		{code: "nothing-delivered", severity: control.NeedsYou, kind: ofAccount, find: stalled, causes: broken, command: "filmspool queue list --state pending", page: "/"},
		{code: Unreachable, severity: control.Soon, find: waitingFor(Unreachable), after: day, command: "filmspool queue retry --all", page: "/"},
		{code: Throttled, severity: control.Soon, find: waitingFor(Throttled), after: day, command: "filmspool config show", page: "/settings"},
		{code: "paused-long", severity: control.Soon, find: pausedLong, command: "filmspool resume", page: "/"},
		{code: "same-account", severity: control.Soon, find: sameAccount, command: "filmspool config show", page: settings},
	}
}

// programRows are about the program, its service and its machine.
func programRows() []row {
	down := []string{PortTaken, ConfigInvalid, StateDenied, QueueUnread, DiskFull, DiskReadOnly}
	return []row{
		{code: ConfigInvalid, severity: control.NeedsYou, command: "filmspool config check"},
		{code: StateDenied, severity: control.NeedsYou, causes: []string{StateChangeable}, command: "filmspool config show"},
		{code: Silent, severity: control.NeedsYou, causes: []string{DiskFull, DiskReadOnly}, command: "filmspool service logs"},
		{code: PortTaken, severity: control.NeedsYou},
		{code: ServiceFailed, severity: control.NeedsYou, causes: down, command: "filmspool service logs"},
		{code: ServiceStopped, severity: control.NeedsYou, causes: down, command: "filmspool service start"},
		{code: NotRunning, severity: control.NeedsYou, causes: append(down, ServiceFailed, ServiceStopped), command: "filmspool run"},
		{code: StateChangeable, severity: control.NeedsYou, command: "chmod 700 {about}"},
		{code: StateOpen, severity: control.Soon, command: "chmod 700 {about}"},
		{code: ServiceMissing, severity: control.Soon, command: "filmspool service install", page: "/setup"},
		{code: ServiceManual, severity: control.Soon, causes: []string{ServiceMissing}, command: "filmspool service install"},
		{code: ServiceLogout, severity: control.Note, causes: []string{ServiceManual}, command: "filmspool service install --linger"},
		{code: Outdated, severity: control.Soon, command: "filmspool service restart", page: "/about"},
		{code: ClockWrong, severity: control.Soon},
	}
}

// entryRows are about entries that wait for a person.
func entryRows() []row {
	decide := func(code, command, page string, find func(Conditions) []control.Trouble) row {
		return row{code: code, severity: control.NeedsYou, kind: ofEntries, command: command, page: page, find: find}
	}
	list, diary := "filmspool queue list --state ", "/diary?state="
	return []row{
		decide(codeWave, "filmspool queue release --reason wave", "/review", wave),
		decide("entries-in-doubt", list+string(viewing.StateInDoubt), diary+string(viewing.StateInDoubt), counted(func(s *control.Status) int64 { return s.Counts.InDoubt })),
		decide("entries-rejected", list+string(viewing.StateRejected), diary+string(viewing.StateRejected), counted(func(s *control.Status) int64 { return s.Counts.Rejected })),
		decide("entries-held", list+string(viewing.StateHeld), "/review", counted(heldElse)),
		decide("entries-unresolved", "filmspool queue list --reason "+viewing.ReasonUnresolved, "/review", counted(unresolved)),
	}
}

// sourceRows are about libraries, and what else tells of viewings.
func sourceRows() []row {
	const page = "/sources"
	return []row{
		{code: LibraryMissing, severity: control.NeedsYou, after: missingAfter, command: "filmspool kodi libraries", page: page},
		{code: LibraryDenied, severity: control.NeedsYou, command: "filmspool kodi scan", page: page},
		{code: LibraryAway, severity: control.NeedsYou, after: day, command: "filmspool kodi scan", page: page},
		{code: codeSource, severity: control.NeedsYou, command: "filmspool status", page: page},
		{code: LibraryReporter, severity: control.Soon, page: page},
		{code: LibraryWriter, severity: control.Soon, command: "filmspool queue release --reason " + viewing.ReasonReview, page: page},
		{code: LibraryClock, severity: control.Soon, page: page},
		{code: WatchLimit, severity: control.Soon, page: page},
		{code: LibraryDeaf, severity: control.Note, causes: []string{WatchLimit}, page: page},
	}
}

// browserRows are about browsers, and who else tells of viewings.
func browserRows() []row {
	return []row{
		{code: "site-unread", severity: control.Note, find: unread, page: "/sources"},
		{code: "browser-silent", severity: control.Note, find: silent, command: "filmspool clients list", page: "/sources"},
		{code: "nothing-connected", severity: control.Note, find: unconnected, command: "filmspool pair", page: "/setup"},
	}
}
