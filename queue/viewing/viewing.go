// Package viewing defines the vocabulary that sources, queue and sender share. An [Event] is a
// viewing (one completed playback of a film or an episode), a watchlist entry, a list, or an item
// of a list, distinguished by [Kind]. The package also defines the states of an entry, the
// reasons for which one is held, and messages to people. [Event.Validate] checks the field rules
// of the service's contract before anything is queued. The package makes no requests and imports
// the standard library only.
package viewing

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Kind is what an [Event] requests from the service.
type Kind string

// The kinds. Each is one operation of the service; all but the last are part of its
// contract.
const (
	KindViewing   Kind = "viewing"   // POST /history
	KindWatchlist Kind = "watchlist" // POST /watchlist
	KindList      Kind = "list"      // POST /lists
	KindListItem  Kind = "list_item" // POST /lists/{id}/items, which not every service has
)

// Class is how a library detected a viewing. Sources that observe the playback itself leave it
// empty.
type Class string

// The classes of viewings of a library. All but the last result from comparing two reads
// of the library; Kodi's announcements distinguish a mark from a playback.
const (
	ClassLive      Class = "live"      // detected within two minutes of its end
	ClassMarked    Class = "marked"    // marked as watched without a playback, as Kodi announced
	ClassCatchUp   Class = "catch-up"  // ended between two reads that were further apart
	ClassBulk      Class = "bulk"      // marked together with others in one action
	ClassBackdated Class = "backdated" // older than the previous read: an import or a restored file
	ClassReview    Class = "review"    // the data does not prove that, or when, it was watched
	ClassImport    Class = "import"    // from before the first read; imported on the user's request
)

// Event is what a source reports: a viewing, a watchlist entry, a list or an item of a list. The
// queue stores it unchanged.
type Event struct {
	// Kind is what the event requests.
	Kind Kind `json:"kind"`
	// EventID is the source's own id of this event, 1 to 200 characters. It must be
	// unique for the kind of source and is never reused.
	EventID string `json:"eventId"`
	// Media are the items: one, or each episode of a file that contains several. A list
	// has none.
	Media []Media `json:"media,omitempty"`
	// List is set for [KindList] only.
	List *List `json:"list,omitempty"`
	// InList is the event id of the list to which the item is added; set for
	// [KindListItem] only. The list's event is of the same kind of source, or of any kind
	// if this event is of [SourceCLI].
	InList string `json:"inList,omitempty"`
	// WatchedAt is the end of the playback; set for [KindViewing] only.
	WatchedAt Instant `json:"watchedAt,omitzero"`
	// Count is the number of viewings of each item, 1 to 100.
	Count int `json:"count,omitempty"`
	// Priority is the position on the watchlist; nil leaves it to the service.
	Priority *int `json:"priority,omitempty"`
	// Class is set by libraries only.
	Class Class `json:"class,omitempty"`
	// Unsure means that only a person can know whether, or when, it was watched: it is
	// never sent automatically, whatever its class. Set by libraries only.
	Unsure bool `json:"unsure,omitempty"`
	// SameAs is the event id of an earlier viewing that this source reports again. This
	// event becomes a sighting of its entries and is not sent.
	SameAs string `json:"sameAs,omitempty"`
	// Progress is what the player reported; nil if it did not.
	Progress *Progress `json:"progress,omitempty"`
	// Origin describes where the playback was observed.
	Origin Origin `json:"origin,omitzero"`
}

// Minutes returns the length of each item as its player or library reported it; 0 if unknown.
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

// maxLength is the longest plausible length of an item; an endless stream may report more.
const maxLength = 24 * time.Hour

// Progress is what a player reported about one playback, in seconds.
type Progress struct {
	Position float64 `json:"position"` // where playback ended
	Duration float64 `json:"duration"` // length of the item
	Played   float64 `json:"played"`   // time actually spent playing
}

// Origin describes where a source observed the playback. It is shown to people and never sent to
// the service.
type Origin struct {
	Site string `json:"site,omitempty"` // a host name, or a name that the source chose
	URL  string `json:"url,omitempty"`  // the page, without query and fragment
	Path string `json:"path,omitempty"` // the file in the library
	// Folder is the root folder of the library that contains the file, as Kodi writes it.
	Folder string `json:"folder,omitempty"`
	// Runtime is the length of the file in seconds; 0 if unknown.
	Runtime int `json:"runtime,omitempty"`
	// Genres and Tags are those of the item in the library, for an episode those of its
	// series.
	Genres []string `json:"genres,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Note   Message  `json:"note,omitzero"` // how the source reached its conclusion
}

// FillFrom copies from a later origin the runtime, folder, genres and tags that are missing.
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

// Batch is what a source commits in one transaction.
type Batch struct {
	// Source is the name of the source, "kind:name", such as "browser:3f2a" or
	// "kodi:/home/me/.kodi/userdata".
	Source string
	// Events are new events, in chronological order.
	Events []Event
	// Amendments are corrections of earlier events of this source.
	Amendments []Amendment
	// State are changes to the stored state of the source, written in the same
	// transaction. A nil value deletes its key.
	State map[string][]byte
}

// Amendment corrects an earlier event of the same source. It changes only entries that were not
// sent; others get a step.
type Amendment struct {
	// EventID is the id of the event.
	EventID string `json:"eventId"`
	// Media are the new items, as many as before; nil keeps the old ones.
	Media []Media `json:"media,omitempty"`
	// Origin completes the event's own together with Media: see [Origin.FillFrom].
	Origin Origin `json:"origin,omitzero"`
	// Drop withdraws the event.
	Drop bool `json:"drop,omitempty"`
	// Class is the corrected class; "" keeps the old one. Pending entries are held if
	// the user wants viewings of that class held.
	Class Class `json:"class,omitempty"`
	// NotBefore is the earliest time to send the entries, in milliseconds since 1970 in
	// UTC; 0 keeps the old one. The user's grace period applies, too.
	NotBefore int64 `json:"notBefore,omitempty"`
	// Reason explains the amendment to a person.
	Reason Message `json:"reason,omitzero"`
}

// SourceKind returns the part of a source's name before the colon: "browser", "kodi", "cli".
// Event ids are unique within it.
func SourceKind(source string) string {
	kind, _, _ := strings.Cut(source, ":")
	return kind
}

// Status is the result for one event of a [Batch].
type Status string

// The results. After queued, duplicate and dropped the source may delete the event; a
// conflict is an error of the source.
const (
	StatusQueued    Status = "queued"    // new, and on disk
	StatusDuplicate Status = "duplicate" // the same event was committed before
	StatusDropped   Status = "dropped"   // dropped by the user's rules; kept in the database
	StatusConflict  Status = "conflict"  // the event id was used before with other content
)

// Outcome is the result for one event of a [Batch], in the batch's order.
type Outcome struct {
	EventID string
	Status  Status
	Reason  string  // for dropped: one of the reasons
	Entries []int64 // the ids of the entries that have the event as a sighting
	Held    string  // if a new entry is held: the reason
	Joined  bool    // it created no entry: other sources have reported the same playback
}

// State is the state of an entry.
type State string

// The states. Held and in doubt wait for a person, a lookup or a read-back; pending and
// sending change automatically; the others are finished.
const (
	StatePending   State = "pending"   // waits to be sent
	StateSending   State = "sending"   // its request may be under way
	StateDelivered State = "delivered" // the service has it
	StateHeld      State = "held"      // not sent until its reason is gone
	StateInDoubt   State = "in_doubt"  // it may have arrived
	StateRejected  State = "rejected"  // the service refused the data
	StateDropped   State = "dropped"   // withdrawn; kept in the database
	StateMerged    State = "merged"    // the same playback as another entry
)

// States returns all states, in the order in which an entry passes them.
func States() []State {
	return []State{
		StatePending, StateSending, StateDelivered, StateHeld, StateInDoubt, StateRejected, StateDropped, StateMerged,
	}
}

// Finished reports whether nothing is left to do for an entry: it is delivered, rejected, dropped
// or merged.
func (s State) Finished() bool {
	return s == StateDelivered || s == StateRejected || s == StateDropped || s == StateMerged
}

// Valid reports whether s is one of the states.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// The reasons for which an entry is held, or was dropped. Besides these, the
// class of a viewing is a reason where the user's settings say so.
const (
	ReasonUnresolved = "unresolved" // no identifier that the service takes
	ReasonReview     = "review"     // the data does not prove that, or when, it was watched
	ReasonBackdated  = "backdated"  // an import or a restored file
	ReasonBulk       = "bulk"       // marked or imported together with others in one action
	ReasonFuture     = "future"     // its time is more than five minutes in the future
	ReasonFiltered   = "filter"     // a filter of the user
	ReasonUser       = "user"       // the user held it
	ReasonRestored   = "restored"   // the file is an older copy: it may have been sent since
	ReasonNoList     = "no_list"    // its list, or the service's id of the list, is unknown
	ReasonBurst      = "burst"      // reported with more viewings of one minute than a person can watch
	ReasonApprove    = "approve"    // waits for the user's approval
	// ReasonContradicted means that TMDB contradicts the number that its source reported.
	ReasonContradicted = "contradicted"
	ReasonPaused       = "paused"   // dropped: watched during a pause that drops viewings
	ReasonUntitled     = "untitled" // dropped: a video without a title, of a site for which the user ignores these
)

// ReasonSeenTwice is the reason of an entry that was merged with another one of this queue.
const ReasonSeenTwice = "seen_twice"

// Reasons returns all reasons that are not a class, the common ones first.
func Reasons() []string {
	return []string{
		ReasonUnresolved, ReasonReview, ReasonBackdated, ReasonBulk, ReasonFuture, ReasonFiltered, ReasonUser,
		ReasonRestored, ReasonNoList, ReasonBurst, ReasonApprove, ReasonContradicted, ReasonPaused, ReasonUntitled,
	}
}

// Lane is a sequence of entries that are sent in order, the oldest first.
type Lane int

// The lanes.
const (
	LaneLive     Lane = iota // viewings as they happen, and requests of the user
	LaneBackfill             // imports: sent when nothing live is due
)

// DefaultAccount is the name of the account if none is configured.
const DefaultAccount = "default"

// The kinds of source: the part before the colon of a source's name.
const (
	SourceBrowser = "browser" // an extension, paired with a code
	SourceProgram = "program" // a program that posts, with a token of its own
	SourceKodi    = "kodi"    // a library, on this machine or on a server
	SourceCLI     = "cli"     // a person who typed a command
	SourceFile    = "file"    // a history file that a person imports, named by its format
)

// Sources returns the kinds of source.
func Sources() []string {
	return []string{SourceBrowser, SourceProgram, SourceKodi, SourceCLI, SourceFile}
}
