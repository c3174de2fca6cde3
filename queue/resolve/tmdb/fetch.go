package tmdb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	maxParts = 20 // sub-requests that one request may have; more is refused with code 27
	maxPages = 5  // of 20 hits; a title with more is not read to its end
)

// Fetch asks the questions and returns what was answered; nil where TMDB cannot
// answer that question. With an error, that is what was answered before it.
func (c *Client) Fetch(ctx context.Context, wanted []identity.Question) (map[identity.Question]*identity.Answer, error) {
	found := map[identity.Question]*identity.Answer{}
	shows := map[int64][]identity.Question{}
	var order []int64
	for _, q := range wanted {
		if q.Ask == identity.AskSeries || q.Ask == identity.AskSeason {
			if shows[q.Number] == nil {
				order = append(order, q.Number)
			}
			shows[q.Number] = append(shows[q.Number], q)
			continue
		}
		a, err := c.one(ctx, q)
		if unanswerable(err) {
			found[q] = nil
			continue
		}
		if err != nil {
			return found, err
		}
		found[q] = &a
	}
	for _, show := range order {
		if err := c.series(ctx, show, shows[show], found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// unanswerable reports whether the question is at fault, and not TMDB.
func unanswerable(err error) bool { return errors.Is(err, errQuestion) }

// one asks a question that has a request of its own.
func (c *Client) one(ctx context.Context, q identity.Question) (identity.Answer, error) {
	switch q.Ask {
	case identity.AskIMDB:
		return c.find(ctx, q.Text, "imdb_id")
	case identity.AskTVDB:
		return c.find(ctx, strconv.FormatInt(q.Number, 10), "tvdb_id")
	case identity.AskFilm:
		var w work
		err := c.get(ctx, fmt.Sprintf("/movie/%d", q.Number), url.Values{"append_to_response": {"translations"}}, &w)
		switch {
		case err != nil:
			return identity.Answer{}, except(err)
		case w.ID != q.Number:
			return identity.Answer{}, c.web.Misshapen()
		}
		return identity.Answer{Films: []identity.Work{w.read(viewing.Movie)}}, nil
	case identity.SearchFor:
		return c.search(ctx, "/search/movie", q.Text)
	case identity.SearchTV:
		return c.search(ctx, "/search/tv", q.Text)
	default: // a streaming site's number, which TMDB does not have
		return identity.Answer{}, errQuestion
	}
}

// except takes "there is none" for an answer.
func except(err error) error {
	if errors.Is(err, errNone) {
		return nil
	}
	return err
}

func (c *Client) find(ctx context.Context, number, source string) (identity.Answer, error) {
	var hits struct { // an answer has all lists, however empty
		Films    *[]work `json:"movie_results"`
		Series   *[]work `json:"tv_results"`
		Episodes *[]part `json:"tv_episode_results"`
	}
	err := c.get(ctx, "/find/"+url.PathEscape(number), url.Values{"external_source": {source}}, &hits)
	switch {
	case err != nil:
		return identity.Answer{}, except(err)
	case hits.Films == nil || hits.Series == nil || hits.Episodes == nil:
		return identity.Answer{}, c.web.Misshapen()
	}
	return identity.Answer{Films: works(viewing.Movie, *hits.Films), Series: works(viewing.TV, *hits.Series), Episodes: parts(*hits.Episodes)}, nil
}

// search reads all pages: only then "there is no other" can be said.
func (c *Client) search(ctx context.Context, path, title string) (a identity.Answer, err error) {
	for page := 1; ; page++ {
		var hits struct {
			Results *[]work `json:"results"`
			Page    int     `json:"page"`
			Pages   int     `json:"total_pages"`
			Total   int     `json:"total_results"`
		}
		query := url.Values{"query": {title}, "include_adult": {"true"}, "page": {strconv.Itoa(page)}}
		if err := c.get(ctx, path, query, &hits); err != nil {
			return identity.Answer{}, except(err)
		}
		if hits.Results == nil {
			return identity.Answer{}, c.web.Misshapen()
		}
		if path == "/search/tv" {
			a.Series = distinct(append(a.Series, works(viewing.TV, *hits.Results)...))
		} else {
			a.Films = distinct(append(a.Films, works(viewing.Movie, *hits.Results)...))
		}
		if page >= hits.Pages || page == maxPages {
			read := len(a.Films) + len(a.Series)
			a.Partial = hits.Pages < 1 && read > 0 || hits.Pages > maxPages || hits.Page > 0 && hits.Page != page || read < hits.Total
			return a, nil
		}
	}
}

// distinct leaves each work out that was among them before: hits move from page
// to page while they are read.
func distinct(all []identity.Work) (out []identity.Work) {
	seen := map[int64]bool{}
	for _, w := range all {
		if !seen[w.TMDB] {
			seen[w.TMDB] = true
			out = append(out, w)
		}
	}
	return out
}

// series asks about a series and the seasons that are wanted of it, many in one
// request.
func (c *Client) series(ctx context.Context, show int64, wanted []identity.Question, found map[identity.Question]*identity.Answer) error {
	for len(wanted) > 0 {
		now := wanted[:min(len(wanted), maxParts-1)]
		wanted = wanted[len(now):]
		parts := []string{"translations"}
		for _, q := range now {
			if q.Ask == identity.AskSeason {
				parts = append(parts, fmt.Sprintf("season/%d", q.Season))
			}
		}
		var s series
		err := c.get(ctx, fmt.Sprintf("/tv/%d", show), url.Values{"append_to_response": {strings.Join(parts, ",")}}, &s)
		switch {
		case unanswerable(err):
		case except(err) != nil:
			return err
		case err == nil && s.ID != show:
			return c.web.Misshapen()
		}
		for _, q := range now {
			switch {
			case unanswerable(err):
				found[q] = nil
			case err != nil:
				found[q] = &identity.Answer{}
			case q.Ask == identity.AskSeries:
				found[q] = &identity.Answer{Series: []identity.Work{s.read(viewing.TV)}}
			default:
				found[q] = &identity.Answer{Episodes: s.season(show, q.Season)}
			}
		}
	}
	return nil
}
