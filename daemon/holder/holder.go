// Package holder says who has a port of this machine: another Filmspool or some
// other program, whose process it is, and what would end it.
//
// It owns the question. It asks the holder itself (GET /v1/health) and, on Linux,
// /proc. It promises to take a second at most, to change nothing, and to show
// nothing of a stranger's answer but a checked version.
//
// It refuses to guess. What the system does not show stays empty, and no command
// is given that would be a guess.
package holder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

// patience is how long a holder has for its answer.
const patience = time.Second

// Holder is who listens at an address. Fields that cannot be known are zero.
type Holder struct {
	Address   string
	Filmspool bool   // it answers as one does
	Version   string // of that one
	PID       int    // zero where others' processes are hidden
	Program   string // its name, as the system has it
	User      string // whose process it is
	Service   Kind   // under which service manager's care a Filmspool is

	mine bool // it belongs to whoever asks
}

// Kind is how a Filmspool came to run.
type Kind string

// The kinds. By hand means in somebody's terminal.
const (
	Unknown   Kind = ""
	ByHand    Kind = "by hand"
	OfUser    Kind = "a person's service"
	OfMachine Kind = "the machine's service"
)

// Find looks who listens at the address ("127.0.0.1:43456"). It is false when
// nobody does.
func Find(ctx context.Context, address string) (Holder, bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return Holder{}, false
	}
	conn.Close()
	h := Holder{Address: address}
	h.Version, h.Filmspool = health(ctx, address)
	h.look()
	return h, true
}

// health asks whether a Filmspool is there. The answer may come from anybody.
func health(ctx context.Context, address string) (version string, ok bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/v1/health", nil)
	if err != nil {
		return "", false
	}
	c := &http.Client{
		Transport:     &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("a holder does not redirect") },
	}
	answer, err := c.Do(r)
	if err != nil {
		return "", false
	}
	defer answer.Body.Close()
	var said struct{ Service, Version string }
	if json.NewDecoder(io.LimitReader(answer.Body, 4<<10)).Decode(&said) != nil || said.Service != "filmspool" {
		return "", false
	}
	if !regexp.MustCompile(`^[0-9A-Za-z.+~-]{1,40}$`).MatchString(said.Version) {
		said.Version = ""
	}
	return said.Version, true
}

// String is who it is, in words that fit after "is held by".
func (h Holder) String() string {
	who := "another program"
	switch {
	case h.Filmspool:
		who = "another filmspool"
		if h.Version != "" {
			who += " " + h.Version
		}
	case h.Program != "":
		who = h.Program
	}
	var more []string
	if h.PID != 0 {
		more = append(more, fmt.Sprintf("process %d", h.PID))
	}
	if h.User != "" {
		more = append(more, "of "+h.User)
	}
	if h.Filmspool && h.Service == OfMachine {
		more = append(more, "as "+string(OfMachine))
	}
	if len(more) > 0 {
		who += " (" + strings.Join(more, " ") + ")"
	}
	return who
}

// Stop is the command that ends a Filmspool in the way it was started, or
// empty where that is not known.
func (h Holder) Stop() string {
	switch {
	case !h.Filmspool:
		return ""
	case h.Service == OfMachine:
		return "sudo filmspool --system service stop"
	case h.Service == OfUser && h.mine:
		return "filmspool service stop"
	case h.Service == OfUser && h.User != "" && os.Geteuid() == 0:
		return fmt.Sprintf("runuser -u %s -- filmspool service stop", h.User)
	case h.Service == OfUser && h.User != "":
		return "filmspool service stop, typed by " + h.User
	case h.PID != 0:
		return fmt.Sprintf("kill %d", h.PID)
	}
	return ""
}
