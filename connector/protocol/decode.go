package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	maxShort = 200 // characters of an id, a nonce, a token, a name
	maxSite  = 60  // characters of the name of a site
)

// Event is a viewing, a watchlist item or a list that is valid for the queue. Its event id is in
// lower case, so that a UUID in capitals is the same event.
type Event struct {
	ID string // as the client wrote it
	viewing.Event
}

// Type is "viewing", "watchlist" or "list".
func (e Event) Type() string { return string(e.Kind) }

// readers read the messages that clients send.
var readers = map[string]func(frame []byte) (Message, error){
	"hello":     read[Hello],
	"auth":      read[Auth],
	"pair":      read[Pair],
	"viewing":   read[Viewing],
	"watchlist": read[Watchlist],
	"list":      read[List],
	"playing":   read[Playing],
	"status":    read[StatusRequest],
	"ping":      read[Ping],
}

// read reads the fields of a message and checks them.
func read[M interface{ valid() (Message, error) }](frame []byte) (Message, error) {
	var m M
	if err := json.Unmarshal(frame, &m); err != nil {
		return nil, err
	}
	return m.valid()
}

// Decode reads a client's message: [Hello], [Auth], [Pair], [Event], [Playing],
// [StatusRequest] or [Ping]. The error carries the message's id if that can be read.
func Decode(frame []byte) (Message, *Error) {
	if !utf8.Valid(frame) || !json.Valid(frame) {
		return nil, Refusal("", BadJSON, "")
	}
	return decode(frame)
}

// DecodeBatch reads what a program posts: one event, or an array of 1 to most events. Each
// message is an [Event] or the [*Error] that refuses it. The error is for the body as a whole.
func DecodeBatch(body []byte, most int) ([]Message, *Error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, Refusal("", BadJSON, "")
	}
	frames := []json.RawMessage{}
	if json.Unmarshal(body, &frames) != nil { // no array
		frames = append(frames, body)
	}
	switch {
	case len(frames) == 0:
		return nil, Refusal("", BadMessage, "")
	case len(frames) > most:
		return nil, Refusal("", TooLarge, "")
	}
	messages := make([]Message, len(frames))
	for i, frame := range frames {
		message, refusal := decode(frame)
		if _, ok := message.(Event); !ok && refusal == nil {
			refusal = Refusal("", UnknownType, "")
		}
		messages[i] = message
		if refusal != nil {
			messages[i] = refusal
		}
	}
	return messages, nil
}

// decode reads a message that is one JSON text.
func decode(frame []byte) (Message, *Error) {
	var head struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		V    *int   `json:"v"`
	}
	err := json.Unmarshal(frame, &head)
	if short("id", head.ID) != nil {
		head.ID = ""
	}
	reader, known := readers[head.Type]
	switch {
	case err != nil:
		return nil, badMessage(head.ID, err)
	case head.Type == "":
		return nil, Refusal(head.ID, BadMessage, "type")
	case !known:
		return nil, Refusal(head.ID, UnknownType, "")
	case head.Type == "hello" && head.V != nil && *head.V != Version: // what follows may have another form
		return nil, Refusal("", UnsupportedVersion, "")
	}
	message, err := reader(frame)
	if err != nil {
		return nil, badMessage(head.ID, err)
	}
	return message, nil
}

// badMessage returns a BAD_MESSAGE that names the first wrong field.
func badMessage(id string, err error) *Error {
	refusal := Refusal(id, BadMessage, "")
	if wrong, ok := errors.AsType[*viewing.FieldError](err); ok {
		refusal.Field = wrong.Field
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		refusal.Field = wrong.Field
	}
	return refusal
}

func (m Hello) valid() (Message, error) {
	var version error
	if m.V != Version {
		version = wrong("v")
	}
	return m, cmp.Or(version, required("client.name", m.Client.Name), short("client.version", m.Client.Version),
		short("client.browser", m.Client.Browser), short("clientId", m.ClientID), short("nonce", m.Nonce),
		short("token", m.Token), short("language", m.Language))
}

func (m Auth) valid() (Message, error) { return m, required("token", m.Token) }

func (m Pair) valid() (Message, error) {
	return m, cmp.Or(required("id", m.ID), required("code", m.Code), short("label", m.Label))
}

func (m StatusRequest) valid() (Message, error) {
	bad := func(site string) bool { return site == "" || utf8.RuneCountInString(site) > maxSite }
	if len(m.Unread) > MaxUnread || slices.ContainsFunc(m.Unread, bad) {
		return nil, wrong("unread")
	}
	return m, required("id", m.ID)
}

func (m Ping) valid() (Message, error) { return m, nil }

func (m Viewing) valid() (Message, error) {
	at, err := viewing.ParseInstant(m.WatchedAt)
	if err != nil || len(m.WatchedAt) > maxShort {
		return nil, wrong("watchedAt")
	}
	return event(m.ID, viewing.Event{
		Kind: viewing.KindViewing, Media: []viewing.Media{m.Media}, WatchedAt: at, Count: cmp.Or(m.Count, 1),
		Progress: m.Progress, Origin: viewing.Origin{Site: m.Source.Site, URL: pageOf(m.Source.URL)},
	})
}

func (m Watchlist) valid() (Message, error) {
	return event(m.ID, viewing.Event{Kind: viewing.KindWatchlist, Media: []viewing.Media{m.Media}, Priority: m.Priority})
}

func (m List) valid() (Message, error) {
	return event(m.ID, viewing.Event{
		Kind: viewing.KindList, List: &viewing.List{Name: m.Name, Description: m.Description, Visibility: m.Visibility},
	})
}

func (m Playing) valid() (Message, error) {
	switch {
	case !uuid.MatchString(m.Session):
		return nil, wrong("session")
	case m.State == StateEnded:
		return Playing{Session: m.Session, State: m.State}, nil
	case m.State != StatePlaying && m.State != StatePaused:
		return nil, wrong("state")
	case !m.Media.HasTitle():
		return nil, wrong("media.title")
	}
	_, err := event(m.Session, m.Event(time.Now()))
	return m, err
}

// Event returns the viewing that this would be if it ended now.
func (m Playing) Event(now time.Time) viewing.Event {
	return viewing.Event{
		Kind: viewing.KindViewing, EventID: m.Session, Media: []viewing.Media{m.Media}, WatchedAt: viewing.At(now), Count: 1,
		Progress: &viewing.Progress{Position: m.Position, Duration: m.Duration}, Origin: viewing.Origin{Site: m.Source.Site},
	}
}

// pageOf returns the address of a web page without user, query and fragment, which may hold
// secrets; "" for any other address.
func pageOf(address string) string {
	page, err := url.Parse(address)
	if err != nil || page.Host == "" || page.Scheme != "https" && page.Scheme != "http" {
		return ""
	}
	return (&url.URL{Scheme: page.Scheme, Host: page.Host, Path: page.Path, RawPath: page.RawPath}).String()
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// event checks an event against the rules of the queue and two of the protocol's own: its id
// is a UUID, and a film has no place in a season, since one of the two would be wrong.
func event(id string, v viewing.Event) (Message, error) {
	v.EventID = strings.ToLower(id)
	if !uuid.MatchString(v.EventID) {
		return nil, wrong("id")
	}
	if err := v.Validate(); err != nil {
		return nil, err
	}
	for _, m := range v.Media {
		if m.Type != viewing.Episode && (m.Season != nil || m.Episode != nil) {
			return nil, wrong("media.type")
		}
	}
	return Event{ID: id, Event: v}, nil
}

func wrong(field string) error { return &viewing.FieldError{Field: field} }

func required(field, text string) error {
	if text == "" {
		return wrong(field)
	}
	return short(field, text)
}

func short(field, text string) error {
	if utf8.RuneCountInString(text) <= maxShort {
		return nil
	}
	return wrong(field)
}
