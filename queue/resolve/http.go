package resolve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
	maxAnswer = 1 << 20          // bytes: answers are bounded before they are decoded
	longest   = 24 * time.Hour   // that is waited at somebody's wish
)

// ErrLarge says that an answer is larger than 1 MB.
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

// List is an array of an answer. One of more than 5,000 items is refused before they
// take memory: a megabyte holds 300,000 empty ones.
type List[T any] []T

const maxItems = 5000

// UnmarshalJSON implements [json.Unmarshaler].
func (l *List[T]) UnmarshalJSON(body []byte) error {
	all := json.NewDecoder(bytes.NewReader(body))
	if start, err := all.Token(); err != nil || start != json.Delim('[') {
		return errors.New("an array is wanted")
	}
	for *l = []T{}; all.More(); {
		var one T
		if len(*l) == maxItems {
			return ErrLarge
		}
		if err := all.Decode(&one); err != nil {
			return fmt.Errorf("read item: %w", err)
		}
		*l = append(*l, one)
	}
	return nil
}

// HTTP asks one address: at a pace, within bounds, and with errors that name nothing
// that was asked. It follows no redirect. It may be used from several goroutines.
type HTTP struct {
	who  string
	http *http.Client
	pace *rate.Limiter
}

// NewHTTP sends nothing. who is a name for errors; so many requests leave in a second,
// and at once after a rest.
func NewHTTP(who string, perSecond float64, burst int) *HTTP {
	return &HTTP{who: who, pace: rate.NewLimiter(rate.Limit(perSecond), burst), http: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Response is what came.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do asks. Its errors are [ErrLarge], a [*LaterError], or that of the request's
// context. They name no address: it may tell what was watched.
func (c *HTTP) Do(r *http.Request) (Response, error) {
	ctx := r.Context()
	if c.pace.Wait(ctx) != nil { // it says so before the time is over
		return Response{}, cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return Response{}, ctx.Err()
		}
		return Response{}, c.Later("it cannot be reached")
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case ctx.Err() != nil:
		return Response{}, ctx.Err()
	case err != nil:
		return Response{}, c.Later("its answer broke off")
	case len(body) > maxAnswer:
		return Response{}, ErrLarge
	}
	return Response{answer.StatusCode, answer.Header, body}, nil
}

// Later says why nobody can be asked now.
func (c *HTTP) Later(why string) *LaterError { return &LaterError{Who: c.who, Why: why} }

// Malformed reports an answer that does not match the documented format.
func (c *HTTP) Malformed() error { return c.Later("its answer is not of the documented shape") }

// Refused is what an answer's status says, and how long to wait.
func (c *HTTP) Refused(a Response) *LaterError {
	seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
	later := c.Later(fmt.Sprintf("it answered %d", a.Status))
	later.Wait = min(max(time.Duration(seconds), 0), longest/time.Second) * time.Second
	return later
}
