package health

import (
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// Codes of problems that other parts of the program report. The remaining codes are found in
// the status only.
const (
	QueueUnwritable  = "queue-unwritable"
	QueueUnread      = "queue-unread" // the queue cannot be read
	DiskLow          = "disk-low"
	KeyMissing       = "key-missing" // the key, the address or both are missing
	KeyRefused       = "key-refused"
	AddressWrong     = "address-wrong"
	AccessRefused    = "access-refused"    // by a proxy or firewall on the way to the service
	AccountUnknown   = "account-unknown"   // entries wait for an account that is not configured
	NothingDelivered = "nothing-delivered" // for a week, while entries wait
	Unreachable      = "unreachable"
	ClockWrong       = "clock-wrong"
	LibraryUnread    = "library-unread"
	LibraryReporter  = "library-reporter" // an add-on reports to the same service
	LibraryWriter    = "library-writer"   // an add-on marks items watched elsewhere
	SourceTroubled   = "source"
	NotRunning       = "not-running"
	ServiceFailed    = "service-failed"
	ServiceMissing   = "service-missing" // or it does not start automatically
	ServiceLogout    = "service-logout"  // it stops when the user logs out
	Outdated         = "outdated"        // the running version is not the installed one
	PortTaken        = "port-taken"
	ConfigInvalid    = "config-invalid"
	StateDenied      = "state-denied" // or other users may change it
	Silent           = "silent"       // it holds the lock and does not answer
	burst            = "entries-burst"
	notice           = "notice"
	sameUser         = "same-account"
)

// DiskFull is the code of a storage error that free space solves.
const DiskFull = "disk.full"

// row is one kind of problem. The catalogue has its texts: problem.CODE.text, .why and .act.
type row struct {
	code     string
	severity control.Severity
	// act is the verb of the remedy; "" if this program has none.
	act, page string
	// causes are the codes of problems that explain this one if they exist.
	causes []string
}

// commands maps a verb to its command line. {login} is the login command of an account, {target}
// the target of the act. If a verb replaces the one of the row, the catalogue text act.VERB is
// used.
var commands = map[string]string{
	"login":          "{login}",
	"address":        "{login} --base-url ADDRESS",
	control.ActRetry: "filmspool send --all",
	control.ActSeen:  "filmspool status --seen {target}",
	"config":         "filmspool config show",
	"check":          "filmspool config check",
	"logs":           "filmspool service logs",
	"start":          "filmspool service start",
	"restart":        "filmspool service restart",
	"run":            "filmspool run",
	"install":        "filmspool service install",
	"linger":         "filmspool service install --linger",
	"list":           "filmspool diary --state {target}",
	"list-account":   "filmspool diary --state pending --account {target}",
	"list-reason":    "filmspool diary --reason {target}",
	"release":        "filmspool send --reason {target}",
	"status":         "filmspool status",
	"libraries":      "filmspool sources kodi",
	"scan":           "filmspool sources kodi",
	"clients":        "filmspool sources programs",
	"pair":           "filmspool sources pair",
	"private":        "chmod 700 {target}",
	"credential":     "filmspool service restart",
	"file":           "filmspool config show",
	"readable":       "filmspool sources kodi",
	"server":         "filmspool sources kodi",
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

var (
	noDisk      = []string{QueueUnwritable, StateDenied}
	cannotStart = append(noDisk, PortTaken, ConfigInvalid, QueueUnread)
)

// table lists all problems. Within a severity they are shown in this order.
var table = []row{
	// The queue's file.
	{code: QueueUnwritable, severity: control.NeedsYou, page: "/about", causes: []string{StateDenied}},
	{code: QueueUnread, severity: control.NeedsYou, causes: []string{StateDenied}},
	{code: notice, severity: control.NeedsYou, act: control.ActSeen, page: "/status"},
	{code: DiskLow, severity: control.Soon, page: "/about", causes: []string{QueueUnwritable}},

	// Accounts at the service.
	{code: KeyMissing, severity: control.NeedsYou, act: "login", page: "/settings#account-{about}"},
	{code: KeyRefused, severity: control.NeedsYou, act: "login", page: "/settings#account-{about}"},
	{code: AddressWrong, severity: control.NeedsYou, act: "address", page: "/settings#account-{about}"},
	{code: AccessRefused, severity: control.NeedsYou, act: control.ActRetry, page: "/settings#account-{about}"},
	{code: AccountUnknown, severity: control.NeedsYou, act: "list-account", page: "/settings"},
	{
		code: NothingDelivered, severity: control.NeedsYou, act: "list", page: "/status",
		causes: append(noDisk, KeyMissing, KeyRefused, AddressWrong, AccessRefused, AccountUnknown),
	},
	{code: Unreachable, severity: control.Soon, act: control.ActRetry, page: "/status"},
	{code: sameUser, severity: control.Soon, act: "config", page: "/settings"},

	// The program, its service and its machine.
	{code: ConfigInvalid, severity: control.NeedsYou, act: "check"},
	{code: StateDenied, severity: control.NeedsYou, act: "config"},
	{code: Silent, severity: control.NeedsYou, act: "logs", causes: noDisk},
	{code: PortTaken, severity: control.NeedsYou},
	{code: ServiceFailed, severity: control.NeedsYou, act: "logs", causes: cannotStart},
	{code: NotRunning, severity: control.NeedsYou, act: "run", causes: append(cannotStart, ServiceFailed)},
	{code: ServiceMissing, severity: control.Soon, act: "install", page: "/setup"},
	{code: ServiceLogout, severity: control.Note, act: "linger", causes: []string{ServiceMissing}},
	{code: Outdated, severity: control.Soon, act: "restart", page: "/about"},
	{code: ClockWrong, severity: control.Soon},

	// Entries that need the user.
	{code: burst, severity: control.NeedsYou, act: "release", page: "/review"},
	{code: "entries-unknown", severity: control.NeedsYou, act: "list-reason", page: "/review"},
	{code: "entries-in-doubt", severity: control.NeedsYou, act: "list", page: "/review"},
	{code: "entries-rejected", severity: control.NeedsYou, act: "list", page: "/review"},
	{code: "entries-held", severity: control.NeedsYou, act: "list", page: "/review"},

	// Sources and providers.
	{code: LibraryUnread, severity: control.NeedsYou, act: "scan", page: "/sources"},
	{code: SourceTroubled, severity: control.NeedsYou, act: "status", page: "/sources"},
	{code: LibraryReporter, severity: control.Soon, page: "/sources"},
	{code: LibraryWriter, severity: control.Soon, act: "release", page: "/sources"},
	{code: "site-unread", severity: control.Note, page: "/sources"},
	{code: "browser-silent", severity: control.Note, act: "clients", page: "/sources"},
	{code: "nothing-connected", severity: control.Note, act: "pair", page: "/setup"},
}
