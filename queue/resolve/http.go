package resolve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	requestTimeout = 30 * time.Second // for one answer
	maxResponse    = 1 << 20          // bytes: answers are bounded before they are decoded
	maxRetryAfter  = 24 * time.Hour   // that is waited at somebody's wish
)

// ErrUnanswerable says that one question cannot be answered, as where its answer is
// larger than 1 MB. Others may be.
var ErrUnanswerable = errors.New("this question cannot be answered")

// LaterError says that somebody cannot be asked now.
type UnavailableError struct {
	Provider string
	Why      viewing.Message // without anything that was asked
	Wait     time.Duration   // what was asked for, 24 hours at most; 0 when nothing was said
}

// Error names who and why, for a log.
func (e *UnavailableError) Error() string {
	return e.Provider + " cannot be asked now: " + e.Why.Error()
}

// Unwrap is why.
func (e *UnavailableError) Unwrap() error { return e.Why }

// CheckAddress refuses an address to which nothing may go: one without https that
// is not on this machine. example is one that is right.
func CheckAddress(address, example string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(address, "/"):
		return viewing.Say("fault.askedAddress", "text", strconv.Quote(address), "example", example)
	case u.Scheme == "https", u.Scheme == "http" && net.ParseIP(u.Hostname()).IsLoopback():
		return nil
	default:
		return viewing.Say("fault.askedScheme", "text", strconv.Quote(address))
	}
}

// HTTP asks one address: at a pace, within bounds, and with errors that name nothing
// that was asked. It follows no redirect. It may be used from several goroutines.
type HTTP struct {
	provider string
	http     *http.Client
	pace     *rate.Limiter
}

// NewHTTP sends nothing. who is a name for errors; so many requests leave in a second,
// and at once after a rest.
func NewHTTP(who string, perSecond float64, burst int) *HTTP {
	return &HTTP{provider: who, pace: rate.NewLimiter(rate.Limit(perSecond), burst), http: &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Response is what came.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do asks, by GET or with a form. Its errors are [ErrUnanswerable], a [*UnavailableError], or that
// of ctx. They name no address: it may tell what was watched.
func (c *HTTP) Do(ctx context.Context, address string, form url.Values, headers map[string]string) (Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if form != nil {
		r, err = http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	}
	if err != nil {
		return Response{}, c.Unavailable("asked.badAddress")
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	if c.pace.Wait(ctx) != nil { // it says so before the time is over
		return Response{}, cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return Response{}, cmp.Or(ctx.Err(), c.Unavailable("asked.unreached"))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxResponse+1))
	switch {
	case err != nil:
		return Response{}, cmp.Or(ctx.Err(), c.Unavailable("asked.brokeOff"))
	case len(body) > maxResponse:
		return Response{}, ErrUnanswerable
	}
	return Response{answer.StatusCode, answer.Header, body}, nil
}

// Decode reads JSON of the documented shape.
func (c *HTTP) Decode(body []byte, out any) error {
	if json.Unmarshal(body, out) != nil {
		return c.Malformed()
	}
	return nil
}

// Later says why nobody can be asked now.
func (c *HTTP) Unavailable(code string, pairs ...string) error {
	return &UnavailableError{Provider: c.provider, Why: viewing.Say(code, pairs...)}
}

// Malformed reports an answer that does not match the documented format.
func (c *HTTP) Malformed() error { return c.Unavailable("asked.misshapen") }

// Refused is what an answer's status says, and how long to wait: at least so long.
func (c *HTTP) Refused(a Response, least time.Duration) error {
	seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
	wait := min(max(time.Duration(seconds), 0), maxRetryAfter/time.Second) * time.Second
	return &UnavailableError{Provider: c.provider, Why: viewing.Say("asked.answered", "status", strconv.Itoa(a.Status)), Wait: max(wait, least)}
}
