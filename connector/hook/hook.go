// Package hook reads what media servers and players post when somebody watches: Plex,
// Jellyfin, Emby, Tautulli and Kodi's add-on HTTP Scrobbler. [Decode] makes a viewing of a
// playback that has ended after the item was watched, and says of everything else why it is
// none. README.md shows how each of them is set up.
//
// Most senders tell the numbers of the episode itself, and only Tautulli and HTTP Scrobbler
// those of its series. Neither stands for the other.
package hook

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"slices"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Call is what a sender has told by one request.
type Call struct {
	Event string          // what happened, in the sender's own word, such as "media.scrobble"
	User  string          // who watches, in the sender's words
	Media []viewing.Media // none where it is neither film nor episode
	Skip  Skip            // why it is no viewing; "" where it is one
	// State is "playing", "paused" or "ended" where it says so of a playback, whose name is
	// Session, of an item of so many seconds.
	State, Session string
	Runtime        float64
	// Viewing is set unless the call is skipped.
	Viewing viewing.Event
}

// Skip says why a call is no viewing.
type Skip string

// The reasons.
const (
	SkipOther      Skip = "other"    // neither a film nor an episode
	SkipRunning    Skip = "going"    // the playback has begun, or goes on
	SkipUnfinished Skip = "unseen"   // the playback has ended too early
	SkipMark       Skip = "mark"     // marked as watched, and not played
	SkipOtherUser  Skip = "somebody" // somebody else watches
)

// ErrUnreadable is wrapped by every error of [Decode].
var ErrUnreadable = errors.New("this is no message of the sender")

// Senders are the names of those that can be read.
func Senders() []string { return slices.Sorted(maps.Keys(senders)) }

// Decode reads what a sender has posted at a time. With a user, somebody else's calls are
// skipped. The error wraps [ErrUnreadable].
func Decode(name, contentType string, body []byte, user string, now time.Time) (Call, error) {
	s, known := senders[name]
	if !known {
		return Call{}, fmt.Errorf("%w: no sender is called so", ErrUnreadable)
	}
	text, err := payload(contentType, body)
	if err == nil && len(text) > maxPayload {
		err = errors.New("it is too long")
	}
	m := message{}
	if err == nil {
		m, err = s.parse(text)
	}
	if err != nil {
		return Call{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	c := Call{
		Event: string(m[s.event]), User: string(m[s.user]), Media: s.media(m), Skip: s.skipReason(m),
		State: s.states[string(m[s.event])], Session: s.session(m), Runtime: m[s.length].amount(s.unit),
	}
	if c.Event == "" || slices.ContainsFunc(c.Media, viewing.Media.Nameless) {
		return Call{}, fmt.Errorf("%w: it names no event, or no item", ErrUnreadable)
	}
	switch {
	case user != "" && !strings.EqualFold(user, c.User), user == "" && s.owner != "" && m[s.owner] == "false":
		c.Skip = SkipOtherUser
	case len(c.Media) == 0:
		c.Skip = SkipOther
	}
	if c.Skip != "" {
		return c, nil
	}
	at, _ := time.Parse(time.RFC3339Nano, string(m[s.at]))
	switch {
	case at.IsZero(): // it is not told
		at = now
	case at.Location() == time.UTC: // it says nothing of where that was
		at = at.In(now.Location())
	}
	c.Viewing = viewing.Event{
		Kind: viewing.KindViewing, Media: c.Media, WatchedAt: viewing.At(at), Count: 1,
		Origin: viewing.Origin{Site: name, Runtime: int(c.Runtime)},
	}
	c.Viewing.EventID, c.Viewing.SameAs = c.eventIDs(name, m[s.playID] != "", at)
	if err := c.Viewing.Validate(); err != nil {
		return Call{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return c, nil
}

// skip is why a message is no viewing. An item that has ended counts as watched at 90 %, or as
// the sender says.
func (s sender) skipReason(m message) Skip {
	event, whole := string(m[s.event]), cmp.Or(s.fullPosition, m[s.length].amount(s.unit))
	switch {
	case event == s.watchedEvent, event == s.stopEvent && m[s.completed].isTrue(),
		event == s.stopEvent && whole > 0 && m[s.position].amount(s.unit) >= whole*0.9:
		return ""
	case event == s.stopEvent:
		return SkipUnfinished
	case s.markField != "" && string(m[s.markField]) == s.markValue:
		return SkipMark
	default:
		return SkipRunning
	}
}

// maxPayload bounds the text of a sender; the rest of a body is pictures.
const maxPayload = 1 << 20

// payload is the JSON text of a body, which may be a part of a form.
func payload(contentType string, body []byte) ([]byte, error) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" { // whatever it calls itself
		return body, nil
	}
	form := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, fmt.Errorf("read form: %w", err)
		}
		if name := part.FormName(); name == "payload" || name == "data" {
			return io.ReadAll(io.LimitReader(part, maxPayload+1))
		}
	}
}

// media are the items that were watched.
func (s sender) media(m message) (all []viewing.Media) {
	switch strings.ToLower(string(m[s.kind])) {
	case "movie":
		return []viewing.Media{{Type: viewing.Movie, Title: string(m[s.title]), Year: m[s.year].year(), IDs: m.ids(s.filmIDs)}}
	case "episode":
	default:
		return nil
	}
	one := viewing.Media{
		Type: viewing.Episode, Title: string(m[cmp.Or(s.episode, s.title)]), IDs: m.ids(s.episodeIDs), Season: m[s.season].number(0), Episode: m[s.number].number(1),
		Show: &viewing.Show{Title: string(m[s.series]), Year: m[s.seriesYear].year(), IDs: m.ids(s.showIDs)},
	}
	last := m[s.lastNumber].number(1)
	if one.Episode == nil || last == nil || *last <= *one.Episode || *last-*one.Episode >= maxEpisodes {
		return []viewing.Media{one}
	}
	first := *one.Episode
	one.Title, one.IDs = "", viewing.IDs{} // those of the first, or of the file
	for n := first; n <= *last; n++ {
		one.Episode = &n
		all = append(all, one)
	}
	return all
}

// maxEpisodes bounds how many episodes one file may hold.
const maxEpisodes = 20

// session is what tells a playback from others: the sender's name of it, or user, device and item.
func (s sender) session(m message) string {
	parts := []string{string(m[s.playID])}
	for _, part := range s.sessionFields {
		parts = append(parts, cmp.Or(string(m[part]), "-"))
	}
	return strings.Join(parts, "\x00")
}

// names are the event ids of the playback, and of one just before it that would be the same:
// many senders give a playback no name, and repeat themselves. Time is divided into spans of two
// fifths of the item's length; calls in one span, or in two that adjoin, are one playback.
func (c Call) eventIDs(sender string, named bool, watched time.Time) (id, same string) {
	name := func(parts ...any) string {
		sum := sha256.Sum256(fmt.Append([]byte(c.Session), parts...))
		return sender + ":" + hex.EncodeToString(sum[:16])
	}
	if named {
		return name(), ""
	}
	span := max(int64(c.Runtime*2/5), 60)
	at := watched.Unix() / span
	return name(span, at), name(span, at-1)
}
