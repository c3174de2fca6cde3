package connector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// ErrFull is to be wrapped by a [Sink] that takes nothing more for now. The
// client hears QUEUE_FULL and tries again later.
var ErrFull = errors.New("queue is full")

// Sink is where events are kept.
type Sink interface {
	// Commit returns once the batch is durable, whole or not at all, with one
	// outcome for each viewing in the batch's order. It gives up when ctx ends.
	Commit(ctx context.Context, batch viewing.Batch) ([]viewing.Outcome, error)
}

// Status is what a paired client may know of the daemon.
type Status struct {
	Online        bool      // the service took or would take requests
	Pending       int64     // entries that will be sent by themselves
	Attention     int64     // entries that wait for the user
	LastDelivered time.Time // zero before the first
	Problems      string    // the codes of what Problems would tell: another text is news
}

// Options are what a [Server] is built from. All but Version,
// Limits, Logger and Problems are required.
type Options struct {
	// Allow says whether a request may open a socket; it is asked before the
	// upgrade and again for the health answer's CORS header. It must refuse
	// every Origin but an extension's.
	Allow func(*http.Request) bool
	// Program says whether a request may post events; it is asked before its
	// token is looked at. It must refuse whatever a browser sends.
	Program func(*http.Request) bool
	Sink    Sink
	Pairing *pairing.Registry
	// Status is asked for status requests, for welcome and after a nudge. It
	// should take a few milliseconds at most.
	Status func(context.Context) Status
	// Problems are told with each status to whoever says hello in this language, at
	// most [protocol.MostProblems]. nil: none are.
	Problems func(ctx context.Context, language string) []protocol.Problem
	Version  string       // of the program
	Limits   Limits       // zero fields take their defaults
	Logger   *slog.Logger // nil discards
}

// Limits bound what clients can make the daemon do. A zero field stands for
// its default, given here.
type Limits struct {
	MessageBytes   int           // of one message: 65,536
	InFlight       int           // events of one socket without an answer: 32
	Rate           int           // messages a second of one client: 500
	Burst          int           // messages at once of one client: 1,000
	Ignored        int           // RATE_LIMITED answers before 4429: 1,000
	Sockets        int           // open at once: 32; unpaired ones make room, the oldest first
	OriginSockets  int           // of one Origin: 8, in the same way
	UnpairedHellos int           // a minute, of clients of one Origin that we do not know: 30; of all: 240
	BodyBytes      int           // of one post: 262,144
	BodyMessages   int           // in one post: 100
	Posts          int           // of one program at once: 4
	Hello          time.Duration // from the upgrade to a complete hello: 5 s
	Write          time.Duration // one write, after which a client that does not read is cut off: 10 s
	Message        time.Duration // from a message's first frame to its last byte, looked at as they come: 10 s
	Idle           time.Duration // silence, protocol pongs included: 90 s
	Ping           time.Duration // between protocol pings, under Idle: 30 s
	Push           time.Duration // between two pushes of the status: 500 ms
	Drain          time.Duration // for commits under way when the daemon stops: 5 s
	Linger         time.Duration // for a client to hang up after our close: 1 s
	Body           time.Duration // from the header to the end of a post: 10 s
}

// defaults are the documented limits.
func defaults() Limits {
	return Limits{
		MessageBytes: protocol.MaxMessageBytes, InFlight: 32, Rate: 500, Burst: 1000, Ignored: 1000,
		Sockets: 32, OriginSockets: 8, UnpairedHellos: 30,
		BodyBytes: 256 << 10, BodyMessages: 100, Posts: 4,
		Hello: 5 * time.Second, Write: 10 * time.Second, Message: 10 * time.Second, Idle: 90 * time.Second, Ping: 30 * time.Second,
		Push: 500 * time.Millisecond, Drain: 5 * time.Second, Linger: time.Second,
		Body: 10 * time.Second,
	}
}

// filled is l with defaults in place of zeros; a negative limit is an error.
func (l Limits) filled() (Limits, error) {
	d := defaults()
	err := errors.Join(
		fill(&l.MessageBytes, d.MessageBytes), fill(&l.InFlight, d.InFlight), fill(&l.Rate, d.Rate), fill(&l.Burst, d.Burst),
		fill(&l.Ignored, d.Ignored), fill(&l.Sockets, d.Sockets), fill(&l.OriginSockets, d.OriginSockets),
		fill(&l.UnpairedHellos, d.UnpairedHellos), fill(&l.BodyBytes, d.BodyBytes), fill(&l.BodyMessages, d.BodyMessages),
		fill(&l.Posts, d.Posts), fill(&l.Hello, d.Hello), fill(&l.Write, d.Write),
		fill(&l.Message, d.Message), fill(&l.Idle, d.Idle), fill(&l.Ping, d.Ping), fill(&l.Push, d.Push),
		fill(&l.Drain, d.Drain), fill(&l.Linger, d.Linger), fill(&l.Body, d.Body),
	)
	return l, err
}

func fill[N int | time.Duration](limit *N, or N) error {
	if *limit < 0 {
		return fmt.Errorf("connector limit %v is negative", *limit)
	}
	if *limit == 0 {
		*limit = or
	}
	return nil
}

// check reports what is missing.
func (o Options) check() error {
	switch {
	case o.Allow == nil:
		return errors.New("build connector: no Allow function says who may connect")
	case o.Program == nil:
		return errors.New("build connector: no Program function says who may post")
	case o.Sink == nil:
		return errors.New("build connector: no sink")
	case o.Pairing == nil:
		return errors.New("build connector: no pairing registry")
	case o.Status == nil:
		return errors.New("build connector: no status function")
	}
	return nil
}
