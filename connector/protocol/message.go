package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/filmspool/filmspool/queue/viewing"
)

// What version 1 fixes.
const (
	Version         = 1
	Subprotocol     = "filmspool.v1"
	MaxMessageBytes = 64 << 10 // of one message, unless welcome says otherwise
)

// The types of messages.
const (
	TypeHello     = "hello"
	TypeWelcome   = "welcome"
	TypeAuth      = "auth"
	TypePair      = "pair"
	TypePaired    = "paired"
	TypeViewing   = "viewing"
	TypeWatchlist = "watchlist"
	TypeList      = "list"
	TypeStatus    = "status"
	TypeAck       = "ack"
	TypeError     = "error"
	TypePing      = "ping"
	TypePong      = "pong"
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
	Token    string     `json:"token,omitempty"`    // "" is none
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
	V        int        `json:"v"`
	Server   ServerInfo `json:"server"`
	Paired   bool       `json:"paired"`          // only after the token was checked
	Proof    string     `json:"proof,omitempty"` // only when asked for with clientId and nonce, and the client is known
	Limits   Limits     `json:"limits"`
	Features []string   `json:"features"`
	Queue    *Queue     `json:"queue,omitempty"` // only for paired clients
}

// ServerInfo names the daemon's program.
type ServerInfo struct {
	Version string `json:"version"`
}

// Limits are what a client must keep to.
type Limits struct {
	MaxMessageBytes int `json:"maxMessageBytes"`
	MaxInFlight     int `json:"maxInFlight"` // events without an answer
}

// Queue counts what waits.
type Queue struct {
	Pending   int64 `json:"pending"`   // will be sent by themselves
	Attention int64 `json:"attention"` // wait for the user
}

// Auth hands over the token after the daemon has proved itself.
type Auth struct {
	Token string `json:"token"`
}

// Pair asks for a token with a one-time code.
type Pair struct {
	ID    string `json:"id"`
	Code  string `json:"code"`            // case, spaces and dashes do not matter
	Label string `json:"label,omitempty"` // the user's name for this client
}

// Paired answers pair. The token is never told again.
type Paired struct {
	ID       string `json:"id"`
	ClientID string `json:"clientId"`
	Token    string `json:"token"`
}

// Viewing reports one playback.
type Viewing struct {
	ID        string            `json:"id"`        // UUID
	Media     viewing.Media     `json:"media"`     // movie or episode
	WatchedAt string            `json:"watchedAt"` // RFC 3339 with offset, at most 40 characters
	Count     int               `json:"count,omitempty"`
	Progress  *viewing.Progress `json:"progress,omitempty"`
	Source    *Source           `json:"source,omitempty"`
}

// Source is where a playback was seen.
type Source struct {
	Site string `json:"site,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Watchlist wishes a film or series onto the watchlist.
type Watchlist struct {
	ID       string        `json:"id"`    // UUID
	Media    viewing.Media `json:"media"` // movie or tv
	Priority *int          `json:"priority,omitempty"`
}

// List asks for a list to be created.
type List struct {
	ID          string `json:"id"` // UUID
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Visibility  string `json:"visibility,omitempty"` // PRIVATE or PUBLIC
}

// StatusRequest is the client's status: it asks for the daemon's.
type StatusRequest struct {
	ID string `json:"id"`
	// Unread are the sites that the client cannot read any more: at most
	// [MostUnread] names, each of 1 to 60 characters.
	Unread []string `json:"unread,omitempty"`
}

// Status is the daemon's status: an answer, or without ID a change pushed.
type Status struct {
	ID            string `json:"id,omitempty"`
	Online        bool   `json:"online"` // the service took or would take requests
	Pending       int64  `json:"pending"`
	Attention     int64  `json:"attention"`
	LastDelivered string `json:"lastDelivered,omitempty"` // RFC 3339 in UTC; absent before the first
	// Problems are the worst that there are, at most [MostProblems], worst first.
	Problems []Problem `json:"problems,omitempty"`
}

// MostProblems is how many problems a status holds at most.
const MostProblems = 3

// Problem is what a person can do something about, in the language of hello.
type Problem struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // "needs you" or "soon"
	Text     string `json:"text"`     // what is wrong
	Act      string `json:"act"`      // what mends it
}

// Ack says that an event is on disk and the client may forget it.
type Ack struct {
	ID     string         `json:"id"`
	Status viewing.Status `json:"status"`           // queued, duplicate or dropped
	Reason string         `json:"reason,omitempty"` // for dropped: which filter
}

// Ping asks for a pong. Either side may send it.
type Ping struct{}

// Pong answers a ping.
type Pong struct{}

// MostUnread is how many sites a [StatusRequest] may name.
const MostUnread = 20

// Type is "hello".
func (Hello) Type() string { return TypeHello }

// Type is "welcome".
func (Welcome) Type() string { return TypeWelcome }

// Type is "auth".
func (Auth) Type() string { return TypeAuth }

// Type is "pair".
func (Pair) Type() string { return TypePair }

// Type is "paired".
func (Paired) Type() string { return TypePaired }

// Type is "viewing".
func (Viewing) Type() string { return TypeViewing }

// Type is "watchlist".
func (Watchlist) Type() string { return TypeWatchlist }

// Type is "list".
func (List) Type() string { return TypeList }

// Type is "status".
func (StatusRequest) Type() string { return TypeStatus }

// Type is "status".
func (Status) Type() string { return TypeStatus }

// Type is "ack".
func (Ack) Type() string { return TypeAck }

// Type is "error".
func (*Error) Type() string { return TypeError }

// Type is "ping".
func (Ping) Type() string { return TypePing }

// Type is "pong".
func (Pong) Type() string { return TypePong }

// Encode writes a message as the text of one frame.
func Encode(m Message) ([]byte, error) {
	fields, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", m.Type(), err)
	}
	var frame bytes.Buffer
	frame.Grow(len(fields) + 24)
	fmt.Fprintf(&frame, `{"type":%q`, m.Type())
	if rest := fields[1:]; len(rest) > 1 { // more than the closing brace
		frame.WriteByte(',')
		frame.Write(rest)
	} else {
		frame.WriteByte('}')
	}
	return frame.Bytes(), nil
}
