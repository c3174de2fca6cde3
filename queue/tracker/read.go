package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// pageSize is how many items one page holds.
const pageSize = 100

// limits bound a reading. A service that passes one of them is not read further, and its reading is not complete.
type limits struct {
	pages int // of pageSize items
	bytes int // of all answers
}

// usualLimits allow 50,000 records, with 1 KB for each.
var usualLimits = limits{pages: 500, bytes: 64 << 20}

// User is whose key it is.
type User struct{ ID, Name string }

// RemoteList is a list as the service shows it.
type RemoteList struct{ ID, Name, Description, Visibility string }

// Me asks whose key it is (GET /me). A key that the service itself calls wrong is a [ReadError] that says
// Refused.
func (c *Client) Me(ctx context.Context) (User, error) {
	v, u, decided := c.askMe(ctx)
	switch {
	case decided && v.Fate == Delivered:
		return u, nil
	case decided:
		return User{}, &ReadError{Verdict: v}
	default:
		return User{}, noEndpoint(v)
	}
}

// Lists reads all lists (GET /lists); complete says that all pages were read and nothing moved meanwhile.
func (c *Client) Lists(ctx context.Context) (lists []RemoteList, complete bool, err error) {
	all, err := readPages(ctx, c, Lists, url.Values{}, func(f fields) RemoteList {
		return RemoteList{ID: f.identifier("id"), Name: f.text("name"), Description: f.text("description"), Visibility: f.text("visibility")}
	})
	return all.items, all.complete, err
}

func noEndpoint(v Verdict) error {
	v.Fate, v.Hint = Rejected, viewing.Message{}
	v.Problem = viewing.Say("answer.noEndpoint", "status", strconv.Itoa(v.Status))
	return &ReadError{Verdict: v}
}

// read makes one request of an optional endpoint and returns the JSON of a good answer.
func (c *Client) read(ctx context.Context, q call) ([]byte, error) {
	q.key, q.limit = c.key, maxPage
	v, x := c.do(ctx, q)
	switch x.status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest, http.StatusUnprocessableEntity:
		return nil, noEndpoint(v)
	}
	if x.success() && json.Valid(x.body) && !readAnswer(x.body, x.broken).own() {
		return x.body, nil
	}
	if v.Fate != Later && v.Fate != Unproven {
		v.Fate = Offline
		if x.success() {
			v.Problem = unreadable
		}
	}
	return nil, &ReadError{Verdict: v}
}

// unreadable is said of an answer that cannot be read.
var unreadable = viewing.Say("answer.unread")

// page is one page of a reading.
type page struct {
	items   []fields
	total   int  // of all pages; -1 when not told
	more    bool // there is another page
	hasMore bool // whether there is another page was told
}

// readPage reads a page, flat or wrapped: the array itself, or an object that holds it under one of the usual
// names. More items than were asked for are no answer.
func readPage(body []byte) (p page, ok bool) {
	p.total = -1
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		p.items, ok = readObjects(body, pageSize)
		return p, ok
	}
	outer, _ := readObject(body)
	inner, _ := outer.object("data")
	for _, f := range []fields{outer, inner} {
		for _, name := range []string{"data", "items", "history", "lists", "results", "entries"} {
			if !ok {
				p.items, ok = readObjects(f[name], pageSize)
			}
		}
		about := []fields{f}
		if pagination, ok := f.object("pagination"); ok {
			about = append(about, pagination)
		}
		for _, f := range about {
			if n, ok := f.number("total"); ok && n >= 0 {
				p.total = int(n)
			}
			if more := f.boolean("hasMore"); more != nil {
				p.more, p.hasMore = *more, true
			}
		}
	}
	return p, ok
}

// pages are what was read of all pages.
type pages[T any] struct {
	items    []T
	complete bool // every page was read, and nothing moved meanwhile
	bound    bool // it ended at a limit: another try would end there, too
}

// readPages reads all pages of op; keep makes of an item what is kept of it. The reading is complete only when
// every page told one and the same total, and that many items came; without a total, when a page told that it
// is the last, or was empty.
func readPages[T any](ctx context.Context, c *Client, op Operation, query url.Values, keep func(fields) T) (all pages[T], err error) {
	query.Set("pageSize", strconv.Itoa(pageSize))
	total, size := -1, 0
	for number := 1; number <= c.limits.pages; number++ {
		query.Set("page", strconv.Itoa(number))
		body, err := c.read(ctx, call{op: op, query: query})
		if err != nil {
			return pages[T]{}, err
		}
		p, ok := readPage(body)
		if !ok {
			return pages[T]{}, &ReadError{Verdict: Verdict{Fate: Offline, Status: http.StatusOK, Problem: unreadable}}
		}
		for _, f := range p.items {
			all.items = append(all.items, keep(f))
		}
		size += len(body)
		switch {
		case number > 1 && p.total != total:
			return all, nil // it changed meanwhile
		case p.total >= 0 && len(all.items) >= p.total:
			all.complete = len(all.items) == p.total && !p.more
			return all, nil
		case len(p.items) == 0, p.hasMore && !p.more:
			all.complete = p.total < 0
			return all, nil
		case size > c.limits.bytes:
			all.bound = true
			return all, nil
		}
		total = p.total
	}
	all.bound = true
	return all, nil
}
