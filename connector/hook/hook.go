// Package hook parses the webhooks of media servers and players: Plex, Jellyfin, Emby, Tautulli
// and Kodi's add-on HTTP Scrobbler. [Decode] returns a viewing for a playback that ended after
// the item was watched, and a [Skip] reason for all other events. README.md shows how to set up
// each sender.
//
// Most senders give the identifiers of the episode; Tautulli and HTTP Scrobbler give those of
// its series. The two are not interchangeable.
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

// Call is one parsed request.
type Call struct {
	Event string          // the sender's name of the event, such as "media.scrobble"
	User  string          // the sender's name of the user
	Media []viewing.Media // empty unless it is a film or an episode
	Skip  Skip            // why there is no viewing, or ""
	// State is "playing", "paused", "ended" or "". Session identifies the playback, and Runtime
	// is the length of the item in seconds.
	State, Session string
	Runtime        float64
	// Viewing is set if Skip is empty.
	Viewing viewing.Event
}

// Skip is the reason why a call has no viewing.
type Skip string

// The skip reasons.
const (
	SkipOther      Skip = "other"    // neither a film nor an episode
	SkipRunning    Skip = "going"    // the playback started or continues
	SkipUnfinished Skip = "unseen"   // the playback ended too early
	SkipMark       Skip = "mark"     // marked as watched, not played
	SkipOtherUser  Skip = "somebody" // another user watches
)

// ErrUnreadable is wrapped by every error of [Decode].
var ErrUnreadable = errors.New("this is no message of the sender")

// Senders returns the names of the supported senders.
func Senders() []string { return slices.Sorted(maps.Keys(senders)) }

// Decode parses a request that a sender posted now. If user is set, it skips the calls of other
// users. The error wraps [ErrUnreadable].
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
		State: s.states[string(m[s.event])], Session: s.session(m), Runtime: m[s.length].amount(s.perSecond),
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
	at, _ := time.Parse(time.RFC3339Nano, string(m[s.endedAt]))
	switch {
	case at.IsZero(): // the sender gives no time
		at = now
	case at.Location() == time.UTC: // the sender gives no zone
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

// skipReason returns why a message has no viewing, or "". A stopped item counts as watched if the
// sender says so, or from 90 % on.
func (s sender) skipReason(m message) Skip {
	event, whole := string(m[s.event]), cmp.Or(s.fullPosition, m[s.length].amount(s.perSecond))
	switch {
	case event == s.watchedEvent, event == s.stopEvent && m[s.completed].isTrue(),
		event == s.stopEvent && whole > 0 && m[s.position].amount(s.perSecond) >= whole*0.9:
		return ""
	case event == s.stopEvent:
		return SkipUnfinished
	case s.markField != "" && string(m[s.markField]) == s.markValue:
		return SkipMark
	default:
		return SkipRunning
	}
}

// maxPayload bounds the JSON of a request; the rest of a body is pictures.
const maxPayload = 1 << 20

// payload returns the JSON of a body, which may be a part of a form.
func payload(contentType string, body []byte) ([]byte, error) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" { // any other content type is taken as JSON
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

// media returns the film or the episodes of a message.
func (s sender) media(m message) (all []viewing.Media) {
	switch strings.ToLower(string(m[s.kind])) {
	case "movie":
		return []viewing.Media{{Type: viewing.Movie, Title: string(m[s.title]), Year: m[s.year].year(), IDs: m.ids(s.filmIDs)}}
	case "episode":
	default:
		return nil
	}
	one := viewing.Media{
		Type: viewing.Episode, Title: string(m[cmp.Or(s.episodeTitle, s.title)]), IDs: m.ids(s.episodeIDs), Season: m[s.season].number(0), Episode: m[s.number].number(1),
		Show: &viewing.Show{Title: string(m[s.series]), Year: m[s.seriesYear].year(), IDs: m.ids(s.showIDs)},
	}
	last := m[s.lastNumber].number(1)
	if one.Episode == nil || last == nil || *last <= *one.Episode || *last-*one.Episode >= maxEpisodes {
		return []viewing.Media{one}
	}
	first := *one.Episode
	one.Title, one.IDs = "", viewing.IDs{} // they belong to the first episode or the file
	for n := first; n <= *last; n++ {
		one.Episode = &n
		all = append(all, one)
	}
	return all
}

// maxEpisodes bounds how many episodes one file may hold.
const maxEpisodes = 20

// session returns a text that identifies the playback: the sender's id of it with user, device
// and item.
func (s sender) session(m message) string {
	parts := []string{string(m[s.playID])}
	for _, part := range s.sessionFields {
		parts = append(parts, cmp.Or(string(m[part]), "-"))
	}
	return strings.Join(parts, "\x00")
}

// eventIDs returns the event id of the playback, and that of a slightly earlier one that counts as
// the same: many senders have no playback id and repeat their requests. Time is divided into spans
// of two fifths of the item's length. Calls in the same or in adjacent spans are one playback.
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
