package health

// The codes by which parts of the program, and checks, tell of a trouble. The rest is
// found in the status itself.
const (
	DiskFull          = "disk-full"
	DiskReadOnly      = "disk-readonly"
	QueueUnwritable   = "queue-unwritable" // for another reason
	QueueUnread       = "queue-unread"     // it cannot be read
	DiskLow           = "disk-low"
	AccountUnknown    = "account-unknown" // entries wait for one that is not in the configuration
	AddressMissing    = "address-missing"
	AddressWrong      = "address-wrong"
	AddressConfigured = "address-configured" // it is wrong, and stands in the configuration
	KeyMissing        = "key-missing"
	KeyElsewhere      = "key-elsewhere" // it was given for another address
	KeyRefused        = "key-refused"
	KeyReadOnly       = "key-readonly"
	KeyAnothers       = "key-anothers"
	KeyCredential     = "key-credential" // it is refused, and the service manager keeps it
	AccessRefused     = "access-refused" // by something between here and the service
	Unreachable       = "unreachable"
	Throttled         = "throttled"
	ClockWrong        = "clock-wrong"
	LibraryMissing    = "library-missing"
	LibraryDenied     = "library-denied"
	LibraryAway       = "library-away" // its server does not answer
	LibraryDeaf       = "library-deaf" // no events tell of its changes
	WatchLimit        = "watch-limit"
	LibraryReporter   = "library-reporter" // an add-on reports to the same service
	LibraryWriter     = "library-writer"   // an add-on writes what was watched elsewhere
	LibraryClock      = "library-clock"
	NotRunning        = "not-running"
	ServiceStopped    = "service-stopped"
	ServiceFailed     = "service-failed"
	ServiceMissing    = "service-missing"
	ServiceManual     = "service-manual" // it does not start with the machine or the login
	ServiceLogout     = "service-logout" // it ends when the person logs out
	Outdated          = "outdated"       // another version is installed than the one that runs
	PortTaken         = "port-taken"
	ConfigInvalid     = "config-invalid"
	StateOpen         = "state-open"       // others may read the state folder
	StateChangeable   = "state-changeable" // others may change it
	Silent            = "silent"           // it runs, and does not say where
	StateDenied       = "state-denied"
)

// The codes of what says no more of itself.
const (
	codeAccount = "account"
	codeSource  = "source"
	codeWave    = "entries-wave"
)
