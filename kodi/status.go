package kodi

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/nfo"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// The states of an importer.
const (
	StateStarting    = "starting"    // not read yet
	StateOK          = "ok"          // read, and watched for changes
	StateGuarded     = "guarded"     // most of the library has vanished: falling counts are not believed
	StateWaiting     = "waiting"     // no folder or no library yet
	StateBusy        = "busy"        // Kodi is writing
	StateUpgrading   = "upgrading"   // Kodi is upgrading the library
	StateInterrupted = "interrupted" // Kodi must undo a broken write first
	StateEmpty       = "empty"       // the library has lost all its files
	StateUnsupported = "unsupported" // a schema that is not known
	StateMySQL       = "mysql"       // what the settings say of the library's server is too little
	StateUnreachable = "unreachable" // the library's server does not answer
	StateShared      = "shared"      // another folder leads to the same library
	StateDenied      = "denied"      // this user may not read it
	StateOdd         = "odd"         // what stands in the place of its file is no file
	StateDamaged     = "damaged"     // no database, or a broken one
	StateStorage     = "storage"     // our own database did not take it
	StateFailed      = "failed"      // anything else
)

// Status is how an importer fares, for a person.
type Status struct {
	Userdata string    // absolute
	Database string    // the library file; "" before one was read
	Version  int       // its schema number
	State    string    // one of the states
	Since    time.Time // when that state began
	// Problem is why it is not read; none while it is. Hint is what to do.
	Problem, Hint viewing.Message
	Films         int       // in the library
	Episodes      int       // in the library
	Watched       int       // files with a play count
	ReadAt        time.Time // last good reading
	// Import is an import under way or, while Importing is false, one that was
	// cut short; another one goes on with it.
	Import    rule.Import
	Importing bool
	// Watchlist is what has the tag for the watchlist; none without a tag.
	Watchlist viewing.Message
	// Heard is whether this Kodi is heard announce what it plays.
	Heard bool
	// Reporters are add-ons of this Kodi that report to the same service.
	Reporters []string
	// Unwatched are profiles of this Kodi that have a library of their own which
	// is not watched: their names with their folders.
	Unwatched []string
	// Writers are add-ons of this Kodi that write into the library what was
	// watched elsewhere.
	Writers []string
}

// Status is how the importer fares now.
func (i *Importer) Status() Status {
	i.show.Lock()
	defer i.show.Unlock()
	s := i.status
	_, since := i.kodi.Acts()
	s.Heard = !since.IsZero()
	return s
}

var (
	errStorage = errors.New("keep viewings")
	errEmptied = errors.New("the library has lost all its files")
)

// complaint is the status of an error. hint is the code of what to do, if anything.
type complaint struct {
	cause              error
	state, which, hint string
}

// problem is the message of the complaint.
func (c complaint) problem() viewing.Message { return viewing.Say("library." + c.which) }

// advice is what to do about it.
func (c complaint) advice() viewing.Message {
	if c.hint == "" {
		return viewing.Message{}
	}
	return viewing.Say("hint." + c.hint)
}

// complaints gives each known error its messages.
func complaints() []complaint {
	return []complaint{
		{library.ErrMySQL, StateMySQL, "mysql", "mysqlSettings"},
		{library.ErrShared, StateShared, "shared", "oneOfTwo"},
		{library.ErrServerAway, StateUnreachable, "serverAway", ""},
		{library.ErrServerRefused, StateDenied, "serverRefused", "mysqlUser"},
		{library.ErrNotFound, StateWaiting, "waitingAppear", "checkUserdata"},
		{library.ErrEmpty, StateWaiting, "waitingMade", "startKodiServer"},
		{library.ErrUpgrading, StateUpgrading, "upgrading", "startKodiAgain"},
		{library.ErrBusy, StateBusy, "busy", ""},
		{library.ErrHotJournal, StateInterrupted, "interrupted", "startKodi"},
		{library.ErrReadOnlyDir, StateDenied, "readOnlyDir", "asKodisUser"},
		{library.ErrPermission, StateDenied, "denied", "asKodisUser"},
		{library.ErrOdd, StateOdd, "noFile", "putBack"},
		{library.ErrNotDatabase, StateDamaged, "damaged", "kodiRepairs"},
		{library.ErrUnsupported, StateUnsupported, "unsupported", "newerProgram"},
		{nfo.ErrUnread, StateOdd, "nfoUnread", "nfoPath"},
		{errEmptied, StateEmpty, "emptied", "scanInKodi"},
		{errGuarded, StateGuarded, "vanishedImport", "believedElse"},
		{errImporting, StateBusy, "importRuns", "waitForImport"},
		{errStorage, StateStorage, "notKept", "checkDisk"},
	}
}

// complain finds the words for an error.
func complain(err error) complaint {
	for _, c := range complaints() {
		if errors.Is(err, c.cause) {
			return c
		}
	}
	return complaint{err, StateFailed, "failed", "seeLog"}
}

// showError shows why a reading failed. The log hears of it when it is new.
func (i *Importer) showError(err error) {
	c := complain(err)
	i.show.Lock()
	defer i.show.Unlock()
	if i.status.State != c.state {
		i.status.Since = time.Now()
		i.o.Logger.Info("cannot read a library now", "source", i.source, "state", c.state, "error", err)
	}
	if i.known != nil && i.known.Meta.GoodAt > 0 {
		i.status.ReadAt = time.UnixMilli(i.known.Meta.GoodAt) // it may have been before a restart
	}
	i.status.State, i.status.Problem, i.status.Hint = c.state, c.problem(), c.advice()
}

// showRead shows a reading that went well.
func (i *Importer) showRead(snap library.Snapshot, v rule.Verdict) {
	s := Status{
		Userdata: i.path, Database: snap.Path, Version: snap.Version, State: StateOK,
		Watched: v.Meta.Watched, ReadAt: time.UnixMilli(v.Meta.GoodAt),
	}
	s.Films, s.Episodes = countItems(snap)
	if v.Meta.Guard.On {
		s.State = StateGuarded
		s.Problem = viewing.Say("library.vanished", "before", strconv.Itoa(v.Meta.Guard.Before), "now", strconv.Itoa(v.Meta.Guard.Now))
		s.Hint = viewing.Say("hint.believed")
	}
	s.Unwatched = i.unwatched()
	if percent := library.WatchedPercent(i.path); percent != library.UsualPercent && s.Hint.Code == "" {
		s.Hint = viewing.Say("hint.percent", "n", fmt.Sprint(percent))
	}
	i.show.Lock()
	defer i.show.Unlock()
	s.Import, s.Importing = i.status.Import, i.status.Importing
	s.Watchlist, s.Reporters, s.Writers = i.status.Watchlist, i.status.Reporters, i.status.Writers
	if !s.Importing {
		s.Import = v.Meta.Import
	}
	s.Since = i.status.Since
	if i.status.State != s.State {
		s.Since = time.Now()
		i.o.Logger.Info("reading a library", "source", i.source, "state", s.State, "version", s.Version,
			"films", s.Films, "episodes", s.Episodes, "watched", s.Watched)
	}
	i.status = s
}

// unwatched lists the profiles with a library of their own that nobody reads.
func (i *Importer) unwatched() (names []string) {
	profiles, err := library.Profiles(i.path)
	if err != nil || i.o.Watched == nil {
		return nil
	}
	for _, p := range profiles {
		if p.Own && !slices.Contains(i.o.Watched, filepath.Clean(p.Userdata)) {
			names = append(names, fmt.Sprintf("%s (%s)", p.Name, p.Userdata))
		}
	}
	return names
}

// countItems counts the films and episodes of a library, each once.
func countItems(snap library.Snapshot) (films, episodes int) {
	all := [2][]int64{nil, make([]int64, 0, len(snap.Files))} // numbers of films and of episodes
	for _, f := range snap.Files {
		for _, i := range f.Items {
			kind := 0
			if i.Media.Type != viewing.Movie {
				kind = 1
			}
			if !i.Extra {
				all[kind] = append(all[kind], i.KodiID)
			}
		}
	}
	for kind := range all {
		slices.Sort(all[kind])
		all[kind] = slices.Compact(all[kind])
	}
	return len(all[0]), len(all[1])
}
