package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Client is the [API] of a running daemon.
type Client struct {
	API
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
	for _, r := range c.routes() {
		r.connect(c)
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

// readFault is what the daemon said instead of an answer.
func readFault(answer *http.Response) error {
	var f Fault
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxBody)).Decode(&f); err != nil || f.Code == "" {
		return fmt.Errorf("ask the daemon: it answered %s, which is not filmspool's way", answer.Status)
	}
	return &f
}
