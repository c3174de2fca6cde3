package tracker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// maxAnswer bounds the body of an answer that is read, in bytes.
const maxAnswer = 64 << 10

var errTimeout = errors.New("no whole answer in time")

// Options say where the service is and how to speak to it.
type Options struct {
	// BaseURL ends in /api/v1; see [ParseBaseURL].
	BaseURL string
	// Key is a secret key: sk_ and printable ASCII.
	Key string `json:"-"`
	// KeyHeader is "x-api-key" (the default) or "bearer", the two forms of
	// contract 5.1.
	KeyHeader string
	// Proven says that this address has answered as the service before.
	Proven bool
	// UserAgent names this program; "filmspool" by default.
	UserAgent string
	// Timeout is for a whole request, answer included; 30 s by default.
	Timeout time.Duration
	// Dial opens connections; nil is the system's own way. Tests put a service
	// in memory behind it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
}

// String names the address and leaves the key out, whoever prints it.
func (o Options) String() string { return "tracker options for " + o.BaseURL }

// GoString is String: %#v would show the key otherwise.
func (o Options) GoString() string { return o.String() }

// LogValue is String, for loggers that take values apart.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Client sends requests to one address with one key. It may be used from
// several goroutines; none of its own outlives a request but those of idle
// connections, which end after two seconds or with [Client.Close].
type Client struct {
	base      *url.URL
	key       string
	bearer    bool
	userAgent string
	timeout   time.Duration
	transport *http.Transport
	most      bounds
	proven    atomic.Bool
	ahead     atomic.Int64
}

// New makes a client and sends nothing. Its errors never hold the key.
func New(o Options) (*Client, error) {
	if o.Dial != nil {
		return newClient(o, o.Dial)
	}
	dial := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return newClient(o, dial.DialContext)
}

func newClient(o Options, dial dialer) (*Client, error) {
	base, err := ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkKeyForm(o.Key); err != nil {
		return nil, err
	}
	if o.KeyHeader != "" && o.KeyHeader != "x-api-key" && o.KeyHeader != "bearer" {
		return nil, fmt.Errorf("make client: key header %q is not x-api-key or bearer", o.KeyHeader)
	}
	if o.Timeout < 0 {
		return nil, fmt.Errorf("make client: time-out %s is negative", o.Timeout)
	}
	c := &Client{base: base, key: o.Key, bearer: o.KeyHeader == "bearer", userAgent: o.UserAgent, timeout: o.Timeout, most: usual}
	if c.userAgent == "" {
		c.userAgent = "filmspool"
	}
	if c.timeout == 0 {
		c.timeout = 30 * time.Second
	}
	c.proven.Store(o.Proven)
	c.transport = newTransport(dial, base.Scheme == "http")
	return c, nil
}

// Proven reports whether the address has answered as the service, before
// this client or to it.
func (c *Client) Proven() bool { return c.proven.Load() }

// Ahead is how far this machine's clock was ahead of the service's at its last answer;
// 0 as long as there was none that told a time.
func (c *Client) Ahead() time.Duration { return time.Duration(c.ahead.Load()) }

// Origin is scheme://host:port of the address, the port always said: what a
// stored key belongs to.
func (c *Client) Origin() string { return origin(c.base) }

// String names the address and leaves the key out, whoever prints it.
func (c *Client) String() string { return "tracker client for " + c.Origin() }

// GoString is String: %#v would show the key otherwise.
func (c *Client) GoString() string { return c.String() }

// Close ends idle connections. Requests under way are ended by their
// contexts.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Send puts r on the wire at most once and says what became of it. It has no
// error: whatever happens is a fate. When ctx ends, the fate is [Offline] or
// [InDoubt], as the bytes prove.
func (c *Client) Send(ctx context.Context, r Request) Verdict {
	body, err := encode(r)
	if err != nil {
		return Verdict{Fate: Rejected, Problem: err.Error() + "."}
	}
	return c.act(ctx, call{op: r.Operation, list: r.List, body: body, key: c.key, idempotencyKey: r.IdempotencyKey, resend: r.Resend})
}

// call is one HTTP request to make; without a method it is a POST, or a GET
// when it has no body.
type call struct {
	op             Operation
	list           string // of ListItems
	method         string
	query          url.Values
	body           []byte
	key            string
	idempotencyKey string
	resend         bool
	limit          int // bytes of the answer that are read; 0 is maxAnswer
}

// limits is how much of the answer is read, in bytes.
func (q call) limits() int {
	if q.limit > 0 {
		return q.limit
	}
	return maxAnswer
}

// act makes one call, judges it, and takes the keys out of every word.
func (c *Client) act(ctx context.Context, q call) Verdict {
	v, _ := c.actAndRead(ctx, q)
	return v
}

// actAndRead also gives what was seen.
func (c *Client) actAndRead(ctx context.Context, q call) (Verdict, seen) {
	s := c.exchange(ctx, q)
	s.op, s.proven, s.now = q.op, c.Proven(), time.Now()
	s.resend = q.resend && q.idempotencyKey != ""
	v := judge(s)
	if v.Proves {
		c.proven.Store(true)
		if date, err := http.ParseTime(s.header.Get("Date")); err == nil {
			c.ahead.Store(int64(s.now.Sub(date)))
		}
	}
	for _, words := range []*string{&v.Code, &v.Message, &v.Problem} {
		*words = c.tidy(*words, q.key)
	}
	v.ListID = strings.ReplaceAll(v.ListID, c.key, "[key]")
	return v, s
}

// tidy takes the sent key and our own out of foreign words.
func (c *Client) tidy(words, sent string) string {
	return tidy(strings.ReplaceAll(words, sent, "[key]"), c.key)
}

// exchange makes one request and reads its answer. It goes to the transport
// itself: http.Client would add redirects and an error that shows the URL.
func (c *Client) exchange(ctx context.Context, q call) seen {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, errTimeout)
	defer cancel()
	var l line
	req, err := c.request(httptrace.WithClientTrace(ctx, l.trace()), q)
	if err != nil {
		return seen{err: err}
	}
	need := wireLength(req, q.body)
	answer, err := c.transport.RoundTrip(req)
	if err != nil {
		l.seal()
		return seen{err: err, left: l.left(need)}
	}
	defer answer.Body.Close()
	s := readBody(answer, q.limits())
	s.left = l.left(need)
	return s
}

// readBody reads an answer as far as it is wanted.
func readBody(r *http.Response, limit int) seen {
	s := seen{status: r.StatusCode, header: r.Header}
	if r.StatusCode == http.StatusSwitchingProtocols {
		return s // what follows has no end
	}
	var body bytes.Buffer // it grows faster than a slice, and so leaves less behind
	_, err := body.ReadFrom(io.LimitReader(r.Body, int64(limit)+1))
	s.body, s.broken = body.Bytes(), err != nil || body.Len() > limit
	untilClose := r.ContentLength < 0 && len(r.TransferEncoding) == 0
	s.broken = s.broken || untilClose // its end looks like a cut
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		s.body, s.broken = nil, true // not asked for, so not readable
	}
	return s
}

// request makes the HTTP request of one call. An operation is named as its path
// is, but for [ListItems].
func (c *Client) request(ctx context.Context, q call) (*http.Request, error) {
	target := c.base.JoinPath(string(q.op))
	if q.op == ListItems {
		target = c.base.JoinPath(string(Lists), url.PathEscape(q.list), "items")
	}
	target.RawQuery = q.query.Encode()
	method, header := http.MethodGet, http.Header{}
	if q.body != nil {
		method = http.MethodPost
		header.Set("Content-Type", "application/json")
	}
	if q.method != "" {
		method = q.method
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	header.Set("Accept", "application/json")
	header.Set("User-Agent", c.userAgent)
	c.setKey(header, q.key)
	if q.idempotencyKey != "" {
		header.Set("Idempotency-Key", q.idempotencyKey)
	}
	req.Header = header
	if q.body != nil {
		req.Body, req.ContentLength = &once{rest: q.body}, int64(len(q.body))
	}
	return req, nil
}

// setKey sets the key in the account's form of header.
func (c *Client) setKey(h http.Header, key string) {
	if c.bearer {
		h.Set("Authorization", "Bearer "+key)
		return
	}
	h.Set("X-Api-Key", key)
}
