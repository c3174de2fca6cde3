package protocol

import (
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxTime bounds the text of a time; RFC 3339 to the nanosecond has 35.
const maxTime = 40

// Event is a message that asks for something to be kept.
type Event interface {
	Message
	// EventID is the message's id as the client wrote it.
	EventID() string
	// AsEvent is the event in the queue's vocabulary, checked against its
	// rules; events from [Decode] have passed them. The event id is in lower
	// case: one UUID is one event however it is written. Every error in the
	// tree is a [*viewing.FieldError].
	AsEvent() (viewing.Event, error)
}

// EventID is the message's id as the client wrote it.
func (m Viewing) EventID() string { return m.ID }

// EventID is the message's id as the client wrote it.
func (m Watchlist) EventID() string { return m.ID }

// EventID is the message's id as the client wrote it.
func (m List) EventID() string { return m.ID }

// AsEvent is the playback as an event; a count of 0 is 1.
func (m Viewing) AsEvent() (viewing.Event, error) {
	at, err := instant(m.WatchedAt)
	if err != nil {
		return viewing.Event{}, err
	}
	v := viewing.Event{
		Kind: viewing.KindViewing, EventID: strings.ToLower(m.ID), Media: []viewing.Media{m.Media},
		WatchedAt: at, Count: max(m.Count, 1), Progress: m.Progress,
	}
	if m.Source != nil {
		v.Origin = viewing.Origin{Site: m.Source.Site, URL: m.Source.URL}
	}
	return checked(v)
}

// AsEvent is the wish as an event.
func (m Watchlist) AsEvent() (viewing.Event, error) {
	return checked(viewing.Event{
		Kind: viewing.KindWatchlist, EventID: strings.ToLower(m.ID), Media: []viewing.Media{m.Media}, Priority: m.Priority,
	})
}

// AsEvent is the list as an event.
func (m List) AsEvent() (viewing.Event, error) {
	return checked(viewing.Event{
		Kind: viewing.KindList, EventID: strings.ToLower(m.ID),
		List: &viewing.List{Name: m.Name, Description: m.Description, Visibility: m.Visibility},
	})
}

// checked adds the protocol's own rule on ids to the queue's rules.
func checked(v viewing.Event) (viewing.Event, error) {
	if !isUUID(v.EventID) {
		return viewing.Event{}, &viewing.FieldError{Field: "id", Problem: "is not a UUID"}
	}
	if err := v.Validate(); err != nil {
		return viewing.Event{}, err
	}
	for _, m := range v.Media {
		if err := oneKind(m); err != nil {
			return viewing.Event{}, err
		}
	}
	return v, nil
}

// oneKind refuses a film that has an episode's place: one of the two is wrong,
// and nobody can tell which.
func oneKind(m viewing.Media) error {
	switch {
	case m.Type == viewing.Episode:
		return nil
	case m.Season != nil:
		return &viewing.FieldError{Field: "media.season", Problem: "belongs to episodes only"}
	case m.Episode != nil:
		return &viewing.FieldError{Field: "media.episode", Problem: "belongs to episodes only"}
	}
	return nil
}

// instant reads RFC 3339. time.Parse alone would let a comma stand for the
// point and hours have one digit.
func instant(text string) (viewing.Instant, error) {
	wrong := &viewing.FieldError{Field: "watchedAt", Problem: "is not a time with an offset, such as 2026-03-01T20:15:00+01:00"}
	if len(text) > maxTime || !shapedAsTime(text) {
		return viewing.Instant{}, wrong
	}
	at, err := viewing.ParseInstant(text)
	if err != nil { // no such day, hour or offset
		return viewing.Instant{}, wrong
	}
	return at, nil
}

// shapedAsTime reports whether text begins with 0000-00-00T00:00:00, has a
// fraction after a point or none, and ends in Z or an offset.
func shapedAsTime(text string) bool {
	const whole, offset = "0000-00-00T00:00:00", "+00:00"
	if len(text) < len(whole) || !shaped(text[:len(whole)], whole) {
		return false
	}
	rest := text[len(whole):]
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = strings.TrimLeft(fraction, "0123456789")
		if len(rest) == len(fraction) {
			return false
		}
	}
	return rest == "Z" || shaped(strings.Replace(rest, "-", "+", 1), offset)
}

// shaped reports whether text has digits where shape has 0, and is equal to
// it everywhere else.
func shaped(text, shape string) bool {
	if len(text) != len(shape) {
		return false
	}
	for i, c := range []byte(shape) {
		digit := text[i] >= '0' && text[i] <= '9'
		if c == '0' && !digit || c != '0' && text[i] != c {
			return false
		}
	}
	return true
}

// isUUID reports whether id is 8-4-4-4-12 lower-case hexadecimal digits, of
// any version.
func isUUID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !strings.ContainsRune("0123456789abcdef", rune(c)) {
			return false
		}
	}
	return true
}
