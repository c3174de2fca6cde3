// Package web asks one address over HTTP: at a pace, within bounds, and with errors
// that name nothing that was asked.
//
// It follows no redirect. It reads 16 MB of an answer at most. What an answer means
// is for the packages that ask.
package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

const (
	patience  = 30 * time.Second // for one answer
	maxAnswer = 16 << 20         // bytes; a series of TMDB with 20 seasons has some 6 MB
	longest   = 24 * time.Hour   // that is waited at somebody's wish
)

// ErrLarge says that an answer is larger than 16 MB.
var ErrLarge = errors.New("the answer is too large")

// LaterError says that somebody cannot be asked now.
type LaterError struct {
	Who  string
	Why  string        // one clause, without anything that was asked
	Wait time.Duration // what was asked for, 24 hours at most; 0 when nothing was said
}

// Error names who and why.
func (e *LaterError) Error() string { return e.Who + " cannot be asked now: " + e.Why }

// CheckAddress refuses an address to which nothing may go: one without https that
// is not on this machine. example is one that is right.
func CheckAddress(address, example string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(address, "/"):
		return fmt.Errorf("%q is no address such as %s", address, example)
	case u.Scheme == "https", u.Scheme == "http" && net.ParseIP(u.Hostname()).IsLoopback():
		return nil
	default:
		return fmt.Errorf("%q does not begin with https://", address)
	}
}

// Client asks somebody. It may be used from several goroutines.
type Client struct {
	who  string
	http *http.Client
	pace *rate.Limiter
}

// New makes a client and sends nothing. who is a name for errors; so many requests
// leave in a second, and at once after a rest.
func New(who string, perSecond float64, burst int) *Client {
	return &Client{who: who, pace: rate.NewLimiter(rate.Limit(perSecond), burst), http: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Answer is what came.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do asks. Its errors are [ErrLarge], a [*LaterError], or that of the request's
// context. They name no address: it may tell what was watched.
func (c *Client) Do(r *http.Request) (Answer, error) {
	ctx := r.Context()
	if c.pace.Wait(ctx) != nil { // it says so before the time is over
		return Answer{}, cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return Answer{}, ctx.Err()
		}
		return Answer{}, c.Later("it cannot be reached")
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	case err != nil:
		return Answer{}, c.Later("its answer broke off")
	case len(body) > maxAnswer:
		return Answer{}, ErrLarge
	}
	return Answer{answer.StatusCode, answer.Header, body}, nil
}

// Later says why nobody can be asked now.
func (c *Client) Later(why string) *LaterError { return &LaterError{Who: c.who, Why: why} }

// Misshapen says that an answer is none.
func (c *Client) Misshapen() error { return c.Later("its answer is not of the documented shape") }

// Refused is what an answer's status says, and how long to wait.
func (c *Client) Refused(a Answer) *LaterError {
	seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
	later := c.Later(fmt.Sprintf("it answered %d", a.Status))
	later.Wait = min(max(time.Duration(seconds), 0), longest/time.Second) * time.Second
	return later
}
