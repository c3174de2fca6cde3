package control

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Status is how an instance stands.
type Status struct {
	State    account.State `json:"state"`          // ok, offline, paused or attention
	Summary  string        `json:"summary"`        // one sentence
	Hint     string        `json:"hint,omitempty"` // a command to type
	Version  string        `json:"version"`
	Listen   string        `json:"listen,omitempty"`
	Counts   entry.Counts  `json:"counts"`
	Accounts []Account     `json:"accounts"`
	Sources  []Source      `json:"sources"`
	// Playing is what plays now, the latest news first. It is kept nowhere.
	Playing []Playing `json:"playing,omitempty"`
	// Untitled are the sites whose videos without a title are ignored.
	Untitled []string `json:"untitled,omitempty"`
	// Waves are held until a person decides: more was told at once than a person can
	// watch in a minute.
	Waves                []entry.Burst `json:"waves,omitempty"`
	OldestPendingSeconds int64         `json:"oldestPendingSeconds"` // 0 when nothing waits
	// Problems are what a person can do something about, the worst first. What another
	// one of them causes is not among them.
	Problems []Problem `json:"problems"`
	// Notices are what happened to the queue's file, until acknowledged.
	Notices []sqlite.Notice `json:"notices"`
	// Storage is why nothing can be written; absent when all is well.
	Storage *Storage `json:"storage,omitempty"`
}

// Playing is what a source plays now.
type Playing struct {
	Source   string        `json:"source"`
	Media    viewing.Media `json:"media"`
	Paused   bool          `json:"paused,omitempty"`
	At       time.Time     `json:"at"`                 // when Position was reported; when it began, without a position
	Position float64       `json:"position,omitempty"` // in seconds
	Duration float64       `json:"duration,omitempty"` // in seconds; 0 where it is not known
}

// Percent returns how much of it has been played by now; 0 where that is not known.
func (p Playing) Percent(now time.Time) int {
	if p.Duration <= 0 {
		return 0
	}
	position := p.Position
	if !p.Paused {
		position += now.Sub(p.At).Seconds()
	}
	return int(100 * min(max(position/p.Duration, 0), 1))
}

// SourceNames returns the names of sources as a person calls them, and tells several Kodi
// libraries without one apart by their folders.
func (s Status) SourceNames() map[string]string {
	names := map[string]string{}
	var libraries []string
	for _, source := range s.Sources {
		if source.Label != "" {
			names[source.Name] = source.Called()
		}
		if source.Kind == viewing.SourceKodi {
			libraries = append(libraries, source.Name)
		}
	}
	for _, name := range libraries {
		if _, path, _ := strings.Cut(name, ":"); len(libraries) > 1 && names[name] == "" {
			names[name] = "Kodi (" + filepath.Base(strings.TrimSuffix(path, "/userdata")) + ")"
		}
	}
	return names
}

// Storage is trouble with the disk or the queue's file.
type Storage struct {
	Reason  viewing.Message `json:"reason"`
	Since   time.Time       `json:"since"`
	Refused int64           `json:"refused"` // events that were not taken since
}

// NeedUser is how many entries wait for a person.
func NeedUser(c entry.Counts) int64 { return c.Held + c.InDoubt + c.Rejected }

// Account is one account at a service.
type Account struct {
	Name          string          `json:"name"`
	State         account.State   `json:"state"`           // ok, offline, paused or attention
	Reason        viewing.Message `json:"reason,omitzero"` // why it is in that state
	Hint          viewing.Message `json:"hint,omitzero"`   // what to do
	BaseURL       string          `json:"baseUrl,omitempty"`
	User          string          `json:"user,omitempty"` // whose key it is, where the service says
	LastDelivered *time.Time      `json:"lastDelivered"`
	// PausedUntil is when the user's pause ends by itself; absent for none, and for
	// one without an end.
	PausedUntil *time.Time `json:"pausedUntil,omitempty"`
	// Drops says that what is watched until then is dropped.
	Drops bool `json:"drops,omitempty"`
	// NextTry is when it is tried again; absent when nothing is planned.
	NextTry *time.Time `json:"nextTry,omitempty"`
	// Counts are its entries in each state; absent where there is one account alone.
	Counts *entry.Counts `json:"counts,omitempty"`
	// Oldest is since when the oldest of its entries waits; told only with Counts.
	Oldest time.Time `json:"-"`
	// Local says that no service was ever connected: what is watched is kept here, and
	// that is no trouble.
	Local bool `json:"local,omitempty"`
	// Unused says that it has no key, nothing waits for it, and others are used:
	// that is no trouble.
	Unused bool `json:"-"`
	// Unresolved is how many of its entries are held without an identifier.
	Unresolved int64 `json:"unresolved,omitempty"`
	// Resolves is whether the service can be asked what those are; absent as
	// long as that was not tried.
	Resolves *bool `json:"resolves,omitempty"`
	// Note is what the service does not do that was asked of it.
	Note viewing.Message `json:"note,omitzero"`
	// Troubles are what is wrong with it, for package health.
	Troubles []Problem `json:"-"`
}

// Again says when the service is asked again; nothing when that is not after now.
func (a Account) Again(now time.Time) viewing.Message {
	if a.NextTry == nil || !a.NextTry.After(now) {
		return viewing.Message{}
	}
	return viewing.Say("why.triedAt", "at", entry.Time(*a.NextTry))
}

// Source is one paired browser, one program, one library, or the command line.
type Source struct {
	Name     string        `json:"name"`
	Kind     string        `json:"kind"`
	State    account.State `json:"state"` // ok, waiting or attention
	LastSeen *time.Time    `json:"lastSeen"`
	Label    string        `json:"label,omitempty"` // the name that a person gave it
	// Details are what there is to say of it.
	Details []viewing.Message `json:"details,omitempty"`
	Hint    viewing.Message   `json:"hint,omitzero"` // what to do
	// Unread are the sites that a browser cannot read any more, by name.
	Unread []string `json:"unread,omitempty"`
	// Troubles are what is wrong with it, for package health.
	Troubles []Problem `json:"-"`
}

// Called returns what a person calls the source: "Chrome", "Kodi (living room)"; "" without
// a name.
func (s Source) Called() string {
	if s.Kind == viewing.SourceKodi && s.Label != "" {
		return "Kodi (" + s.Label + ")"
	}
	return s.Label
}

// Explanation is everything known about one entry.
type Explanation struct {
	entry.Explanation
	// Why says why the entry stands where it does.
	Why viewing.Message `json:"why,omitzero"`
	// Hint is the command that moves it on, if there is one.
	Hint viewing.Message `json:"hint,omitzero"`
	// Candidates are what an entry without an identifier may be, the likeliest first.
	Candidates []resolve.Candidate `json:"candidates,omitempty"`
}

// Login is a key to prove and keep.
type Login struct {
	Account string `json:"account"`
	BaseURL string `json:"baseUrl,omitempty"` // empty: the one that is known
	Key     string `json:"key"`
	// TMDB says that the key is a token for TMDB, and no account's.
	TMDB bool `json:"tmdb,omitempty"`
	// DryRun finds out for which address a key would be kept, and keeps nothing;
	// it needs no key.
	DryRun bool `json:"dryRun,omitempty"`
}

// LoginResult says what the service said of the key.
type LoginResult struct {
	Account string          `json:"account"`
	BaseURL string          `json:"baseUrl"`
	User    string          `json:"user,omitempty"`
	Proven  bool            `json:"proven"`
	Note    viewing.Message `json:"note,omitzero"` // when there is more to say
}

// Opened is how a browser signs in to the pages.
type Opened struct {
	URL    string `json:"url,omitempty"`    // of the pages, without a path
	Ticket string `json:"ticket,omitempty"` // good once, for 30 seconds
	Used   bool   `json:"used,omitempty"`   // somebody has signed in with the ticket
}

// About is what runs, and where its files are.
type About struct {
	Version  string `json:"version"`
	Platform string `json:"platform"` // of Go, and of the system
	Config   string `json:"config"`   // a file, which may not exist
	State    string `json:"state"`    // a folder
	Database string `json:"database"` // a file
	// Report tells somebody who helps how the instance stands, as package support
	// writes it: nothing of the person, and nothing that they watched.
	Report string `json:"report"`
}

// ClientInfo is one paired browser or one program. A program has neither
// origin nor browser.
type ClientInfo struct {
	ID       string              `json:"id"`
	Kind     string              `json:"kind"` // viewing.SourceBrowser or viewing.SourceProgram
	Label    string              `json:"label"`
	Origin   string              `json:"origin"`
	Browser  string              `json:"browser"`
	PairedAt time.Time           `json:"pairedAt"`
	LastSeen *time.Time          `json:"lastSeen"`
	LastCall *connector.LastCall `json:"lastCall,omitempty"` // of a program's hook, since the start
}

// NewProgram is a program that may post from now on.
type NewProgram struct {
	Label string `json:"label"`
	Hook  string `json:"hook,omitempty"` // the media server or player that calls; "" is a program of one's own
}

// Renaming is a source and its new name: a client by its id or a name that only one has, a
// library by its source, its folder or its name.
type Renaming struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// AddedClient is a program that was just added.
type AddedClient struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Token string `json:"token"`
	URL   string `json:"url"` // where it posts; of a hook with the token in it
	Hook  string `json:"hook,omitempty"`
	Body  string `json:"body,omitempty"` // what the sender must be told to send; "" where it knows by itself
}

// Known is t in UTC, or nil for the zero time.
func Known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Severity is how much a [Problem] hurts.
type Severity string

// The severities, the worst first.
const (
	NeedsYou Severity = "needs you" // something does not move until a person does
	Soon     Severity = "soon"      // it will stop, or comfort is lost
	Note     Severity = "note"      // good to know, and there is something to do about it
)

// Problem is a state that a person can do something about. A part of the program that has one
// names its code and what is special; package health adds the rest by its table, and writes
// the texts in a language.
type Problem struct {
	Code     string     `json:"code"` // lower case, with hyphens: "key-refused"
	Severity Severity   `json:"severity"`
	Text     string     `json:"text"` // one sentence
	Why      string     `json:"why"`  // why it matters, one sentence
	Act      Act        `json:"act"`
	Cause    *string    `json:"cause"` // the code of the problem that this one comes from; nil for none
	Since    *time.Time `json:"since"` // nil where nobody knows
	// About is what it is about where there may be several: an account, a source, a
	// notice.
	About string           `json:"about,omitempty"`
	Count int64            `json:"count,omitempty"` // how many, where that is part of it
	What  *viewing.Message `json:"what,omitempty"`  // what is known more
	After time.Duration    `json:"-"`               // how long it must last before it is told
}

// Act is what mends a problem: a verb and what it is done to.
type Act struct {
	Verb   string `json:"verb,omitempty"`
	Target string `json:"target,omitempty"`
	Text   string `json:"text"` // what to do, in words
	// Command is what to type; nil where it is not mended by this program.
	Command *string `json:"command"`
	// Page is where on the daemon's page it is mended; "" for nowhere.
	Page string `json:"page,omitempty"`
}

// The verbs that the page has a button for.
const (
	ActRetry = "retry"
	ActSeen  = "seen"
)

// What became of a [NoticeTest].
const (
	NoticeSent   = "sent"
	NoticeFailed = "failed"
	NoticeOff    = "off" // it cannot work here, and is not used
)

// NoticeTest is what became of a test by one way.
type NoticeTest struct {
	Way    string          `json:"way"`             // desktop or webhook
	State  string          `json:"state"`           // sent, failed or off
	Detail viewing.Message `json:"detail,omitzero"` // why, where it was not sent
}

// Edit is a correction of one entry.
type Edit struct {
	ID int64 `json:"id"`
	entry.Edit
}

// Fix says what the film or series of an entry is, or asks what it may be.
type Fix struct {
	ID int64 `json:"id"`
	// What is what a person typed: a number, an address, or words of a title.
	What string `json:"what,omitempty"`
	// Season and Episode are the place of an episode; nil is what What names, or leaves it as it is.
	Season  *int `json:"season,omitempty"`
	Episode *int `json:"episode,omitempty"`
	// Is is what they have chosen; nil has candidates told, and changes nothing.
	Is *resolve.Candidate `json:"is,omitempty"`
	// DryRun has it told what would be changed, and changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
}

// Fixed is what a [Fix] did, or what may be chosen.
type Fixed struct {
	Entry      entry.Entry         `json:"entry"`
	Candidates []resolve.Candidate `json:"candidates"`
	// Certain is the candidate that alone is meant; absent where that is not
	// certain, and once it is chosen.
	Certain *resolve.Candidate `json:"certain,omitempty"`
	// Searched says that candidates were looked for by words.
	Searched bool `json:"searched,omitempty"`
	// Season and Episode are the place that was given.
	Season  *int `json:"season,omitempty"`
	Episode *int `json:"episode,omitempty"`
	resolve.CorrectionResult
}

// Undo has one entry taken back.
type Undo struct {
	ID     int64 `json:"id"`
	DryRun bool  `json:"dryRun"`
}

// Pause names the account whose pause begins or ends.
type Pause struct {
	Account string `json:"account"` // empty: all
	// Until is when a pause ends by itself; zero is never.
	Until time.Time `json:"until,omitzero"`
	// Drop has what is watched until then dropped. It needs an end: a silence that
	// is forgotten would lose what is watched.
	Drop bool `json:"drop,omitempty"`
}

// Undone is what taking an entry back did, or would do in a dry run.
type Undone struct {
	entry.Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false: the service had it no more
}

// Resolution is what an item is.
type Resolution struct {
	Certain    *Certain            `json:"certain"`
	Candidates []resolve.Candidate `json:"candidates"`
	By         string              `json:"by"` // correction, memory, service, wikidata, tmdb, source or none
	Why        string              `json:"why"`
	// Trouble is why nobody could be asked, such as a pause; absent where somebody was.
	Trouble *viewing.Message `json:"trouble,omitempty"`
	// Named is the film or series that is certain, with its title; absent in identify's lines.
	Named *resolve.Candidate `json:"named,omitempty"`
	// Correction is the one that decided; absent where none did.
	Correction *resolve.Correction `json:"correction,omitempty"`
}

// Certain is an item that is certain. TMDB is an episode's series; ID is an
// episode's own number, where that alone is known.
type Certain struct {
	Type    viewing.MediaType `json:"type"`
	TMDB    int64             `json:"tmdb,omitempty"`
	Season  *int              `json:"season,omitempty"`
	Episode *int              `json:"episode,omitempty"`
	ID      int64             `json:"id,omitempty"`
}

// ResolutionOf is a decision in these words; why is its message.
func ResolutionOf(d resolve.Decision, why string) Resolution {
	r := Resolution{Candidates: append([]resolve.Candidate{}, d.Candidates...), By: "none", Why: why}
	switch {
	case d.Item == nil && len(r.Candidates) == 0:
	case d.FromCache:
		r.By = "memory"
	case d.By != "":
		r.By = strings.ToLower(strings.TrimPrefix(d.By, "the "))
	case d.Item != nil:
		r.By = "source"
	}
	if d.Item != nil {
		r.Certain, r.Named = CertainOf(*d.Item), &d.Work
	}
	return r
}

// CertainOf is an item that is identified, in these words.
func CertainOf(m viewing.Media) *Certain {
	switch {
	case m.Placed():
		return &Certain{Type: m.Type, TMDB: m.Show.IDs.TMDB, Season: m.Season, Episode: m.Episode}
	case m.Type == viewing.Episode:
		return &Certain{Type: m.Type, ID: m.IDs.TMDB}
	default:
		return &Certain{Type: m.Type, TMDB: m.IDs.TMDB}
	}
}

// KodiImport says what to import.
type KodiImport struct {
	DryRun bool      `json:"dryRun"`
	NFO    string    `json:"nfo,omitempty"`  // read NFO files below this absolute path, or this videodb.xml, in place of the libraries
	Since  time.Time `json:"since,omitzero"` // leave out what ended before
	// Yes imports though a service cannot be asked what it has already.
	Yes bool `json:"yes"`
}

// KodiImported is what an import has handed over, or would hand over.
type KodiImported struct {
	DryRun    bool           `json:"dryRun"`
	Libraries []kodi.Preview `json:"libraries"`
	Services  []KodiService  `json:"services"`
	// NeedsYes says that something would be sent to a service that cannot be
	// asked what it has already.
	NeedsYes bool `json:"needsYes"`
	// SendSeconds is about how long the sending takes; 0 when nothing slows it.
	SendSeconds int64 `json:"sendSeconds"`
}

// Plays is how many viewings are, or would be, handed over.
func (i KodiImported) Plays() (n int) {
	for _, l := range i.Libraries {
		n += l.Plays()
	}
	return n
}

// KodiService is whether an account's service tells what it has.
type KodiService struct {
	Account  string          `json:"account"`
	Readable bool            `json:"readable"`
	Reason   viewing.Message `json:"reason,omitzero"` // why not
}

// KodiProgress is how far one import has come.
type KodiProgress struct {
	Userdata  string    `json:"userdata"`
	Running   bool      `json:"running"`
	Done      int       `json:"done"`  // events that are on disk
	Total     int       `json:"total"` // events in all
	StartedAt time.Time `json:"startedAt"`
}

// Settings are those that are safe to change while the program runs.
type Settings struct {
	File string `json:"file"` // config.toml, which may not exist
	// Problem is why a change of the file was refused. The settings of before count on.
	Problem  []viewing.Message `json:"problem,omitempty"`
	Settings []config.Setting  `json:"settings"`
}

// Set asks for a change of one setting.
type Set struct {
	Key string `json:"key"`
	// Value is text, a number, or true or false. A number may be sent as text, too.
	// Null gives the setting back its default.
	Value any `json:"value"`
}

// SetDone is a setting before and after its change.
type SetDone struct {
	Setting config.Setting `json:"setting"` // as it is now
	Was     any            `json:"was"`     // its value before
	Changed bool           `json:"changed"`
}

// UntitledSite is a site, and whether its videos without a title are ignored.
type UntitledSite struct {
	Site    string `json:"site"`
	Ignored bool   `json:"ignored"`
}
