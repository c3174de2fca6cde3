package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/filmspool/filmspool/queue/viewing"
)

// At most maxPages pages of pageSize items are read: 50,000 records.
const (
	pageSize = 100
	maxPages = 500
)

// User is the user of a key.
type User struct{ ID, Name string }

// RemoteList is a list as the service returns it.
type RemoteList struct{ ID, Name, Description, Visibility string }

// Me returns the user of the key (GET /me). If the service calls the key wrong, the error is a [Verdict] with outcome
// Refused.
func (c *Client) Me(ctx context.Context) (User, error) {
	v, u, decided := c.requestMe(ctx)
	switch {
	case decided && v.Outcome == Delivered:
		return u, nil
	case decided:
		return User{}, v
	default:
		return User{}, noEndpointError(v)
	}
}

// Lists reads all lists (GET /lists); complete says that all pages were read and the lists did not change meanwhile.
func (c *Client) Lists(ctx context.Context) (lists []RemoteList, complete bool, err error) {
	complete, _, err = c.readPages(ctx, Lists, url.Values{}, func(f fields) {
		lists = append(lists, RemoteList{
			ID: f.identifier("id"), Name: f.text("name"), Description: f.text("description"), Visibility: f.text("visibility"),
		})
	})
	return lists, complete, err
}

// noEndpointError returns an error that wraps [ErrNoEndpoint].
func noEndpointError(v Verdict) error {
	v.Outcome, v.Hint = Rejected, viewing.Message{}
	v.Problem = viewing.Say("answer.noEndpoint", "status", strconv.Itoa(v.Status))
	return v
}

// unreadableError returns the error for a response that does not have the documented form.
func unreadableError(v Verdict) error {
	v.Outcome, v.Problem = Offline, viewing.Say("answer.unread")
	return v
}

// readOptional makes one request to an optional endpoint and returns the JSON of a successful response.
func (c *Client) readOptional(ctx context.Context, q call) ([]byte, error) {
	v, x := c.do(ctx, q)
	missing := []int{
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented,
		http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest, http.StatusUnprocessableEntity,
	}
	switch {
	case slices.Contains(missing, x.status):
		return nil, noEndpointError(v)
	case x.is2xx() && json.Valid(x.body) && !parseBody(x.body, x.broken).isServiceError():
		return x.body, nil
	case v.Outcome == Later, v.Outcome == Unproven:
		return nil, v
	case x.is2xx():
		return nil, unreadableError(v)
	default:
		v.Outcome = Offline
		return nil, v
	}
}

// page is one page of results.
type page struct {
	items   []fields
	total   int   // items on all pages; -1 when unknown
	hasMore *bool // whether there is another page; nil when unknown
}

// readPage parses a page, flat or wrapped: the array itself, or an object that holds it under one of the usual
// names.
func readPage(body []byte) (p page, ok bool) {
	p.total = -1
	if p.items, ok = readObjects(body); ok {
		return p, true
	}
	outer, _ := readObject(body)
	inner, _ := outer.object("data")
	for _, f := range []fields{outer, inner} {
		for _, name := range []string{"data", "items", "history", "lists", "results", "entries"} {
			if items, found := readObjects(f[name]); found {
				p.items, ok = items, true
			}
		}
		pagination, _ := f.object("pagination")
		for _, f := range []fields{f, pagination} {
			if n, isNumber := f.number("total"); isNumber && n >= 0 {
				p.total = int(n)
			}
			p.hasMore = cmp.Or(f.boolean("hasMore"), p.hasMore)
		}
	}
	return p, ok
}

// readPages reads all pages of op, at most maxPages, and calls add for each item. The result is complete if every
// page had the same total and that many items were read; without a total, if a page said that it is the last, or
// was empty. bound says that the reading stopped at maxPages.
func (c *Client) readPages(ctx context.Context, op Operation, query url.Values, add func(fields)) (complete, bound bool, err error) {
	query.Set("pageSize", strconv.Itoa(pageSize))
	total, count := -1, 0
	for number := 1; number <= maxPages; number++ {
		query.Set("page", strconv.Itoa(number))
		body, err := c.readOptional(ctx, call{op: op, query: query})
		if err != nil {
			return false, false, err
		}
		p, ok := readPage(body)
		if !ok {
			return false, false, unreadableError(Verdict{Status: http.StatusOK})
		}
		for _, f := range p.items {
			add(f)
		}
		count += len(p.items)
		more := p.hasMore != nil && *p.hasMore
		switch {
		case number > 1 && p.total != total:
			return false, false, nil // the data changed during the reading
		case p.total >= 0 && count >= p.total:
			return count == p.total && !more, false, nil
		case len(p.items) == 0, p.hasMore != nil && !more:
			return p.total < 0, false, nil
		}
		total = p.total
	}
	return false, true, nil
}
