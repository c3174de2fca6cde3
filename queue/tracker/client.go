package tracker

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// maxResponse limits the size of a response, in bytes.
const maxResponse = 4 << 20

// Options configures [New].
type Options struct {
	// BaseURL is the service's address; see [ParseBaseURL].
	BaseURL string
	// Key is a secret key: sk_ and printable ASCII.
	Key string
	// KeyHeader is "x-api-key" (the default) or "bearer", the two forms of contract 5.1.
	KeyHeader string
	// Proven says that this address was recognized as the service before.
	Proven bool
	// UserAgent is sent with each request.
	UserAgent string
	// Timeout limits a whole request including its response; 30 s by default.
	Timeout time.Duration
	// Dial opens connections; nil uses the network. Tests connect to a service in memory.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Client sends requests to one address with one key. It may be used from several goroutines. Idle connections
// end after two seconds or with [Client.Close].
type Client struct {
	base       *url.URL
	options    Options
	transport  *http.Transport
	proven     atomic.Bool
	clockAhead atomic.Int64
}

// New returns a client without sending anything. Its error is a [viewing.Message] that never contains the key.
func New(o Options) (*Client, error) {
	base, err := ParseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkKeyForm(o.Key); err != nil {
		return nil, err
	}
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	c := &Client{base: base, options: o, transport: newTransport(o.Dial, base.Scheme == "http")}
	c.proven.Store(o.Proven)
	return c, nil
}

// Proven reports whether the address was recognized as the service, by [Options] or by a response.
func (c *Client) Proven() bool { return c.proven.Load() }

// ClockAhead returns how far this machine's clock was ahead of the service's at its last response; 0 before the
// first response with a Date header.
func (c *Client) ClockAhead() time.Duration { return time.Duration(c.clockAhead.Load()) }

// Close closes idle connections. Requests in progress are ended by their contexts.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Send makes one request for r. It returns a verdict even if the request fails. When ctx is canceled, its outcome is
// [Offline] if there was no connection yet, else [InDoubt].
func (c *Client) Send(ctx context.Context, r Request) Verdict {
	v, _ := c.do(ctx, call{op: r.operation(), list: r.List, body: encode(r), idempotencyKey: r.IdempotencyKey, resend: r.Resend})
	return v
}

// call describes one HTTP request; without a method it is a POST, or a GET if it has no body.
type call struct {
	op             Operation
	list           string // of [ListItems]
	method         string
	query          url.Values
	body           []byte
	key            string // overrides the client's key
	idempotencyKey string
	resend         bool
}

// do makes one request and classifies its response. The verdict contains no key.
func (c *Client) do(ctx context.Context, q call) (Verdict, exchange) {
	q.key = cmp.Or(q.key, c.options.Key)
	x := c.exchange(ctx, q)
	x.op, x.proven, x.now = q.op, c.Proven(), time.Now()
	x.resend = q.resend && q.idempotencyKey != ""
	v := classify(x)
	if v.ProvesAddress {
		c.proven.Store(true)
		if date, err := http.ParseTime(x.header.Get("Date")); err == nil {
			c.clockAhead.Store(int64(x.now.Sub(date)))
		}
	}
	clean := func(words string) string { return sanitize(words, q.key, c.options.Key) }
	v.Code, v.Message = clean(v.Code), clean(v.Message)
	v.ListID = strings.ReplaceAll(v.ListID, c.options.Key, "[key]")
	for m := &v.Problem; m != nil; m = m.Cause {
		for name, value := range m.Args {
			m.Args[name] = clean(value)
		}
	}
	return v, x
}

// exchange makes one request and reads its response. It uses the transport directly: [http.Client] would follow
// redirects and return errors that contain the URL.
func (c *Client) exchange(ctx context.Context, q call) exchange {
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := c.request(ctx, q)
	if err != nil {
		return exchange{err: err}
	}
	response, err := c.transport.RoundTrip(req)
	if err != nil {
		return exchange{err: err, sent: connected.Load()}
	}
	defer response.Body.Close()
	x := exchange{sent: true, status: response.StatusCode, header: response.Header}
	if response.StatusCode == http.StatusSwitchingProtocols {
		return x // the body is a stream without an end
	}
	x.body, err = io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	untilClose := response.ContentLength < 0 && len(response.TransferEncoding) == 0 // a lost connection looks the same
	x.broken = err != nil || len(x.body) > maxResponse || untilClose
	if e := response.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		x.body, x.broken = nil, true // compressed without Accept-Encoding
	}
	return x
}

// request returns the HTTP request for a call. The path is the operation's name, except for [ListItems].
func (c *Client) request(ctx context.Context, q call) (*http.Request, error) {
	target := c.base.JoinPath(string(q.op))
	if q.op == ListItems {
		target = c.base.JoinPath(string(Lists), url.PathEscape(q.list), "items")
	}
	target.RawQuery = q.query.Encode()
	if q.method == "" && q.body != nil {
		q.method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, q.method, target.String(), nil) // "" is GET
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.options.UserAgent)
	if c.options.KeyHeader == "bearer" {
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
