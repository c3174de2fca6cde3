package kodi

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/plainfile"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/kodi/scan"
	"github.com/filmspool/filmspool/kodi/snapshot"
	"github.com/filmspool/filmspool/kodi/watch"
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
	Summary  string    // one sentence
	Hint     string    // what to do, if anything
	Deaf     string    // why changes are found by looking now and then, a clause; "" when events tell of them
	Films    int       // in the library
	Episodes int       // in the library
	Watched  int       // files with a play count
	ReadAt   time.Time // last good reading
	// Import is an import under way or, while Importing is false, one that was
	// cut short; another one goes on with it.
	Import    rule.Import
	Importing bool
	// Watchlist is what has the tag for the watchlist, a clause; "" without a
	// tag.
	Watchlist string
	// Clock says that Kodi's clock seems to be wrong, a clause; "" as long as it
	// seems right.
	Clock string
	// Announcements is whether Kodi is heard announce what it plays.
	Announcements scan.Hearing
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
	s.Announcements = i.hearing()
	if !strings.HasPrefix(s.Database, serverPath) { // that one is never heard of
		s.Deaf = i.ears.Deaf
	}
	if s.Deaf != "" && s.State == StateOK {
		s.Hint = cmp.Or(s.Hint, i.ears.Hint)
	}
	return s
}

// hearing is whether Kodi is heard announce what it plays.
func (i *Importer) hearing() scan.Hearing {
	switch {
	case i.kodi == nil:
		return scan.Off
	case i.kodi.Heard():
		return scan.Heard
	default:
		return scan.Silent
	}
}

// serverPath begins the name of a library on a server.
const serverPath = "mysql://"

// hear takes in how changes are heard of.
func (i *Importer) hear(e watch.Ears) {
	i.show.Lock()
	defer i.show.Unlock()
	i.ears = e
}

var (
	errStorage = errors.New("keep viewings")
	errEmptied = errors.New("the library has lost all its files")
)

// complaint is the status of an error.
type complaint struct {
	cause                error
	state, summary, hint string
}

// complaints gives each known error its words.
func complaints() []complaint {
	return []complaint{
		{library.ErrMySQL, StateMySQL, "This Kodi keeps its library in a MySQL server, but how to reach it is not known.", "see <videodatabase> in advancedsettings.xml; Kodi needs host, user and pass there. A password may also lie in the state folder: keys/kodi-mysql-USER"},
		{library.ErrShared, StateShared, "Another folder leads to the same library; what is watched in it is told there.", "take one of the two out of the configuration"},
		{library.ErrServerAway, StateUnreachable, "The server of Kodi's library does not answer; asking again soon.", ""},
		{library.ErrServerRefused, StateDenied, "The server of Kodi's library refuses this user.", "see user and pass of <videodatabase> in advancedsettings.xml"},
		{library.ErrNotFound, StateWaiting, "Waiting for Kodi's library to appear.", "check that the userdata folder is right"},
		{library.ErrEmpty, StateWaiting, "Waiting for Kodi to make its library.", "start Kodi once; on a database server, let this user read it"},
		{library.ErrUpgrading, StateUpgrading, "Kodi is upgrading its library; reading goes on when it has finished.", "if Kodi was stopped meanwhile, start it again"},
		{library.ErrBusy, StateBusy, "Kodi is writing to its library; reading again soon.", ""},
		{library.ErrHotJournal, StateInterrupted, "A write to the library was interrupted; Kodi repairs it at its next start.", "start Kodi once"},
		{library.ErrReadOnlyDir, StateDenied, "An add-on has switched the library to a mode that needs write access to its folder.", "run this service as the user who runs Kodi"},
		{library.ErrPermission, StateDenied, "The library may not be read by this user.", "run this service as the user who runs Kodi"},
		{plainfile.ErrOdd, StateOdd, "What stands in the place of a file of Kodi's is no file, so it is not opened.", "the log names it: put the file back, or take the source out of the configuration"},
		{library.ErrNotDatabase, StateDamaged, "The library file is damaged or no database.", "let Kodi repair or rebuild its library"},
		{library.ErrUnsupported, StateUnsupported, "This version of Kodi's library is not known yet.", "look for a newer version of this program"},
		{errEmptied, StateEmpty, "The library has lost all its files; what was known of it is kept.", "scan the library in Kodi"},
		{errGuarded, StateGuarded, "Most of the library has vanished: what is left of it is not imported.", "if that is right, it is believed after a day; else scan the library in Kodi"},
		{errImporting, StateBusy, "An import of this library is under way already.", "wait for it: filmspool status"},
		{errStorage, StateStorage, "What was found could not be put on disk; it will be tried again.", "check the disk of the state folder"},
	}
}

// complain finds the words for an error.
func complain(err error) complaint {
	for _, c := range complaints() {
		if errors.Is(err, c.cause) {
			return c
		}
	}
	return complaint{err, StateFailed, "The library could not be read; trying again.", "see the log"}
}

// trouble shows why a reading failed. The log hears of it when it is new.
func (i *Importer) trouble(err error) {
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
	i.status.State, i.status.Summary, i.status.Hint = c.state, c.summary, c.hint
	i.marked = time.Time{}
}

// good shows a reading that went well.
func (i *Importer) good(snap snapshot.Snapshot, v rule.Verdict) {
	s := Status{
		Userdata: i.path, Database: snap.Path, Version: snap.Version, State: StateOK,
		Summary: "Watching for new viewings.", Watched: v.Meta.Watched, ReadAt: time.UnixMilli(v.Meta.GoodAt),
	}
	s.Films, s.Episodes = countItems(snap)
	if v.Meta.Guard.On {
		s.State = StateGuarded
		s.Summary = fmt.Sprintf("Most of the library has vanished (%d files were watched, now %d); what was known of it is kept.", v.Meta.Guard.Before, v.Meta.Guard.Now)
		s.Hint = "if that is right, it is believed after a day"
	}
	s.Unwatched = i.unwatched()
	if percent := watchedAt(i.path); percent != usualPercent && s.Hint == "" {
		s.Hint = fmt.Sprintf("this Kodi counts a playback from %g %% on (playcountminimumpercent)", percent)
	}
	var hint string
	s.Clock, hint = v.Meta.Clock.Words()
	s.Hint = cmp.Or(s.Hint, hint)
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
	i.mark, i.marked = snap.Mark, time.Now()
}

// maxSettings bounds what is read of advancedsettings.xml, in bytes.
const maxSettings = 1 << 20

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

// usualPercent is how far Kodi must have played, if not set otherwise.
const usualPercent = 90

// watchedAt reads from advancedsettings.xml how far Kodi must play, in
// percent, to count a playback.
func watchedAt(userdata string) float64 {
	f, err := plainfile.Open(filepath.Join(userdata, "advancedsettings.xml"))
	if err != nil {
		return usualPercent
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSettings))
	if err != nil {
		return usualPercent
	}
	var settings struct {
		Percent string `xml:"video>playcountminimumpercent"`
	}
	if err := xml.Unmarshal(text, &settings); err != nil {
		return usualPercent
	}
	percent, err := strconv.ParseFloat(strings.TrimSpace(settings.Percent), 64)
	if err != nil {
		return usualPercent
	}
	return percent
}
