package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Client is the [Control] of a running daemon, over its control API.
type Client struct {
	address string
	token   string
	http    *http.Client
}

// NewClient talks to the daemon at address ("127.0.0.1:43456") with its
// control token. On each connection the daemon first proves that it knows the
// token; a call to anybody else fails with [ErrUnproven], and tells nothing.
func NewClient(address, token string) *Client {
	c := &Client{address: address, token: token}
	c.http = &http.Client{
		// Loopback only: a proxy must never see the token.
		Transport: &http.Transport{Proxy: nil, DialContext: c.dial},
		// The daemon never sends us elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// call makes one request and decodes its answer into out.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("ask the daemon: %w", err)
		}
		body = bytes.NewReader(text)
	}
	return c.stream(ctx, method, path, body, func(answer io.Reader) error {
		return json.NewDecoder(answer).Decode(out)
	})
}

// stream makes one request and has read take the body of a good answer.
func (c *Client) stream(ctx context.Context, method, path string, body io.Reader, read func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+c.address+path, body)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return readFault(answer)
	}
	if err := read(answer.Body); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}

// ask makes one request and returns its answer.
func ask[T any](ctx context.Context, c *Client, method, path string, in any) (T, error) {
	var out T
	err := c.call(ctx, method, path, in, &out)
	return out, err
}

// readFault is what the daemon said instead of an answer.
func readFault(answer *http.Response) error {
	var f Fault
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxBody)).Decode(&f); err != nil || f.Code == "" {
		return fmt.Errorf("ask the daemon: it answered %s, which is not filmspool's way", answer.Status)
	}
	return &f
}

// Status implements [Control].
func (c *Client) Status(ctx context.Context) (Status, error) {
	return ask[Status](ctx, c, http.MethodGet, "/v1/control/status", nil)
}

// Add implements [Control].
func (c *Client) Add(ctx context.Context, v viewing.Viewing) (Entry, error) {
	return ask[Entry](ctx, c, http.MethodPost, "/v1/control/entries", v)
}

// List implements [Control].
func (c *Client) List(ctx context.Context, q Query) ([]Entry, error) {
	values := url.Values{}
	for name, value := range map[string]string{
		"state": q.State, "account": q.Account, "source": q.Source, "kind": string(q.Kind), "reason": q.Reason, "item": q.Item,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Limit != 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	return ask[[]Entry](ctx, c, http.MethodGet, "/v1/control/entries?"+values.Encode(), nil)
}

// Explain implements [Control].
func (c *Client) Explain(ctx context.Context, id int64) (Explanation, error) {
	return ask[Explanation](ctx, c, http.MethodGet, fmt.Sprintf("/v1/control/entries/%d", id), nil)
}

// Login implements [Control].
func (c *Client) Login(ctx context.Context, l Login) (LoginResult, error) {
	return ask[LoginResult](ctx, c, http.MethodPost, "/v1/control/login", l)
}

// ScanKodi implements [Control].
func (c *Client) ScanKodi(ctx context.Context) (Scan, error) {
	return ask[Scan](ctx, c, http.MethodGet, "/v1/control/kodi/scan", nil)
}

// Pair implements [Control].
func (c *Client) Pair(ctx context.Context) (PairingCode, error) {
	return ask[PairingCode](ctx, c, http.MethodPost, "/v1/control/pair", nil)
}

// Clients implements [Control].
func (c *Client) Clients(ctx context.Context) ([]ClientInfo, error) {
	return ask[[]ClientInfo](ctx, c, http.MethodGet, "/v1/control/clients", nil)
}

// newClient asks for an [AddedClient].
type newClient struct {
	Label string `json:"label"`
}

// AddClient implements [Control].
func (c *Client) AddClient(ctx context.Context, label string) (AddedClient, error) {
	return ask[AddedClient](ctx, c, http.MethodPost, "/v1/control/clients", newClient{label})
}

// Revoke implements [Control].
func (c *Client) Revoke(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, "/v1/control/clients/"+url.PathEscape(id), nil, &struct{}{})
}

// Acknowledge implements [Control].
func (c *Client) Acknowledge(ctx context.Context, id int64) error {
	return c.call(ctx, http.MethodDelete, "/v1/control/notices/"+strconv.FormatInt(id, 10), nil, &struct{}{})
}
