package control

import (
	"path/filepath"
	"slices"
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

// Status is the status of an instance.
type Status struct {
	State    account.State `json:"state"`          // ok, offline, paused or attention
	Summary  string        `json:"summary"`        // one sentence
	Hint     string        `json:"hint,omitempty"` // a command to type
	Version  string        `json:"version"`
	Listen   string        `json:"listen,omitempty"`
	Counts   entry.Counts  `json:"counts"`
	Accounts []Account     `json:"accounts"`
	Sources  []Source      `json:"sources"`
	// Playing are the current playbacks, the most recently updated first. They are not stored.
	Playing []Playing `json:"playing,omitempty"`
	// Untitled are the sites on which videos without a title are ignored.
	Untitled []string `json:"untitled,omitempty"`
	// Bursts are held bursts: a source reported more viewings at once than a person can watch in a
	// minute.
	Bursts               []entry.Burst `json:"bursts,omitempty"`
	OldestPendingSeconds int64         `json:"oldestPendingSeconds"` // 0 if nothing is pending
	// Problems are the problems that the user can do something about, the most severe first,
	// without those that another problem causes.
	Problems []Problem `json:"problems"`
	// Notices are events of the queue's file, until they are acknowledged.
	Notices []sqlite.Notice `json:"notices"`
	// Storage is the reason why nothing can be written; absent if writing works.
	Storage *Storage `json:"storage,omitempty"`
}

// Playing is a playback that a source reports.
type Playing struct {
	Source   string        `json:"source"`
	Media    viewing.Media `json:"media"`
	Paused   bool          `json:"paused,omitempty"`
	At       time.Time     `json:"at"`                 // time of Position, or of the start without a position
	Position float64       `json:"position,omitempty"` // in seconds
	Duration float64       `json:"duration,omitempty"` // in seconds; 0 if unknown
}

// Percent returns how much has been played by now, or 0 if unknown.
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

// SourceNames returns the display names of sources. Several Kodi libraries without a name are
// distinguished by their folders.
func (s Status) SourceNames() map[string]string {
	names := map[string]string{}
	var libraries []string
	for _, source := range s.Sources {
		if source.Label != "" {
			names[source.Name] = source.DisplayName()
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

// Storage is a problem with the disk or the queue's file.
type Storage struct {
	Reason  viewing.Message `json:"reason"`
	Since   time.Time       `json:"since"`
	Refused int64           `json:"refused"` // events refused since then
}

// NeedUser returns how many entries need the user. In a local account, entries without an
// identifier do not, because nothing is sent.
func (s *Status) NeedUser() int64 {
	return s.Counts.Held + s.Counts.InDoubt + s.Counts.Rejected - s.LocalUnresolved()
}

// LocalUnresolved returns how many entries of local accounts have no identifier.
func (s *Status) LocalUnresolved() (n int64) {
	for _, a := range s.Accounts {
		if a.Local {
			n += a.Unresolved
		}
	}
	return n
}

// IsLocal reports whether no account in use has a service.
func (s *Status) IsLocal() bool {
	return !slices.ContainsFunc(s.Accounts, func(a Account) bool { return !a.Unused && !a.Local })
}

// Account is one account at a service.
type Account struct {
	Name          string          `json:"name"`
	State         account.State   `json:"state"`           // ok, offline, paused or attention
	Reason        viewing.Message `json:"reason,omitzero"` // why it is in that state
	Hint          viewing.Message `json:"hint,omitzero"`   // what to do
	BaseURL       string          `json:"baseUrl,omitempty"`
	User          string          `json:"user,omitempty"` // the key's user, if the service reports it
	LastDelivered *time.Time      `json:"lastDelivered"`
	// PausedUntil is the end of the user's pause; absent without a pause or without an end.
	PausedUntil *time.Time `json:"pausedUntil,omitempty"`
	// Drops means that viewings are dropped during the pause.
	Drops bool `json:"drops,omitempty"`
	// NextTry is the time of the next attempt; absent if none is planned.
	NextTry *time.Time `json:"nextTry,omitempty"`
	// Counts are its entries by state; absent if there is only one account.
	Counts *entry.Counts `json:"counts,omitempty"`
	// Oldest is the time of its oldest pending entry. It is set together with Counts.
	Oldest time.Time `json:"-"`
	// Local means that no service was ever connected: viewings are only stored here, which is not a
	// problem.
	Local bool `json:"local,omitempty"`
	// Unused means that the account has no key and no pending entries while others are used, which
	// is not a problem.
	Unused bool `json:"-"`
	// Unresolved is how many of its entries are held without an identifier.
	Unresolved int64 `json:"unresolved,omitempty"`
	// Resolves says whether the service can identify items; absent if that is unknown.
	Resolves *bool `json:"resolves,omitempty"`
	// Note is a limitation of the service.
	Note viewing.Message `json:"note,omitzero"`
	// Troubles are its problems, for package health.
	Troubles []Problem `json:"-"`
}

// NextTryMessage says when the service is tried again. It is empty if that is not in the future.
func (a Account) NextTryMessage(now time.Time) viewing.Message {
	if a.NextTry == nil || !a.NextTry.After(now) {
		return viewing.Message{}
	}
	return viewing.Say("why.triedAt", "at", entry.Time(*a.NextTry))
}

// Source is a paired browser, a program, a Kodi library or a provider.
type Source struct {
	Name     string        `json:"name"`
	Kind     string        `json:"kind"`
	State    account.State `json:"state"` // ok, waiting or attention
	LastSeen *time.Time    `json:"lastSeen"`
	Label    string        `json:"label,omitempty"` // the user's name for it
	// Details are further facts about it.
	Details []viewing.Message `json:"details,omitempty"`
	Hint    viewing.Message   `json:"hint,omitzero"` // what to do
	// Unread are the sites that a browser can no longer read, sorted.
	Unread []string `json:"unread,omitempty"`
	// Troubles are its problems, for package health.
	Troubles []Problem `json:"-"`
}

// DisplayName returns the user's name for the source: "Chrome", "Kodi (living room)". It may be
// "".
func (s Source) DisplayName() string {
	if s.Kind == viewing.SourceKodi && s.Label != "" {
		return "Kodi (" + s.Label + ")"
	}
	return s.Label
}

// Explanation is everything known about one entry.
type Explanation struct {
	entry.Explanation
	// Why is the reason for the state of the entry.
	Why viewing.Message `json:"why,omitzero"`
	// Hint is the command that moves it on, if there is one.
	Hint viewing.Message `json:"hint,omitzero"`
	// Candidates are what an entry without an identifier may be, the most likely first.
	Candidates []resolve.Candidate `json:"candidates,omitempty"`
}

// Login is a key to check and store.
type Login struct {
	Account string `json:"account"`
	BaseURL string `json:"baseUrl,omitempty"` // empty: the current one
	Key     string `json:"key"`
	// TMDB means that the key is a token for TMDB, not of an account.
	TMDB bool `json:"tmdb,omitempty"`
	// DryRun finds out for which address a key would be kept, and keeps nothing;
	// it needs no key.
	DryRun bool `json:"dryRun,omitempty"`
}

// LoginResult is the service's answer about a key.
type LoginResult struct {
	Account string          `json:"account"`
	BaseURL string          `json:"baseUrl"`
	User    string          `json:"user,omitempty"`
	Proven  bool            `json:"proven"`
	Note    viewing.Message `json:"note,omitzero"` // an additional remark
}

// Opened contains what a browser needs to sign in to the pages.
type Opened struct {
	URL    string `json:"url,omitempty"`    // of the pages, without a path
	Ticket string `json:"ticket,omitempty"` // valid once, for 30 seconds
	Used   bool   `json:"used,omitempty"`   // a browser has signed in with the ticket
}

// About describes the program and its files.
type About struct {
	Version  string `json:"version"`
	Platform string `json:"platform"` // Go version, system and architecture
	Config   string `json:"config"`   // a file, which may not exist
	State    string `json:"state"`    // a folder
	Database string `json:"database"` // a file
	// Report describes the instance for helpers, as package health writes it: without personal data
	// and titles.
	Report string `json:"report"`
}

// ClientInfo is a paired browser or a program. A program has neither origin nor browser.
type ClientInfo struct {
	ID       string              `json:"id"`
	Kind     string              `json:"kind"` // viewing.SourceBrowser or viewing.SourceProgram
	Label    string              `json:"label"`
	Origin   string              `json:"origin"`
	Browser  string              `json:"browser"`
	PairedAt time.Time           `json:"pairedAt"`
	LastSeen *time.Time          `json:"lastSeen"`
	LastCall *connector.LastCall `json:"lastCall,omitempty"` // last call of a program's hook since the start
}

// NewProgram is a program to register.
type NewProgram struct {
	Label string `json:"label"`
	Hook  string `json:"hook,omitempty"` // the media server or player that calls; "" for other programs
}

// Renaming is a source and its new name. ID is a client's id or unique label, or a library's
// source name, folder or name.
type Renaming struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// AddedClient is a registered program.
type AddedClient struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Token string `json:"token"`
	URL   string `json:"url"` // address for its requests; that of a hook contains the token
	Hook  string `json:"hook,omitempty"`
	Body  string `json:"body,omitempty"` // the body to configure in the sender; "" if it has a fixed one
}

// OptionalTime returns t in UTC, or nil for the zero time.
func OptionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Severity says how serious a [Problem] is.
type Severity string

// The severities, the worst first.
const (
	NeedsYou Severity = "needs you" // something stands still until the user acts
	Soon     Severity = "soon"      // something will fail later, or a feature is missing
	Note     Severity = "note"      // information with a possible action
)

// Problem is a condition that the user can do something about. The part of the program that
// detects it sets the code and the details; package health adds the rest from its table and
// renders the texts.
type Problem struct {
	Code     string     `json:"code"` // lower case, with hyphens: "key-refused"
	Severity Severity   `json:"severity"`
	Text     string     `json:"text"` // one sentence
	Why      string     `json:"why"`  // why it matters, one sentence
	Act      Act        `json:"act"`
	Cause    *string    `json:"cause"` // code of the problem that causes it; may be nil
	Since    *time.Time `json:"since"` // nil if unknown
	// About is the affected account, source or notice, if there may be several.
	About string           `json:"about,omitempty"`
	Count int64            `json:"count,omitempty"` // number of entries, if relevant
	What  *viewing.Message `json:"what,omitempty"`  // further details
	After time.Duration    `json:"-"`               // how long it must last before it is reported
}

// Act is the remedy of a problem: a verb and its target.
type Act struct {
	Verb   string `json:"verb,omitempty"`
	Target string `json:"target,omitempty"`
	Text   string `json:"text"` // instruction for the user
	// Command is the command to type; nil if this program has none.
	Command *string `json:"command"`
	// Page is the path of the page for it; may be "".
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
	NoticeOff    = "off" // it cannot work here and is not used
)

// NoticeTest is the result of a test notice through one channel.
type NoticeTest struct {
	Way    string          `json:"way"`             // desktop or webhook
	State  string          `json:"state"`           // sent, failed or off
	Detail viewing.Message `json:"detail,omitzero"` // why it was not sent
}

// Edit is a correction of one entry.
type Edit struct {
	ID int64 `json:"id"`
	entry.Edit
}

// Fix sets the film or series of an entry, or asks for candidates.
type Fix struct {
	ID int64 `json:"id"`
	// What is the user's text: a number, an address, or words of a title.
	What string `json:"what,omitempty"`
	// Season and Episode are the numbers of an episode; nil means those in What, else the current ones.
	Season  *int `json:"season,omitempty"`
	Episode *int `json:"episode,omitempty"`
	// Is is the chosen candidate; if nil, candidates are returned and nothing is changed.
	Is *resolve.Candidate `json:"is,omitempty"`
	// DryRun returns what would be changed, and changes nothing.
	DryRun bool `json:"dryRun,omitempty"`
}

// Fixed is the result of a [Fix], or the candidates to choose from.
type Fixed struct {
	Entry      entry.Entry         `json:"entry"`
	Candidates []resolve.Candidate `json:"candidates"`
	// Certain is the only possible candidate; absent if there are several, or after the choice.
	Certain *resolve.Candidate `json:"certain,omitempty"`
	// Searched means that candidates were searched by title.
	Searched bool `json:"searched,omitempty"`
	// Season and Episode are the requested numbers.
	Season  *int `json:"season,omitempty"`
	Episode *int `json:"episode,omitempty"`
	resolve.CorrectionResult
}

// Undo asks to delete one delivered viewing at the service.
type Undo struct {
	ID     int64 `json:"id"`
	DryRun bool  `json:"dryRun"`
}

// Pause selects the account to pause or resume.
type Pause struct {
	Account string `json:"account"` // empty: all
	// Until is the end of a pause; zero for none.
	Until time.Time `json:"until,omitzero"`
	// Drop drops what is watched during the pause. It needs an end: a forgotten pause would lose
	// viewings.
	Drop bool `json:"drop,omitempty"`
}

// Undone is the result of an [Undo], or what it would do in a dry run.
type Undone struct {
	entry.Entry
	DryRun  bool `json:"dryRun"`
	Removed bool `json:"removed"` // false if the service no longer had it
}

// Resolution is the result of identifying an item.
type Resolution struct {
	Certain    *Certain            `json:"certain"`
	Candidates []resolve.Candidate `json:"candidates"`
	By         string              `json:"by"` // correction, memory, service, wikidata, tmdb, source or none
	Why        string              `json:"why"`
	// Trouble is the reason if no provider could be asked, such as a pause.
	Trouble *viewing.Message `json:"trouble,omitempty"`
	// Named is the certain film or series with its title. It is omitted in the output of
	// "identify".
	Named *resolve.Candidate `json:"named,omitempty"`
	// Correction is the correction that was applied, if any.
	Correction *resolve.Correction `json:"correction,omitempty"`
}

// Certain is an identified item. TMDB is the number of a film or of an episode's series; ID is an
// episode's own number if only that is known.
type Certain struct {
	Type    viewing.MediaType `json:"type"`
	TMDB    int64             `json:"tmdb,omitempty"`
	Season  *int              `json:"season,omitempty"`
	Episode *int              `json:"episode,omitempty"`
	ID      int64             `json:"id,omitempty"`
}

// ResolutionOf converts a decision; why is its text.
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

// CertainOf converts an identified item.
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

// KodiImport selects what to import.
type KodiImport struct {
	DryRun bool      `json:"dryRun"`
	NFO    string    `json:"nfo,omitempty"`  // absolute path of a folder with NFO files or of a videodb.xml, to read instead of the libraries
	Since  time.Time `json:"since,omitzero"` // ignore earlier viewings
	// Yes confirms an import although the history of a service cannot be read.
	Yes bool `json:"yes"`
}

// KodiImported is the result of an import, or what it would do.
type KodiImported struct {
	DryRun    bool           `json:"dryRun"`
	Libraries []kodi.Preview `json:"libraries"`
	Services  []KodiService  `json:"services"`
	// NeedsYes means that viewings would be sent to a service with an unreadable history.
	NeedsYes bool `json:"needsYes"`
	// SendSeconds is the approximate duration of the sending; 0 without a rate limit.
	SendSeconds int64 `json:"sendSeconds"`
}

// Plays returns how many viewings are, or would be, imported.
func (i KodiImported) Plays() (n int) {
	for _, l := range i.Libraries {
		n += l.Plays()
	}
	return n
}

// KodiService says whether the history of an account's service is readable.
type KodiService struct {
	Account  string          `json:"account"`
	Readable bool            `json:"readable"`
	Reason   viewing.Message `json:"reason,omitzero"` // why it is not readable
}

// KodiProgress is the progress of one import.
type KodiProgress struct {
	Userdata  string    `json:"userdata"`
	Running   bool      `json:"running"`
	Done      int       `json:"done"`  // events on disk
	Total     int       `json:"total"` // events in all
	StartedAt time.Time `json:"startedAt"`
}

// Settings are the settings that can be changed while the program runs.
type Settings struct {
	File string `json:"file"` // config.toml, which may not exist
	// Problem is why the last change of the file was refused. The previous settings stay in use.
	Problem  []viewing.Message `json:"problem,omitempty"`
	Settings []config.Setting  `json:"settings"`
}

// Set is a request to change one setting.
type Set struct {
	Key string `json:"key"`
	// Value is a text, number or boolean. A number may be sent as a text. Null restores the
	// default.
	Value any `json:"value"`
}

// SetDone is a setting before and after its change.
type SetDone struct {
	Setting config.Setting `json:"setting"` // as it is now
	Was     any            `json:"was"`     // its value before
	Changed bool           `json:"changed"`
}

// UntitledSite says whether videos without a title are ignored on a site.
type UntitledSite struct {
	Site    string `json:"site"`
	Ignored bool   `json:"ignored"`
}
