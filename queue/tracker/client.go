package tracker

import (
	"bytes"
	"context"
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

// maxAnswer bounds the answer to a POST, in bytes; maxPage bounds that to a read.
const (
	maxAnswer = 64 << 10
	maxPage   = 4 << 20
)

// Options say where the service is and how to speak to it.
type Options struct {
	// BaseURL ends in /api/v1; see [ParseBaseURL].
	BaseURL string
	// Key is a secret key: sk_ and printable ASCII.
	Key string `json:"-"`
	// KeyHeader is "x-api-key" (the default) or "bearer", the two forms of contract 5.1.
	KeyHeader string
	// Proven says that this address has answered as the service before.
	Proven bool
	// UserAgent names this program; "filmspool" by default.
	UserAgent string
	// Timeout is for a whole request, answer included; 30 s by default.
	Timeout time.Duration
	// Dial opens connections; nil is the system's own way. Tests put a service in memory behind it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error) `json:"-"`
}

// String names the address and leaves the key out.
func (o Options) String() string { return "tracker options for " + o.BaseURL }

// GoString is String: %#v would show the key otherwise.
func (o Options) GoString() string { return o.String() }

// LogValue is String, for loggers that take values apart.
func (o Options) LogValue() slog.Value { return slog.StringValue(o.String()) }

// Client sends requests to one address with one key. It may be used from several goroutines. Idle connections
// end after two seconds or with [Client.Close].
type Client struct {
	base      *url.URL
	key       string
	bearer    bool
	userAgent string
	timeout   time.Duration
	transport *http.Transport
	limits    limits
	proven    atomic.Bool
	ahead     atomic.Int64
}

// New makes a client and sends nothing. Its errors never hold the key.
func New(o Options) (*Client, error) {
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
	c := &Client{
		base: base, key: o.Key, bearer: o.KeyHeader == "bearer", userAgent: o.UserAgent, timeout: o.Timeout,
		transport: newTransport(o.Dial, base.Scheme == "http"), limits: usualLimits,
	}
	if c.userAgent == "" {
		c.userAgent = "filmspool"
	}
	if c.timeout == 0 {
		c.timeout = 30 * time.Second
	}
	c.proven.Store(o.Proven)
	return c, nil
}

// Proven reports whether the address has answered as the service, before this client or to it.
func (c *Client) Proven() bool { return c.proven.Load() }

// Ahead is how far this machine's clock was ahead of the service's at its last answer; 0 before the first
// answer with a time.
func (c *Client) Ahead() time.Duration { return time.Duration(c.ahead.Load()) }

// Origin is scheme://host:port of the address, always with the port: what a stored key belongs to.
func (c *Client) Origin() string { return origin(c.base) }

// String names the address and leaves the key out.
func (c *Client) String() string { return "tracker client for " + c.Origin() }

// GoString is String: %#v would show the key otherwise.
func (c *Client) GoString() string { return c.String() }

// Close ends idle connections. Requests under way are ended by their contexts.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Send makes one request for r and says what became of it. It has no error: whatever happens is a
// fate. When ctx ends, the fate is [Offline] before there was a connection, else [InDoubt].
func (c *Client) Send(ctx context.Context, r Request) Verdict {
	v, _ := c.do(ctx, call{op: r.Operation, list: r.List, body: encode(r), key: c.key, idempotencyKey: r.IdempotencyKey, resend: r.Resend})
	return v
}

// call is one HTTP request to make; without a method it is a POST, or a GET when it has no body.
type call struct {
	op             Operation
	list           string // of [ListItems]
	method         string
	query          url.Values
	body           []byte
	key            string
	idempotencyKey string
	resend         bool
	limit          int // bytes of the answer that are read; 0 is maxAnswer
}

// do makes one request and judges its answer. No word of the verdict holds a key.
func (c *Client) do(ctx context.Context, q call) (Verdict, exchange) {
	x := c.exchange(ctx, q)
	x.op, x.proven, x.now = q.op, c.Proven(), time.Now()
	x.resend = q.resend && q.idempotencyKey != ""
	v := judge(x)
	if v.Proves {
		c.proven.Store(true)
		if date, err := http.ParseTime(x.header.Get("Date")); err == nil {
			c.ahead.Store(int64(x.now.Sub(date)))
		}
	}
	v.Code, v.Message = tidy(v.Code, q.key, c.key), tidy(v.Message, q.key, c.key)
	v.ListID = strings.ReplaceAll(v.ListID, c.key, "[key]")
	for m := &v.Problem; m != nil; m = m.Cause {
		for name, value := range m.Args {
			m.Args[name] = tidy(value, q.key, c.key)
		}
	}
	return v, x
}

// exchange makes one request and reads its answer. It goes to the transport itself: [http.Client] would add
// redirects, and an error that shows the URL.
func (c *Client) exchange(ctx context.Context, q call) exchange {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := c.request(ctx, q)
	if err != nil {
		return exchange{err: err}
	}
	answer, err := c.transport.RoundTrip(req)
	if err != nil {
		return exchange{err: err, sent: connected.Load()}
	}
	defer answer.Body.Close()
	limit := q.limit
	if limit == 0 {
		limit = maxAnswer
	}
	return readAll(answer, limit)
}

// readAll reads an answer up to limit bytes. An answer is broken when its end was not seen: without a length
// the end looks like a cut.
func readAll(r *http.Response, limit int) exchange {
	x := exchange{sent: true, status: r.StatusCode, header: r.Header}
	if r.StatusCode == http.StatusSwitchingProtocols {
		return x // what follows has no end
	}
	var body bytes.Buffer
	_, err := body.ReadFrom(io.LimitReader(r.Body, int64(limit)+1))
	untilClose := r.ContentLength < 0 && len(r.TransferEncoding) == 0
	x.body, x.broken = body.Bytes(), err != nil || body.Len() > limit || untilClose
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		x.body, x.broken = nil, true // compressed, though nobody asked for that
	}
	return x
}

// request makes the HTTP request of one call. Its path is the operation's name, but for [ListItems].
func (c *Client) request(ctx context.Context, q call) (*http.Request, error) {
	target := c.base.JoinPath(string(q.op))
	if q.op == ListItems {
		target = c.base.JoinPath(string(Lists), url.PathEscape(q.list), "items")
	}
	target.RawQuery = q.query.Encode()
	method := q.method
	switch {
	case method == "" && q.body == nil:
		method = http.MethodGet
	case method == "":
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, target.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.userAgent)
	if c.bearer {
		req.Header.Set("Authorization", "Bearer "+q.key)
	} else {
		req.Header.Set("X-Api-Key", q.key)
	}
	if q.idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", q.idempotencyKey)
	}
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
		// Without GetBody the transport cannot send the body a second time.
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(q.body)), int64(len(q.body))
	}
	return req, nil
}
