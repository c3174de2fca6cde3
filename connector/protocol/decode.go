package protocol

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Bounds of texts, in characters.
const (
	maxID    = 200 // of ids, nonces and tokens
	maxSite  = 60  // of the name of a site
	maxName  = 200 // of codes, labels and what a program says of itself
	maxTexts = MaxMessageBytes
)

// Decode reads a client's message: [Hello], [Auth], [Pair], an [Event],
// [StatusRequest], [Ping] or [Pong]. The error carries the message's id if it has
// one that can be read.
func Decode(frame []byte) (Message, *Error) {
	value, err := parse(frame)
	if err != nil {
		return nil, Refusal("", BadJSON, "the message "+err.Error())
	}
	return read(value)
}

// IDOf is the id of a message that is not read further; "" where it has none.
func IDOf(frame []byte) string {
	value, _ := parse(frame)
	values, _ := value.(map[string]any)
	return idOf(values)
}

// idOf is the id of a message, where it is worth repeating.
func idOf(values map[string]any) string {
	id, _ := values["id"].(string)
	if len(id) > maxID {
		return ""
	}
	return id
}

// read makes a message of a JSON value.
func read(value any) (Message, *Error) {
	values, ok := value.(map[string]any)
	if !ok {
		return nil, Refusal("", BadMessage, "a message must be a JSON object")
	}
	o := object{values: values, fault: new(fault)}
	id := idOf(values)
	name := o.named("type", maxName)
	if o.fault.field != "" {
		return nil, badField(id, *o.fault)
	}
	message, refusal := o.message(name, id)
	if refusal != nil {
		return nil, refusal
	}
	if o.fault.field != "" {
		return nil, badField(id, *o.fault)
	}
	if event, ok := message.(Event); ok {
		if _, err := event.AsEvent(); err != nil {
			return nil, BadEvent(id, err)
		}
	}
	return message, nil
}

// message reads the fields of a message of the type name.
func (o object) message(name, id string) (Message, *Error) {
	switch name {
	case TypeHello:
		return o.hello()
	case TypeAuth:
		return Auth{Token: o.named("token", maxID)}, nil
	case TypePair:
		return Pair{ID: o.named("id", maxID), Code: o.named("code", maxName), Label: o.text("label", maxName)}, nil
	case TypeViewing:
		return o.viewing(), nil
	case TypeWatchlist:
		return Watchlist{ID: o.named("id", maxID), Media: o.media(), Priority: o.small("priority", -maxSafeInt)}, nil
	case TypeList:
		return List{
			ID: o.named("id", maxID), Name: o.named("name", maxTexts),
			Description: o.text("description", maxTexts), Visibility: o.optional("visibility", maxName),
		}, nil
	case TypeStatus:
		return StatusRequest{ID: o.named("id", maxID), Unread: o.texts("unread", MostUnread, maxSite)}, nil
	case TypePing:
		return Ping{}, nil
	case TypePong:
		return Pong{}, nil
	}
	return nil, Refusal(id, UnknownType, fmt.Sprintf("version %d has no message %.60q from a client", Version, name))
}

// hello looks at the version first: what follows may be another version's.
func (o object) hello() (Message, *Error) {
	o.need("v")
	v := o.small("v", -maxSafeInt)
	if v == nil {
		return nil, nil // noted as a fault
	}
	if *v != Version {
		return nil, Refusal("", UnsupportedVersion, fmt.Sprintf("the daemon speaks version %d, the client version %d", Version, *v))
	}
	hello := Hello{V: *v, ClientID: o.text("clientId", maxID), Nonce: o.text("nonce", maxID), Token: o.text("token", maxID), Language: o.text("language", maxName)}
	o.need("client")
	if client, ok := o.inner("client"); ok {
		hello.Client = ClientInfo{
			Name: client.named("name", maxName), Version: client.text("version", maxName),
			Browser: client.text("browser", maxName),
		}
	}
	return hello, nil
}

func (o object) viewing() Viewing {
	m := Viewing{ID: o.named("id", maxID), Media: o.media(), WatchedAt: o.named("watchedAt", maxTime), Count: 1}
	if count := o.small("count", 1); count != nil {
		m.Count = *count
	}
	if progress, ok := o.inner("progress"); ok {
		m.Progress = &viewing.Progress{
			Position: progress.number("position"), Duration: progress.number("duration"),
			Played: progress.number("played"),
		}
	}
	if source, ok := o.inner("source"); ok {
		m.Source = &Source{Site: source.text("site", maxTexts), URL: source.text("url", maxTexts)}
	}
	return m
}

func (o object) media() viewing.Media {
	o.need("media")
	m, ok := o.inner("media")
	if !ok {
		return viewing.Media{}
	}
	media := viewing.Media{
		Type: viewing.MediaType(m.named("type", maxName)), IDs: m.ids(),
		Title: m.text("title", maxTexts), Year: m.year(), Season: m.small("season", 0), Episode: m.small("episode", 1),
	}
	if show, ok := m.inner("show"); ok {
		media.Show = &viewing.Show{IDs: show.ids(), Title: show.text("title", maxTexts), Year: show.year()}
	}
	if site, ok := m.inner("site"); ok {
		media.Site = &viewing.Site{
			Name: site.named("name", maxName), Title: site.optional("title", maxName),
			Series: site.optional("series", maxName), Numbering: site.optional("numbering", maxName),
		}
	}
	return media
}

// ids are an item's identifiers. One that is given must be one: neither 0 nor "".
func (o object) ids() viewing.IDs {
	in, ok := o.inner("ids")
	if !ok {
		return viewing.IDs{}
	}
	var ids viewing.IDs
	if tmdb := in.integer("tmdb", 1); tmdb != nil {
		ids.TMDB = *tmdb
	}
	if tvdb := in.integer("tvdb", 1); tvdb != nil {
		ids.TVDB = *tvdb
	}
	ids.IMDB = in.optional("imdb", maxName)
	return ids
}

func (o object) year() int {
	if year := o.small("year", 0); year != nil {
		return *year
	}
	return 0
}

// BadEvent is the BAD_MESSAGE for an error of [Event.AsEvent] or
// [viewing.Event.Validate]; it names the first wrong field.
func BadEvent(id string, err error) *Error {
	var wrong *viewing.FieldError
	if errors.As(err, &wrong) {
		return badField(id, fault{wrong.Field, wrong.Problem})
	}
	return Refusal(id, BadMessage, err.Error())
}

func badField(id string, f fault) *Error {
	refusal := Refusal(id, BadMessage, f.field+" "+f.problem)
	refusal.Field = f.field
	return refusal
}

// DecodeAnswer reads a daemon's message: [Welcome], [Paired], [Ack], [*Error], [Status], [Ping] or [Pong]. A client trusts
// the daemon that has proved itself, so this reads leniently; a type that is not
// known is an error.
func DecodeAnswer(frame []byte) (Message, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(frame, &head); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	switch head.Type {
	case TypeWelcome:
		return answer[Welcome](frame)
	case TypePaired:
		return answer[Paired](frame)
	case TypeAck:
		return answer[Ack](frame)
	case TypeStatus:
		return answer[Status](frame)
	case TypePing:
		return Ping{}, nil
	case TypePong:
		return Pong{}, nil
	case TypeError:
		var refusal Error
		if err := json.Unmarshal(frame, &refusal); err != nil {
			return nil, fmt.Errorf("read error: %w", err)
		}
		return &refusal, nil
	}
	return nil, fmt.Errorf("read answer: unknown type %.60q", head.Type)
}

func answer[M Message](frame []byte) (Message, error) {
	var m M
	if err := json.Unmarshal(frame, &m); err != nil {
		return nil, fmt.Errorf("read %s: %w", m.Type(), err)
	}
	return m, nil
}
