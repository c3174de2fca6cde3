package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TakenError says who has the port that this instance wants. It wraps
// [config.ErrInvalid]: to start again would not mend it.
type TakenError struct {
	Address string
	Holder  viewing.Message // another program, or another filmspool with its version
	File    string          // the configuration that could name another port
}

// Error names the holder for a log.
func (e *TakenError) Error() string { return e.message().Error() }

// Unwrap is what a script sees of it, by the exit code, and the message.
func (e *TakenError) Unwrap() []error { return []error{config.ErrInvalid, e.message()} }

// Hint says how to get a free port.
func (e *TakenError) Hint() viewing.Message { return viewing.Say("hint.otherPort", "file", e.File) }

func (e *TakenError) message() viewing.Message {
	return viewing.Say("portTaken", "address", e.Address).Because(e.Holder)
}

// PortTaken reports who listens where such an instance is to listen. It is nil
// where nobody does, and takes a second at most.
func PortTaken(ctx context.Context, o Options) error {
	if _, port, err := net.SplitHostPort(o.Config.Listen); err != nil || port == "0" {
		return nil // any port will do
	}
	if holder := holderOf(ctx, o.Config.Listen); holder.Code != "" {
		return &TakenError{Address: o.Config.Listen, Holder: holder, File: o.Paths.File}
	}
	return nil
}

// holderOf says who listens at an address: "another program", or "another filmspool"
// with its version. It is the zero value where nobody listens. The answer may come from
// anybody, so nothing of it is shown but a version of a few letters.
func holderOf(ctx context.Context, address string) viewing.Message {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return viewing.Message{}
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()  // it was set above
	_ = conn.SetDeadline(deadline) // of an open connection: cannot fail
	fmt.Fprintf(conn, "GET /v1/health HTTP/1.0\r\nHost: %s\r\n\r\n", address)
	answer, _ := io.ReadAll(io.LimitReader(conn, 8<<10)) // what came before an error is enough
	_, body, _ := strings.Cut(string(answer), "\r\n\r\n")
	var health struct{ Service, Version string }
	switch {
	case json.Unmarshal([]byte(body), &health) != nil || health.Service != "filmspool":
		return viewing.Say("holder.program")
	case !version.MatchString(health.Version):
		return viewing.Say("holder.filmspool", "version", "")
	}
	return viewing.Say("holder.filmspool", "version", health.Version)
}

// version is what a version number may look like.
var version = regexp.MustCompile(`^[0-9A-Za-z.+~-]{1,40}$`)
