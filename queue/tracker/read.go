package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// The optional endpoints, beyond the contract: a service may lack any.
const mediaStatus Operation = "media/status"

const pageSize = 100 // items of one page

// bounds are those of one reading. A service that passes one of them is not read
// further, and its reading is not complete.
type bounds struct {
	pages   int // of pageSize items
	answer  int // bytes of one answer
	answers int // bytes of all answers
	kept    int // bytes of the texts that are kept
}

// usual allows 50,000 records, and a hundred with all that may be said of each in
// one answer.
var usual = bounds{pages: 500, answer: 4 << 20, answers: 64 << 20, kept: 8 << 20}

// Me asks whose key it is (GET /me). A key that the service itself calls
// wrong is a [ReadError] that says Refused.
func (c *Client) Me(ctx context.Context) (User, error) {
	v, u, decided := c.askMe(ctx)
	switch {
	case decided && v.Fate == Delivered:
		return User{ID: u.id, Name: u.name}, nil
	case decided:
		return User{}, &ReadError{Verdict: v}
	default:
		return User{}, c.missing(v)
	}
}

// missing is the error for an endpoint that is not there.
func (c *Client) missing(v Verdict) error {
	v.Fate, v.Hint = Rejected, ""
	v.Problem = fmt.Sprintf("The service has no such endpoint (%d).", v.Status)
	return &ReadError{Verdict: v}
}

// ask makes a read and gives the JSON of a good answer.
func (c *Client) ask(ctx context.Context, q call) (json.RawMessage, error) {
	q.key, q.limit = c.key, c.most.answer
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
			v.Problem = unreadable
		}
	}
	return nil, &ReadError{Verdict: v}
}

// unreadable is what is said of an answer that is none.
const unreadable = "The service's answer could not be read."

// page asks for one page of op.
func (c *Client) page(ctx context.Context, op Operation, q url.Values, number int) (sheet, error) {
	if q == nil {
		q = url.Values{}
	}
	q.Set("page", strconv.Itoa(number))
	q.Set("pageSize", strconv.Itoa(pageSize))
	body, err := c.ask(ctx, call{op: op, query: q})
	if err != nil {
		return sheet{}, err
	}
	s, ok := readSheet(body, pageSize)
	if !ok {
		return sheet{}, &ReadError{Verdict: Verdict{Fate: Offline, Status: http.StatusOK, Problem: unreadable}}
	}
	return s, nil
}

// sheet is one page as it came.
type sheet struct {
	items []fields // parts of the answer
	size  int      // bytes of the answer
	total int      // of all pages; -1 when not told
	more  bool     // there is another page, as far as it was told
	told  bool     // more was told
}

// readSheet reads a page, flat or wrapped: the array itself, or an object that
// holds it under one of the usual names. More items than were asked for are no
// answer.
func readSheet(body json.RawMessage, most int) (sheet, bool) {
	s := sheet{total: -1, size: len(body)}
	body = bytes.TrimSpace(body)
	if !json.Valid(body) {
		return s, false
	}
	if body[0] == '[' {
		items, ok := readItems(body, most)
		s.items = items
		return s, ok
	}
	outer, ok := asObject(body)
	if !ok {
		return s, false
	}
	inner := outer
	if data, ok := outer.object("data"); ok {
		inner = data
	}
	found := false
	for _, f := range []fields{outer, inner} {
		for _, name := range []string{"data", "items", "history", "lists", "results", "entries"} {
			if found {
				break
			}
			s.items, found = readItems(f.get(name), most)
		}
		s.readTotals(f)
		if p, ok := f.object("pagination"); ok {
			s.readTotals(p)
		}
	}
	return s, found
}

func (s *sheet) readTotals(f fields) {
	if n, ok := f.number("total"); ok && n >= 0 {
		s.total = int(n)
	}
	if more := f.truth("hasMore"); more != nil {
		s.more, s.told = *more, true
	}
}

// readItems reads an array of at most so many objects; one of anything else is
// none.
func readItems(raw json.RawMessage, most int) ([]fields, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	items := []fields{}
	for item := range elements(raw) {
		if item[0] != '{' || len(items) == most {
			return nil, false
		}
		items = append(items, fields(item))
	}
	return items, true
}

// pile is what was read of all pages.
type pile[T any] struct {
	items []T
	whole bool // every page was read, and nothing moved meanwhile
	bound bool // it was broken off at a bound: another try would end there, too
}

// readPages reads all pages; keep makes of an item what is kept of it, and says
// how many bytes of text that has. The pile is whole only when every page was
// read, told one and the same total, and that many items came; without a total,
// when a page told that it is the last, or was empty.
func readPages[T any](ctx context.Context, c *Client, op Operation, q url.Values, keep func(fields) (T, int)) (pile[T], error) {
	var all pile[T]
	total, answers, kept := -1, 0, 0
	for number := 1; number <= c.most.pages; number++ {
		s, err := c.page(ctx, op, q, number)
		if err != nil {
			return pile[T]{}, err
		}
		for _, f := range s.items {
			item, size := keep(f)
			all.items, kept = append(all.items, item), kept+size
		}
		answers += s.size
		switch {
		case number > 1 && s.total != total:
			return all, nil // it changed meanwhile
		case s.total >= 0 && len(all.items) >= s.total:
			all.whole = len(all.items) == s.total && !s.more
			return all, nil
		case len(s.items) == 0, s.told && !s.more:
			all.whole = s.total < 0
			return all, nil
		case answers > c.most.answers, kept > c.most.kept:
			all.bound = true
			return all, nil
		}
		total = s.total
	}
	all.bound = true
	return all, nil
}
