package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
)

// Client is the [API] of a running daemon.
type Client struct {
	API
	http *http.Client
}

// newClient asks the daemon that listens at path.
func newClient(path string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}
	c := &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	for question, f := range reflect.ValueOf(&c.API).Elem().Fields() {
		f.Set(reflect.MakeFunc(f.Type(), func(in []reflect.Value) []reflect.Value { return c.ask(question, in) }))
	}
	return c
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// post sends a body, and has read take the body of a good answer.
func (c *Client) post(ctx context.Context, path string, body io.Reader, read func(io.Reader) error) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://filmspool"+path, body)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("ask the daemon: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		var f Fault
		if err := json.NewDecoder(answer.Body).Decode(&f); err != nil || f.Code == "" {
			return fmt.Errorf("ask the daemon: it answered %s", answer.Status)
		}
		return &f
	}
	if err := read(answer.Body); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}
