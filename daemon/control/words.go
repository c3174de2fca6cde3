package control

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/filmspool/filmspool/connector"
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
	Waves                []entry.Wave `json:"waves,omitempty"`
	OldestPendingSeconds int64        `json:"oldestPendingSeconds"` // 0 when nothing waits
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
	// Troubles are what is wrong with it, for package health. Since is when State began.
	Troubles []Problem `json:"-"`
	Since    time.Time `json:"-"`
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

// Open asks for a ticket to the pages.
type Open struct {
	// Await is a ticket; the answer comes when it is used, or at its end.
	Await string `json:"await,omitempty"`
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
