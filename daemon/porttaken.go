package daemon

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/holder"
)

// TakenError says who has the port that this instance wants. It wraps
// [config.ErrInvalid]: to start again would not mend it.
type TakenError struct {
	Holder holder.Holder
	File   string // the configuration that could name another port
}

// Error names the holder as far as it can be seen.
func (e *TakenError) Error() string {
	return fmt.Sprintf("%s is held by %s", e.Holder.Address, e.Holder)
}

// Unwrap is what a script sees of it, by the exit code.
func (e *TakenError) Unwrap() error { return config.ErrInvalid }

// Hint is what ends the holder, if that is a Filmspool, and else another port.
func (e *TakenError) Hint() string {
	if stop := e.Holder.Stop(); stop != "" {
		return stop
	}
	another := fmt.Sprintf("write listen = %q into %s", nextPort(e.Holder.Address), e.File)
	if e.Holder.Filmspool {
		return "stop that one, or " + another
	}
	return another
}

// nextPort is the same host with a port that is another one.
func nextPort(address string) string {
	host, port, err := net.SplitHostPort(address)
	n, numErr := strconv.Atoi(port)
	if err != nil || numErr != nil || n >= 65535 {
		return "127.0.0.1:43457"
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

// PortTaken looks who listens where such an instance is to listen. It is nil
// where nobody does, and takes a second at most.
func PortTaken(ctx context.Context, o Options) error {
	if _, port, err := net.SplitHostPort(o.Config.Listen); err != nil || port == "0" {
		return nil // any port will do
	}
	if h, found := holder.Find(ctx, o.Config.Listen); found {
		return &TakenError{Holder: h, File: o.Paths.File}
	}
	return nil
}
