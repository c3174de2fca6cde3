package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// The optional endpoints, beyond the contract: a service may lack any.
const mediaStatus Operation = "media/status"

// maxReading bounds one answer to a read, in bytes: a hundred records with
// all that a service may say of each.
const maxReading = 4 << 20

// ErrNoEndpoint is wrapped when the service has no such endpoint for this key:
// 404, 405, 501, 401 or 403 there, or a question that it refuses as invalid.
var ErrNoEndpoint = errors.New("the service has no such endpoint")

// ReadError is why a read gave nothing. Its Verdict is Offline, Later,
// Refused, Unproven or, with [ErrNoEndpoint], Rejected; it is never in doubt.
type ReadError struct{ Verdict Verdict }

func (e *ReadError) Error() string { return "read from the service: " + e.Verdict.Problem }

// Unwrap is [ErrNoEndpoint] for a missing one.
func (e *ReadError) Unwrap() error {
	if e.Verdict.Fate == Rejected {
		return ErrNoEndpoint
	}
	return nil
}

// VerdictOf is the verdict that an error of a read carries; ok is false for
// another error.
func VerdictOf(err error) (v Verdict, ok bool) {
	var r *ReadError
	if !errors.As(err, &r) {
		return Verdict{}, false
	}
	return r.Verdict, true
}

// User is whose key it is.
type User struct{ ID, Name string }

// Me asks whose key it is (GET /me). A key that the service itself calls
// wrong is a [ReadError] that says Refused.
func (c *Client) Me(ctx context.Context) (User, error) {
	v, u, decided := c.askMe(ctx)
	switch {
	case decided && v.Fate == Delivered:
		return User{ID: u.id, Name: u.name}, nil
	case decided:
		return User{}, &ReadError{v}
	default:
		return User{}, c.missing(v)
	}
}

// missing is the error for an endpoint that is not there.
func (c *Client) missing(v Verdict) error {
	v.Fate, v.Hint = Rejected, ""
	v.Problem = fmt.Sprintf("The service has no such endpoint (%d).", v.Status)
	return &ReadError{v}
}

// ask makes a read and gives the JSON of a good answer.
func (c *Client) ask(ctx context.Context, q call) (json.RawMessage, error) {
	q.key, q.limit = c.key, maxReading
	v, s := c.actAndRead(ctx, q)
	switch s.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest, http.StatusUnprocessableEntity:
		return nil, c.missing(v)
	}
	if s.success() && json.Valid(s.body) && !readAnswer(s.body, s.broken).own() {
		return s.body, nil
	}
	switch v.Fate {
	case Later, Unproven:
	default:
		v.Fate = Offline
		if s.success() {
			v.Problem = "The service's answer could not be read."
		}
	}
	return nil, &ReadError{v}
}

// page asks for one page of op.
func (c *Client) page(ctx context.Context, op Operation, q url.Values, number, size int) (sheet, error) {
	if q == nil {
		q = url.Values{}
	}
	q.Set("page", strconv.Itoa(number))
	q.Set("pageSize", strconv.Itoa(size))
	body, err := c.ask(ctx, call{op: op, query: q})
	if err != nil {
		return sheet{}, err
	}
	s, ok := readSheet(body)
	if !ok {
		return sheet{}, &ReadError{Verdict{Fate: Offline, Status: http.StatusOK, Problem: "The service's answer could not be read."}}
	}
	return s, nil
}

// sheet is one page as it came.
type sheet struct {
	items []fields
	total int  // of all pages; -1 when not told
	more  bool // there is another page, as far as it was told
	told  bool // more was told
}

// readSheet reads a page, flat or wrapped: the array itself, or an object that
// holds it under one of the usual names.
func readSheet(body json.RawMessage) (sheet, bool) {
	s := sheet{total: -1}
	if items, ok := readItems(body); ok {
		s.items = items
		return s, true
	}
	outer, ok := readObject(body)
	if !ok {
		return s, false
	}
	inner := outer
	if data, ok := readObject(outer["data"]); ok {
		inner = data
	}
	found := false
	for _, f := range []fields{outer, inner} {
		for _, name := range []string{"data", "items", "history", "lists", "results", "entries"} {
			if items, ok := readItems(f[name]); ok && !found {
				s.items, found = items, true
			}
		}
		s.readTotals(f)
		if p, ok := readObject(f["pagination"]); ok {
			s.readTotals(p)
		}
	}
	return s, found
}

func (s *sheet) readTotals(f fields) {
	if n, ok := f.number("total"); ok && n >= 0 {
		s.total = int(n)
	}
	var more bool
	if raw, ok := f["hasMore"]; ok && json.Unmarshal(raw, &more) == nil {
		s.more, s.told = more, true
	}
}

// readItems reads an array of objects; one of anything else is none.
func readItems(raw json.RawMessage) ([]fields, bool) {
	var items []fields
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	return items, true
}

// number is a member that is a whole number, or one written as text.
func (f fields) number(name string) (int64, bool) {
	text := f.text(name)
	if text == "" {
		text = string(f[name])
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// positive is a member that is a number from 1, else 0.
func (f fields) positive(name string) int64 {
	n, _ := f.number(name)
	return max(n, 0)
}

// instant is a member that is a time; the zero time when it is none. A day
// alone is its begin in UTC, and so is a time without a zone.
func (f fields) instant(name string) time.Time {
	text := f.text(name)
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05.999999999", time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// maxPages bounds one reading: 50,000 records.
const (
	maxPages = 500
	pageSize = 100
)

// pages reads all pages. It is complete only when every page was read, told
// one and the same total, and that many items came; without a total, when a
// page told that it is the last, or was empty.
func (c *Client) pages(ctx context.Context, op Operation, q url.Values) (items []fields, whole bool, err error) {
	total := -1
	for number := 1; number <= maxPages; number++ {
		s, err := c.page(ctx, op, q, number, pageSize)
		if err != nil {
			return nil, false, err
		}
		if number > 1 && s.total != total {
			return items, false, nil // it changed meanwhile
		}
		total = s.total
		items = append(items, s.items...)
		switch {
		case total >= 0 && len(items) >= total:
			return items, len(items) == total && !s.more, nil
		case len(s.items) == 0, s.told && !s.more:
			return items, total < 0, nil
		}
	}
	return items, false, nil
}
