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
	"encoding/json"
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
	// Viewing is set unless the call is skipped.
	Viewing viewing.Event
}

// Skip says why a call is no viewing.
type Skip string

// The reasons.
const (
	SkipOther    Skip = "other"    // neither a film nor an episode
	SkipGoing    Skip = "going"    // the playback has begun, or goes on
	SkipUnseen   Skip = "unseen"   // the playback has ended too early
	SkipMark     Skip = "mark"     // marked as watched, and not played
	SkipSomebody Skip = "somebody" // somebody else watches
)

// ErrUnreadable is wrapped by every error of [Decode].
var ErrUnreadable = errors.New("this is no message of the sender")

// report is what the senders have in common.
type report struct {
	event, user    string
	skip           Skip
	stranger       bool   // the sender says that it is somebody else than its owner
	play           string // the sender's name of the playback; "" for none
	item           string // what tells a playback from others: server, user, device, item
	kind           string
	title, series  string
	year, since    int  // of a film, and of a series
	season, number *int // of an episode
	last           *int // of several episodes in one file
	own, show      viewing.IDs
	length         float64 // of the item in seconds; 0 is not known
	at             time.Time
}

// decoders read the texts of the senders. A time that is not told is zero.
var decoders = map[string]func(body []byte) (report, error){
	"emby": emby, "jellyfin": jellyfin, "kodi": kodi, "plex": plex, "tautulli": tautulli,
}

// Senders are the names of those that can be read.
func Senders() []string { return slices.Sorted(maps.Keys(decoders)) }

// Decode reads what a sender has posted at a time. With a user, somebody else's calls are
// skipped. The error wraps [ErrUnreadable].
func Decode(sender, contentType string, body []byte, user string, now time.Time) (Call, error) {
	decode, known := decoders[sender]
	if !known {
		return Call{}, fmt.Errorf("%w: no sender is called so", ErrUnreadable)
	}
	text, err := payload(contentType, body)
	if err != nil {
		return Call{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	r, err := decode(text)
	if err != nil {
		return Call{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	c := Call{Event: r.event, User: r.user, Media: r.media(), Skip: r.skip}
	if c.Event == "" || slices.ContainsFunc(c.Media, viewing.Media.Nameless) {
		return Call{}, fmt.Errorf("%w: it names no event, or no item", ErrUnreadable)
	}
	switch {
	case user != "" && !strings.EqualFold(user, r.user), user == "" && r.stranger:
		c.Skip = SkipSomebody
	case len(c.Media) == 0:
		c.Skip = SkipOther
	}
	if c.Skip != "" {
		return c, nil
	}
	switch {
	case r.at.IsZero():
		r.at = now
	case r.at.Location() == time.UTC: // it says nothing of where that was
		r.at = r.at.In(now.Location())
	}
	c.Viewing = viewing.Event{
		Kind: viewing.KindViewing, Media: c.Media, WatchedAt: viewing.At(r.at), Count: 1,
		Origin: viewing.Origin{Site: sender, Runtime: int(r.length)},
	}
	c.Viewing.EventID, c.Viewing.SameAs = r.names(sender)
	if err := c.Viewing.Validate(); err != nil {
		return Call{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return c, nil
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
			return io.ReadAll(io.LimitReader(part, maxPayload))
		}
	}
}

// media are the items that were watched.
func (r *report) media() (all []viewing.Media) {
	switch strings.ToLower(r.kind) {
	case "movie":
		return []viewing.Media{{Type: viewing.Movie, Title: r.title, Year: r.year, IDs: r.own}}
	case "episode":
	default:
		return nil
	}
	m := viewing.Media{
		Type: viewing.Episode, Title: r.title, IDs: r.own, Season: r.season, Episode: r.number,
		Show: &viewing.Show{Title: r.series, Year: r.since, IDs: r.show},
	}
	if r.number == nil || r.last == nil || *r.last <= *r.number || *r.last-*r.number >= maxEpisodes {
		return []viewing.Media{m}
	}
	m.Title, m.IDs = "", viewing.IDs{} // those of the first, or of the file
	for n := *r.number; n <= *r.last; n++ {
		m.Episode = &n
		all = append(all, m)
	}
	return all
}

// maxEpisodes bounds how many episodes one file may hold.
const maxEpisodes = 20

// names are the event ids of the playback, and of one just before it that would be the same:
// many senders give a playback no name, and repeat themselves. Time is divided into spans of two
// fifths of the item's length; calls in one span, or in two that adjoin, are one playback.
func (r *report) names(sender string) (id, same string) {
	if r.play != "" {
		return name(sender, r.play, r.item), ""
	}
	span := max(int64(r.length*2/5), 60)
	at := r.at.Unix() / span
	return name(sender, r.item, fmt.Sprint(span, at)), name(sender, r.item, fmt.Sprint(span, at-1))
}

func name(sender string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return sender + ":" + hex.EncodeToString(sum[:16])
}

// read reads a JSON text.
func read[T any](body []byte) (t T, err error) {
	if len(body) > maxPayload {
		return t, errors.New("it is too long")
	}
	return t, json.Unmarshal(body, &t)
}

// watched is where an item counts as watched that was played so far: at 90 %, or as the
// sender says.
func watched(position, length float64, done bool) Skip {
	if done || length > 0 && position >= length*0.9 {
		return ""
	}
	return SkipUnseen
}

// idsOf are the numbers that make sense among those that were told.
func idsOf(tmdb, imdb, tvdb text) (ids viewing.IDs) {
	ids.TMDB, ids.TVDB = tmdb.id(), tvdb.id()
	if digits, ok := strings.CutPrefix(string(imdb), "tt"); ok && len(digits) <= 12 && text(digits).id() > 0 {
		ids.IMDB = string(imdb)
	}
	return ids
}

// yearOf is a year in which there were films.
func yearOf(t text) int {
	if year := t.id(); year >= 1870 && year <= 2200 {
		return int(year)
	}
	return 0
}

// key joins what tells a playback from others.
func key(parts ...text) string {
	all := make([]string, len(parts))
	for i, p := range parts {
		all[i] = cmp.Or(string(p), "-")
	}
	return strings.Join(all, "\x00")
}
