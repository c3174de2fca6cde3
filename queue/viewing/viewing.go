// Package viewing is the vocabulary that sources, queue and sender share: a viewing (one
// playback of a film or an episode that reached its end), a watchlist wish, a list and an
// item of a list, all in one envelope and told apart by [Kind]; the states of an entry,
// the reasons for which one is held, and messages to people. [Event.Validate] checks the
// field rules of the service's contract before anything is queued: what it lets through
// can be told to the service, or be held with its evidence. The package looks nothing up
// and imports the standard library only.
package viewing

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Kind tells what an [Event] asks of the service.
type Kind string

// The kinds. Each is one operation of the service; all but the last are in its
// contract.
const (
	KindViewing   Kind = "viewing"   // POST /history
	KindWatchlist Kind = "watchlist" // POST /watchlist
	KindList      Kind = "list"      // POST /lists
	KindListItem  Kind = "list_item" // POST /lists/{id}/items, which a service may lack
)

// Class says how a library came to know of a viewing. Sources that see the
// playback itself leave it empty.
type Class string

// The classes of viewings of a library. All but the last are found by comparing
// two readings of it; Kodi's announcements tell a mark from a playback.
const (
	ClassLive      Class = "live"      // seen within two minutes of its end
	ClassMarked    Class = "marked"    // marked as watched, which Kodi has announced, and not played
	ClassCatchUp   Class = "catch-up"  // happened between two readings further apart
	ClassBulk      Class = "bulk"      // marked together with others in one act
	ClassBackdated Class = "backdated" // older than the reading before: an import, a restored file
	ClassReview    Class = "review"    // what was seen does not prove that, or when, it was watched
	ClassImport    Class = "import"    // from before first contact; the user has asked for it
)

// Event is what a source tells: a viewing, a wish, a list or an item of one. The queue keeps it unchanged.
type Event struct {
	// Kind is what is asked for.
	Kind Kind `json:"kind"`
	// EventID is the source's own name for this event, 1 to 200 characters.
	// Together with the kind of source it is unique for good.
	EventID string `json:"eventId"`
	// Media is what was watched: one item, or each episode of a file that
	// holds several. A list has none.
	Media []Media `json:"media,omitempty"`
	// List is set for [KindList] only.
	List *List `json:"list,omitempty"`
	// InList is the event id, of the same kind of source, of the list that the
	// item is to be put on; set for [KindListItem] only.
	InList string `json:"inList,omitempty"`
	// WatchedAt is the end of the playback; set for [KindViewing] only.
	WatchedAt Instant `json:"watchedAt,omitzero"`
	// Count is the number of viewings of each item, 1 to 100.
	Count int `json:"count,omitempty"`
	// Priority is the place on the watchlist; nil leaves it to the service.
	Priority *int `json:"priority,omitempty"`
	// Class is set by libraries only.
	Class Class `json:"class,omitempty"`
	// Unsure says that nobody but a person can tell whether, or when, it
	// happened: it is never sent by itself, whatever its class. Set by
	// libraries only.
	Unsure bool `json:"unsure,omitempty"`
	// SameAs is the event id of an earlier viewing of this source of which
	// this one is another sighting: it is kept as a witness and never sent.
	SameAs string `json:"sameAs,omitempty"`
	// Progress is what the player reported, if it did.
	Progress *Progress `json:"progress,omitempty"`
	// Origin is where it was seen.
	Origin Origin `json:"origin,omitzero"`
}

// Minutes is how long each item is, as its player or library says; 0 when unknown.
func (v Event) Minutes() int {
	seconds := float64(v.Origin.Runtime)
	if v.Progress != nil && v.Progress.Duration > 0 {
		seconds = v.Progress.Duration
	}
	if len(v.Media) == 0 || seconds > maxLength.Seconds() {
		return 0
	}
	return int(seconds/60+0.5) / len(v.Media)
}

// maxLength is how long an item may be: a stream without an end is none.
const maxLength = 24 * time.Hour

// Progress is what a player reported about one sitting, in seconds.
type Progress struct {
	Position float64 `json:"position"` // where playback ended
	Duration float64 `json:"duration"` // length of the item
	Played   float64 `json:"played"`   // time really spent playing
}

// Origin is where a source saw the playback. It is evidence for a person and
// is never sent to the service.
type Origin struct {
	Site string `json:"site,omitempty"` // a host name, or a source's own word
	URL  string `json:"url,omitempty"`  // the page, without query and fragment
	Path string `json:"path,omitempty"` // the file in the library
	// Folder is the source of the library under which the file lies, as Kodi writes it.
	Folder string `json:"folder,omitempty"`
	// Runtime is the length of the file in seconds; 0 when unknown.
	Runtime int `json:"runtime,omitempty"`
	// Genres and Tags are those of the item in the library; of an episode,
	// those of its series.
	Genres []string `json:"genres,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Note   Message  `json:"note,omitzero"` // how the source came to its verdict
}

// FillFrom takes from later news what was not known: the source of the library,
// the length, the genres and the tags.
func (o *Origin) FillFrom(later Origin) {
	o.Runtime, o.Folder = cmp.Or(o.Runtime, later.Runtime), cmp.Or(o.Folder, later.Folder)
	if len(o.Genres) == 0 {
		o.Genres = later.Genres
	}
	if len(o.Tags) == 0 {
		o.Tags = later.Tags
	}
}

// List is a list to create.
type List struct {
	Name        string `json:"name"`                  // 1 to 200 characters, not only spaces
	Description string `json:"description,omitempty"` // up to 2,000 characters
	Visibility  string `json:"visibility,omitempty"`  // PRIVATE (the default) or PUBLIC
}

// Batch is what a source hands over at once. It becomes durable whole or not
// at all.
type Batch struct {
	// Source is "kind:name", such as "browser:3f2a" or "kodi:/home/me/.kodi/userdata".
	Source string
	// Events are new, in the order they happened.
	Events []Event
	// Amendments correct earlier events of this source.
	Amendments []Amendment
	// State is the source's own memory, changed together with the events.
	// A nil value deletes its key.
	State map[string][]byte
}

// Amendment corrects an earlier event of the same source. It changes only
// entries that have not begun to leave; for others it is noted.
type Amendment struct {
	// EventID names the event.
	EventID string `json:"eventId"`
	// Media is the new identity, as long as the old one; nil keeps it.
	Media []Media `json:"media,omitempty"`
	// Origin tells with the new identity what was not known of the event's own:
	// see [Origin.FillFrom].
	Origin Origin `json:"origin,omitzero"`
	// Drop withdraws the event.
	Drop bool `json:"drop,omitempty"`
	// Class is what the event has turned out to be; "" keeps what it was. It
	// holds what waits to leave, where the user wants that class held.
	Class Class `json:"class,omitempty"`
	// NotBefore is when the event may leave at the earliest, in milliseconds
	// since 1970 in UTC; 0 keeps what it was. The user's grace counts as well.
	NotBefore int64 `json:"notBefore,omitempty"`
	// Reason is what a person is told of it.
	Reason Message `json:"reason,omitzero"`
}

// SourceKind is the part of a source's name before the colon: "browser",
// "kodi", "cli". Event ids are unique within it.
func SourceKind(source string) string {
	kind, _, _ := strings.Cut(source, ":")
	return kind
}

// Status is what became of one event of a [Batch].
type Status string

// The outcomes. Queued, duplicate and dropped mean that the source may forget
// the event; a conflict is an error of the source.
const (
	StatusQueued    Status = "queued"    // new, and on disk
	StatusDuplicate Status = "duplicate" // the same event was committed before
	StatusDropped   Status = "dropped"   // a rule of the user's leaves it out; kept for the record
	StatusConflict  Status = "conflict"  // the event id was used before with other content
)

// Outcome answers one event of a [Batch], in the batch's order.
type Outcome struct {
	EventID string
	Status  Status
	Reason  string  // for dropped: one of the reasons
	Entries []int64 // the entries it became, or became part of
	Held    string  // why an entry that it became is held: one of the reasons; "" where none is
	Joined  bool    // it became part of earlier entries alone: others saw the same playback
}

// State is where an entry of the outbox stands in its life.
type State string

// The states. Held and in doubt wait for a person or for a read-back; pending
// and sending move by themselves; the others are finished.
const (
	StatePending   State = "pending"   // waits to be sent
	StateSending   State = "sending"   // its request may be under way
	StateDelivered State = "delivered" // the service has it
	StateHeld      State = "held"      // not sent until its reason is gone
	StateInDoubt   State = "in_doubt"  // it may have arrived
	StateRejected  State = "rejected"  // the service refused the data
	StateDropped   State = "dropped"   // withdrawn; kept for the record
	StateMerged    State = "merged"    // the same playback as another entry
)

// States are all states, in the order of an entry's life.
func States() []State {
	return []State{
		StatePending, StateSending, StateDelivered, StateHeld, StateInDoubt, StateRejected, StateDropped, StateMerged,
	}
}

// Finished reports whether nothing is left to be done for an entry in s:
// delivered, rejected, dropped or merged.
func (s State) Finished() bool {
	return s == StateDelivered || s == StateRejected || s == StateDropped || s == StateMerged
}

// Valid reports whether s is one of the states.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// The reasons for which an entry is held, or was dropped. Besides these, the
// class of a viewing is a reason where the user's settings say so.
const (
	ReasonUnresolved = "unresolved" // no identifier that the service takes
	ReasonReview     = "review"     // what was seen does not prove that, or when, it was watched
	ReasonBackdated  = "backdated"  // an import or a restored file
	ReasonBulk       = "bulk"       // marked or imported together with others in one act
	ReasonFuture     = "future"     // more than five minutes ahead of this machine
	ReasonFiltered   = "filter"     // a filter of the user's
	ReasonUser       = "user"       // the user held it
	ReasonRestored   = "restored"   // the file is an older copy: it may have been sent since
	ReasonNoList     = "no_list"    // its list, or the service's id of that, is not known
	ReasonBurst      = "wave"       // told together with more than a person can watch in a minute
	ReasonApprove    = "approve"    // the user wants to approve it first
	// ReasonContradicted is for a number of its source that TMDB contradicts.
	ReasonContradicted = "contradicted"
	ReasonPaused       = "paused"   // dropped: it was watched in a pause that drops
	ReasonUntitled     = "untitled" // dropped: a video without a title, of a site where the user ignores these
)

// ReasonSeenTwice is why an entry was merged with another one of this queue.
const ReasonSeenTwice = "seen_twice"

// Reasons are all reasons that are no class, the common ones first.
func Reasons() []string {
	return []string{
		ReasonUnresolved, ReasonReview, ReasonBackdated, ReasonBulk, ReasonFuture, ReasonFiltered, ReasonUser,
		ReasonRestored, ReasonNoList, ReasonBurst, ReasonApprove, ReasonContradicted, ReasonPaused, ReasonUntitled,
	}
}

// Lane is what entries leave in. Those of one lane leave the oldest first.
type Lane int

// The lanes.
const (
	LaneLive     Lane = iota // as it was seen or asked for
	LaneBackfill             // imports: they leave when nothing live is due
)

// DefaultAccount is the name of the account of whoever names none.
const DefaultAccount = "default"

// The kinds of source, which are how the name of a source begins.
const (
	SourceBrowser = "browser" // an extension that is paired with a code
	SourceProgram = "program" // a program that posts, with a token of its own
	SourceKodi    = "kodi"    // a library, on this machine or on a server
	SourceCLI     = "cli"     // a person who typed a command
	SourceFile    = "file"    // a history file that a person gave, named by its form
)

// Sources are the kinds of source that a person can name.
func Sources() []string {
	return []string{SourceBrowser, SourceProgram, SourceKodi, SourceCLI, SourceFile}
}
