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
	StateOK          = "ok"          // read and watched
	StateGuarded     = "guarded"     // most of the library has vanished: falling counts are ignored
	StateWaiting     = "waiting"     // no folder or no library yet
	StateBusy        = "busy"        // Kodi is writing
	StateUpgrading   = "upgrading"   // Kodi is upgrading the library
	StateInterrupted = "interrupted" // Kodi must undo a broken write first
	StateEmpty       = "empty"       // the library has lost all its files
	StateUnsupported = "unsupported" // unknown schema
	StateMySQL       = "mysql"       // host, user or password of the library's server is missing
	StateUnreachable = "unreachable" // the library's server does not answer
	StateShared      = "shared"      // another folder leads to the same library
	StateDenied      = "denied"      // this user may not read it
	StateDamaged     = "damaged"     // the file is damaged or not a database
	StateStorage     = "storage"     // our own database failed
	StateFailed      = "failed"      // anything else
)

// Status describes an importer for the user.
type Status struct {
	Userdata string    // absolute
	State    string    // one of the State constants
	Since    time.Time // start of that state
	// Problem says why the library cannot be read, if so. Hint says what to do.
	Problem, Hint viewing.Message
	Films         int       // in the library
	Episodes      int       // in the library
	Watched       int       // files with a play count
	ReadAt        time.Time // last successful read
	// Import is the running import, or an interrupted one if Importing is false. The next
	// import continues it.
	Import    rule.Import
	Importing bool
	// Watchlist says how many items have a tag; empty without configured tags.
	Watchlist viewing.Message
	// Announcing reports whether announcements of this Kodi are received.
	Announcing bool
	// Reporters are add-ons of this Kodi that report to the same service.
	Reporters []string
	// Unwatched lists the names and folders of profiles of this Kodi with a library of their
	// own that is not watched.
	Unwatched []string
	// Writers are add-ons of this Kodi that write playbacks of other devices into the library.
	Writers []string
}

// Status returns the current status.
func (i *Importer) Status() Status {
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	s := i.status
	_, since := i.listener.Updates()
	s.Announcing = !since.IsZero()
	return s
}

var (
	errStorage      = errors.New("store viewings")
	errEmptyLibrary = errors.New("the library has lost all its files")
)

// errorTexts maps each known error to its state, problem and hint.
var errorTexts = []struct {
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
	{errEmptyLibrary, StateEmpty, "emptied", "scanInKodi"},
	{errGuarded, StateGuarded, "vanishedImport", "believedElse"},
	{errImporting, StateBusy, "importRuns", "waitForImport"},
	{errStorage, StateStorage, "notKept", "checkDisk"},
}

// describeError returns the state, problem and hint of an error.
func describeError(err error) (state string, problem, hint viewing.Message) {
	for _, c := range errorTexts {
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

// setState sets the state and reports whether it changed.
func (s *Status) setState(state string, problem, hint viewing.Message) (changed bool) {
	if changed = s.State != state; changed {
		s.State, s.Since = state, time.Now()
	}
	s.Problem, s.Hint = problem, hint
	return changed
}

// showError shows why a read failed, and logs it if the state changed.
func (i *Importer) showError(err error) {
	state, problem, hint := describeError(err)
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	if i.memory != nil && i.memory.Meta.VerifiedAt > 0 {
		i.status.ReadAt = time.UnixMilli(i.memory.Meta.VerifiedAt) // it may be from before a restart
	}
	if i.status.setState(state, problem, hint) {
		i.options.Logger.Info("cannot read a library now", "source", i.source, "state", state, "error", err)
	}
}

// showRead shows the result of a successful read.
func (i *Importer) showRead(snap library.Snapshot, v rule.Verdict) {
	state, problem, hint := StateOK, viewing.Message{}, viewing.Message{}
	if percent := library.WatchedPercent(i.path); percent != library.DefaultPercent {
		hint = viewing.Say("hint.percent", "n", fmt.Sprint(percent))
	}
	if g := v.Meta.Guard; g.On {
		state, hint = StateGuarded, viewing.Say("hint.believed")
		problem = viewing.Say("library.vanished", "before", strconv.Itoa(g.Before), "now", strconv.Itoa(g.Now))
	}
	unwatched := i.unwatchedProfiles()
	i.statusMu.Lock()
	defer i.statusMu.Unlock()
	s := &i.status
	s.Watched, s.ReadAt, s.Unwatched = v.Meta.Watched, time.UnixMilli(v.Meta.VerifiedAt), unwatched
	s.Films, s.Episodes = countItems(snap)
	if !s.Importing {
		s.Import = v.Meta.Import
	}
	if s.setState(state, problem, hint) {
		i.options.Logger.Info("reading a library", "source", i.source, "state", state, "version", snap.Version,
			"films", s.Films, "episodes", s.Episodes, "watched", s.Watched)
	}
}

// unwatchedProfiles lists profiles that have an unwatched library of their own.
func (i *Importer) unwatchedProfiles() (names []string) {
	profiles, err := library.Profiles(i.path)
	if err != nil || i.options.Watched == nil {
		return nil
	}
	for _, p := range profiles {
		if p.Own && !slices.Contains(i.options.Watched, filepath.Clean(p.Userdata)) {
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
