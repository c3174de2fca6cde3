package disk

import "errors"

// Errors that callers tell apart with errors.Is.
var (
	// ErrStorage is wrapped when disk or database refused. Nothing of that call
	// was kept, and it may be repeated.
	ErrStorage = errors.New("storage failed")
	// ErrNewer is wrapped when a newer program wrote the database.
	ErrNewer = errors.New("database is of a newer version")
	// ErrForeign is wrapped when the file is another program's.
	ErrForeign = errors.New("not a filmspool database")
	// ErrDamaged is wrapped when the database turned out to be damaged or gone.
	// The next opening saves what can be saved of it.
	ErrDamaged = errors.New("database is damaged")
	// ErrClosed is returned for writes after the writer has ended.
	ErrClosed = errors.New("queue is closed")
	// ErrNone is wrapped when a file that is to be read is not there.
	ErrNone = errors.New("there is no queue")
	// ErrLocked is wrapped when another process holds a state folder.
	ErrLocked = errors.New("in use by another filmspool")
)
