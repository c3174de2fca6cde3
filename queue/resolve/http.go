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
	requestTimeout = 30 * time.Second // for one request
	maxResponse    = 1 << 20          // bytes; checked before decoding
	maxRetryAfter  = 24 * time.Hour   // longest Retry-After that is respected
)

// ErrUnanswerable says that this question cannot be answered, for example because the
// response is larger than 1 MB. Other questions may be answered.
var ErrUnanswerable = errors.New("this question cannot be answered")

// UnavailableError says that a provider cannot be asked now.
type UnavailableError struct {
	Provider string
	Why      viewing.Message // contains no part of the question
	Wait     time.Duration   // the provider's Retry-After, at most 24 hours; 0 for none
}

// Error returns the provider and the reason, for logs.
func (e *UnavailableError) Error() string {
	return e.Provider + " cannot be asked now: " + e.Why.Error()
}

// Unwrap returns the reason.
func (e *UnavailableError) Unwrap() error { return e.Why }

// CheckAddress returns an error for an address that is not allowed: it needs https, or http
// and a loopback address. example is a valid address for the message.
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

// HTTP is an HTTP client for one provider. It limits the rate of requests and the size of
// responses, follows no redirects, and its errors contain no part of a question. It may be
// used from several goroutines.
type HTTP struct {
	provider string
	http     *http.Client
	pace     *rate.Limiter
}

// NewHTTP returns a client without sending anything. provider is a name for errors; perSecond
// and burst limit the rate of requests.
func NewHTTP(provider string, perSecond float64, burst int) *HTTP {
	return &HTTP{provider: provider, pace: rate.NewLimiter(rate.Limit(perSecond), burst), http: &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Response is a complete HTTP response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes a GET request, or a POST with a form. Its errors are [ErrUnanswerable], a
// [*UnavailableError], or that of ctx. They contain no address, because it may reveal what
// was watched.
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
	if c.pace.Wait(ctx) != nil { // fails at once if the wait would exceed the deadline
		return Response{}, cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return Response{}, cmp.Or(ctx.Err(), c.Unavailable("asked.unreached"))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	switch {
	case err != nil:
		return Response{}, cmp.Or(ctx.Err(), c.Unavailable("asked.brokeOff"))
	case len(body) > maxResponse:
		return Response{}, ErrUnanswerable
	}
	return Response{response.StatusCode, response.Header, body}, nil
}

// Decode parses JSON into out; the error is [HTTP.Malformed].
func (c *HTTP) Decode(body []byte, out any) error {
	if json.Unmarshal(body, out) != nil {
		return c.Malformed()
	}
	return nil
}

// Unavailable returns an [UnavailableError] with a message.
func (c *HTTP) Unavailable(code string, pairs ...string) error {
	return &UnavailableError{Provider: c.provider, Why: viewing.Say(code, pairs...)}
}

// Malformed returns the error for a response that does not have the documented format.
func (c *HTTP) Malformed() error { return c.Unavailable("asked.misshapen") }

// Refused returns the error for an error status, with its Retry-After or at least the given
// wait.
func (c *HTTP) Refused(r Response, least time.Duration) error {
	seconds, _ := strconv.Atoi(r.Header.Get("Retry-After"))
	wait := min(max(time.Duration(seconds), 0), maxRetryAfter/time.Second) * time.Second
	why := viewing.Say("asked.answered", "status", strconv.Itoa(r.Status))
	return &UnavailableError{Provider: c.provider, Why: why, Wait: max(wait, least)}
}
