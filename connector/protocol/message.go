package protocol

import (
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Constants of version 1.
const (
	Version         = 1
	Subprotocol     = "filmspool.v1"
	MaxMessageBytes = 64 << 10 // of one message
	MaxInFlight     = 32       // events of one socket without an answer
	MaxUnread       = 20       // sites that a [StatusRequest] may name
	MaxProblems     = 3        // problems that a [Status] holds
)

// Message is one of this package's message types.
type Message interface {
	// Type is the word in the message's "type".
	Type() string
}

// Hello is the client's first message.
type Hello struct {
	V        int        `json:"v"` // 1
	Client   ClientInfo `json:"client"`
	ClientID string     `json:"clientId,omitempty"` // from paired; needed for a proof
	Nonce    string     `json:"nonce,omitempty"`    // random, at most 200 characters; asks for a proof
	Token    string     `json:"token,omitempty"`
	Language string     `json:"language,omitempty"` // in which the person reads, as "de-AT"; "" leaves it to the daemon
}

// ClientInfo names a client's program. It is shown to the user.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Browser string `json:"browser,omitempty"`
}

// Welcome answers hello and auth.
type Welcome struct {
	V      int        `json:"v"`
	Server ServerInfo `json:"server"`
	Paired bool       `json:"paired"`          // only after the token was checked
	Proof  string     `json:"proof,omitempty"` // only when asked for with clientId and nonce, and the client is known
	Limits Limits     `json:"limits"`
}

// ServerInfo names the daemon's program.
type ServerInfo struct {
	Version string `json:"version"`
}

// Limits are what a client must keep to.
type Limits struct {
	MaxInFlight int `json:"maxInFlight"` // events without an answer
}

// Auth sends the token after the daemon has proved that it knows it.
type Auth struct {
	Token string `json:"token"`
}

// Pair asks for a token with a one-time code.
type Pair struct {
	ID    string `json:"id"`
	Code  string `json:"code"`            // case, spaces and dashes do not matter
	Label string `json:"label,omitempty"` // the user's name for this client
}

// Paired answers pair. The token is never sent again.
type Paired struct {
	ID       string `json:"id"`
	ClientID string `json:"clientId"`
	Token    string `json:"token"`
}

// Viewing reports one playback.
type Viewing struct {
	ID        string            `json:"id"`        // UUID
	Media     viewing.Media     `json:"media"`     // movie or episode
	WatchedAt string            `json:"watchedAt"` // RFC 3339 with offset
	Count     int               `json:"count,omitempty"`
	Progress  *viewing.Progress `json:"progress,omitempty"`
	Source    Source            `json:"source,omitzero"`
}

// Source is where a playback was seen.
type Source struct {
	Site string `json:"site,omitempty"` // a host name
	URL  string `json:"url,omitempty"`  // of the page; its query and fragment are not kept
}

// Watchlist asks to put a film or series on the watchlist.
type Watchlist struct {
	ID       string        `json:"id"`    // UUID
	Media    viewing.Media `json:"media"` // movie or tv
	Priority *int          `json:"priority,omitempty"`
}

// List asks to create a list.
type List struct {
	ID          string `json:"id"` // UUID
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Visibility  string `json:"visibility,omitempty"` // PRIVATE or PUBLIC
}

// Playing reports what plays now, or that it has ended. It is only shown: neither stored nor sent to
// a service.
type Playing struct {
	Session  string        `json:"session"`            // UUID of the playback, the same in all messages about it
	State    string        `json:"state"`              // [StatePlaying], [StatePaused] or [StateEnded]
	Media    viewing.Media `json:"media,omitzero"`     // movie or episode, with a title; not needed for what has ended
	Position float64       `json:"position,omitempty"` // in seconds
	Duration float64       `json:"duration,omitempty"` // in seconds
	Source   Source        `json:"source,omitzero"`
}

// The states of [Playing].
const (
	StatePlaying = "playing"
	StatePaused  = "paused"
	StateEnded   = "ended"
)

// StatusRequest is the client's status: it asks for the daemon's.
type StatusRequest struct {
	ID string `json:"id"`
	// Unread are the sites that the client cannot read any more: at most
	// [MaxUnread] names, each of 1 to 60 characters.
	Unread []string `json:"unread,omitempty"`
}

// Status is the daemon's status: an answer, or without ID a change pushed.
type Status struct {
	ID            string    `json:"id,omitempty"`
	Online        bool      `json:"online"`                  // the service took or would take requests
	Pending       int64     `json:"pending"`                 // entries that will be sent without the user
	Attention     int64     `json:"attention"`               // entries that need a decision of the user
	LastDelivered string    `json:"lastDelivered,omitempty"` // RFC 3339 in UTC; absent before the first
	Problems      []Problem `json:"problems,omitempty"`      // at most [MaxProblems], worst first
	Page          string    `json:"page,omitempty"`          // where the person reads and decides: an address without a path
}

// Problem is a problem that the user can solve, in the language of hello.
type Problem struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // "needs you" or "soon"
	Text     string `json:"text"`     // what is wrong
	Act      string `json:"act"`      // how to solve it
}

// Ack confirms that an event is on disk, so that the client may delete it.
type Ack struct {
	ID     string         `json:"id"`
	Status viewing.Status `json:"status"`           // queued, duplicate or dropped
	Reason string         `json:"reason,omitempty"` // for dropped: why, in a word such as "filter"
}

// Ping asks for a [Pong].
type Ping struct{}

// Pong answers a ping.
type Pong struct{}

// Type is "hello".
func (Hello) Type() string { return "hello" }

// Type is "welcome".
func (Welcome) Type() string { return "welcome" }

// Type is "auth".
func (Auth) Type() string { return "auth" }

// Type is "pair".
func (Pair) Type() string { return "pair" }

// Type is "paired".
func (Paired) Type() string { return "paired" }

// Type is "viewing".
func (Viewing) Type() string { return "viewing" }

// Type is "watchlist".
func (Watchlist) Type() string { return "watchlist" }

// Type is "list".
func (List) Type() string { return "list" }

// Type is "playing".
func (Playing) Type() string { return "playing" }

// Type is "status".
func (StatusRequest) Type() string { return "status" }

// Type is "status".
func (Status) Type() string { return "status" }

// Type is "ack".
func (Ack) Type() string { return "ack" }

// Type is "error".
func (*Error) Type() string { return "error" }

// Type is "ping".
func (Ping) Type() string { return "ping" }

// Type is "pong".
func (Pong) Type() string { return "pong" }

// Encode writes a message as the text of one frame.
func Encode(m Message) ([]byte, error) {
	fields, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", m.Type(), err)
	}
	frame := fmt.Appendf(nil, `{"type":%q`, m.Type())
	if len(fields) > len("{}") {
		frame = append(frame, ',')
	}
	return append(frame, fields[1:]...), nil
}
