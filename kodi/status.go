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
	StateDamaged     = "damaged"     // no database, or a broken one
	StateStorage     = "storage"     // our own database did not take it
	StateFailed      = "failed"      // anything else
)

// Status is how an importer fares, for a person.
type Status struct {
	Userdata string    // absolute
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

// complaints are the state, the problem and the hint of each known error.
var complaints = []struct {
	cause                error
	state, problem, hint string
}{
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
	{library.ErrNotDatabase, StateDamaged, "damaged", "kodiRepairs"},
	{library.ErrUnsupported, StateUnsupported, "unsupported", "newerProgram"},
	{nfo.ErrUnread, StateFailed, "nfoUnread", "nfoPath"},
	{errEmptied, StateEmpty, "emptied", "scanInKodi"},
	{errGuarded, StateGuarded, "vanishedImport", "believedElse"},
	{errImporting, StateBusy, "importRuns", "waitForImport"},
	{errStorage, StateStorage, "notKept", "checkDisk"},
}

// complain finds the words for an error.
func complain(err error) (state string, problem, hint viewing.Message) {
	for _, c := range complaints {
		if !errors.Is(err, c.cause) {
			continue
		}
		if c.hint != "" {
			hint = viewing.Say("hint." + c.hint)
		}
		return c.state, viewing.Say("library." + c.problem), hint
	}
	return StateFailed, viewing.Say("library.failed"), viewing.Say("hint.seeLog")
}

// setState shows a state, and reports whether it is another one.
func (s *Status) setState(state string, problem, hint viewing.Message) (changed bool) {
	if changed = s.State != state; changed {
		s.State, s.Since = state, time.Now()
	}
	s.Problem, s.Hint = problem, hint
	return changed
}

// showError shows why a reading failed. The log hears of it when it is new.
func (i *Importer) showError(err error) {
	state, problem, hint := complain(err)
	i.show.Lock()
	defer i.show.Unlock()
	if i.known != nil && i.known.Meta.GoodAt > 0 {
		i.status.ReadAt = time.UnixMilli(i.known.Meta.GoodAt) // it may have been before a restart
	}
	if i.status.setState(state, problem, hint) {
		i.o.Logger.Info("cannot read a library now", "source", i.source, "state", state, "error", err)
	}
}

// showRead shows a reading that went well.
func (i *Importer) showRead(snap library.Snapshot, v rule.Verdict) {
	state, problem, hint := StateOK, viewing.Message{}, viewing.Message{}
	if percent := library.WatchedPercent(i.path); percent != library.UsualPercent {
		hint = viewing.Say("hint.percent", "n", fmt.Sprint(percent))
	}
	if g := v.Meta.Guard; g.On {
		state, hint = StateGuarded, viewing.Say("hint.believed")
		problem = viewing.Say("library.vanished", "before", strconv.Itoa(g.Before), "now", strconv.Itoa(g.Now))
	}
	unwatched := i.unwatched()
	i.show.Lock()
	defer i.show.Unlock()
	s := &i.status
	s.Watched, s.ReadAt, s.Unwatched = v.Meta.Watched, time.UnixMilli(v.Meta.GoodAt), unwatched
	s.Films, s.Episodes = countItems(snap)
	if !s.Importing {
		s.Import = v.Meta.Import
	}
	if s.setState(state, problem, hint) {
		i.o.Logger.Info("reading a library", "source", i.source, "state", state, "version", snap.Version,
			"films", s.Films, "episodes", s.Episodes, "watched", s.Watched)
	}
}

// unwatched lists the profiles with a library of their own that is not watched.
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
	ids := map[viewing.MediaType]map[int64]bool{viewing.Movie: {}, viewing.Episode: {}}
	for _, f := range snap.Files {
		for _, i := range f.Items {
			if !i.Extra {
				ids[i.Media.Type][i.KodiID] = true
			}
		}
	}
	return len(ids[viewing.Movie]), len(ids[viewing.Episode])
}
