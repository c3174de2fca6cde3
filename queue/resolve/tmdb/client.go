// Package tmdb asks themoviedb.org (TMDB), with the user's own token, what is needed
// to decide which film or episode is meant. It decides and keeps nothing.
//
//	question               request (API v3, https://developer.themoviedb.org)
//	IMDb, TVDB number      GET /find/{number}?external_source=imdb_id or tvdb_id
//	film                   GET /movie/{id}?append_to_response=translations
//	series                 GET /tv/{id}?append_to_response=translations
//	season                 GET /tv/{id}?append_to_response=translations,season/{n}
//	title                  GET /search/movie or /search/tv, page after page
//
// The token goes into a header, never into an address. At most five requests leave in
// a second, ten at once. A refused token stops the asking for a day; 429 and errors of
// the server put it off. An answer that is not JSON of the documented shape counts as
// none: a portal's page never says "not found". The requests and their answers are made
// from TMDB's own OpenAPI document. No real TMDB was asked while this was written.
package tmdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// DefaultBase is where TMDB's API is.
const DefaultBase = "https://api.themoviedb.org/3"

const (
	perSecond = 5
	burst     = 10
	maxPages  = 5 // of 20 hits; a title with more is not read to its end
)

// errNone says that there is nothing of that number.
var errNotFound = errors.New("TMDB has no such number")

// ErrToken says that TMDB refuses the token. It is a [resolve.ErrRefused].
var ErrToken = fmt.Errorf("TMDB refuses the token: %w: %w", resolve.ErrRefused, viewing.Say("asked.refuses"))

// Client asks one address with one token. It may be used from several goroutines.
type Client struct {
	base, token string
	http        *resolve.HTTP
}

// CheckToken says what is wrong with a token's form.
func CheckToken(token string) error {
	switch {
	case token == "":
		return viewing.Say("asked.tokenless")
	case len(token) == 32 && strings.Trim(token, "0123456789abcdefABCDEF") == "":
		return viewing.Say("asked.apiKey")
	case len(token) > 4096 || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }):
		return viewing.Say("asked.tokenForm")
	}
	return nil
}

// New makes a client and sends nothing. base is [DefaultBase], or another address with
// https or on this machine. Its errors never hold the token.
func New(base, token string) (*Client, error) {
	if err := errors.Join(resolve.CheckAddress(base, DefaultBase), CheckToken(token)); err != nil {
		return nil, fmt.Errorf("make client of TMDB: %w", err)
	}
	return &Client{base: base, token: token, http: resolve.NewHTTP("TMDB", perSecond, burst)}, nil
}

// String names the address and leaves the token out, whoever prints it.
func (c *Client) String() string { return "TMDB client for " + c.base }

// GoString is String: %#v would show the token otherwise.
func (c *Client) GoString() string { return c.String() }

// LogValue is String, for loggers that take values apart.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Prove asks TMDB whether it takes the token.
func (c *Client) VerifyToken(ctx context.Context) error {
	var taken struct{ Success bool }
	err := c.get(ctx, "/authentication", nil, &taken)
	if err == nil && !taken.Success {
		return c.http.Malformed()
	}
	return err
}

// get reads one answer into out. Its errors name no path and no query: both may tell
// what was watched.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	answer, err := c.http.Do(ctx, c.base+path+"?"+query.Encode(), nil, map[string]string{
		"Authorization": "Bearer " + c.token, "Accept": "application/json", "User-Agent": "filmspool",
	})
	if err != nil {
		return err
	}
	var problem struct {
		Code int `json:"status_code"`
	}
	switch status := answer.Status; {
	case status == http.StatusOK:
		return c.http.Decode(answer.Body, out)
	case json.Unmarshal(answer.Body, &problem) == nil && status == http.StatusUnauthorized && problem.Code > 0: // 3, 7, 10 or 14
		return ErrToken
	case status == http.StatusNotFound && (problem.Code == 34 || problem.Code == 6):
		return errNotFound
	case status == http.StatusBadRequest, status == http.StatusRequestURITooLong, status == http.StatusUnprocessableEntity, problem.Code == 44:
		return resolve.ErrUnanswerable
	default:
		return c.http.Refused(answer, 0)
	}
}

// Fetch asks the questions and returns what was answered; nil where TMDB cannot answer
// that question. With an error, that is what was answered before it.
func (c *Client) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	for _, q := range wanted {
		switch a, err := c.fetchOne(ctx, q); {
		case errors.Is(err, resolve.ErrUnanswerable):
			found[q] = nil
		case errors.Is(err, errNotFound):
			found[q] = &resolve.Answer{}
		case err != nil:
			return found, err
		default:
			found[q] = &a
		}
	}
	return found, nil
}

func (c *Client) fetchOne(ctx context.Context, q resolve.Question) (resolve.Answer, error) {
	switch q.Topic {
	case resolve.ByIMDB:
		return c.find(ctx, q.Text, "imdb_id")
	case resolve.ByTVDB:
		return c.find(ctx, strconv.FormatInt(q.Number, 10), "tvdb_id")
	case resolve.Details:
		w, _, err := c.work(ctx, pathWords[q.Kind], q.Number, "translations")
		return resolve.Answer{Works: toWorks(q.Kind, []work{w})}, err
	case resolve.Season:
		return c.season(ctx, q)
	case resolve.ByTitle:
		return c.search(ctx, q)
	default: // a streaming site's number, which TMDB does not have
		return resolve.Answer{}, resolve.ErrUnanswerable
	}
}

// paths are the words of TMDB's addresses.
var pathWords = map[viewing.MediaType]string{viewing.Movie: "movie", viewing.TV: "tv"}

// work reads a film or series with a number, and parts of it. all are its fields.
func (c *Client) work(ctx context.Context, path string, number int64, parts string) (w work, all map[string]json.RawMessage, err error) {
	var body json.RawMessage
	err = c.get(ctx, "/"+path+"/"+strconv.FormatInt(number, 10), url.Values{"append_to_response": {parts}}, &body)
	if err == nil {
		err = errors.Join(c.http.Decode(body, &w), c.http.Decode(body, &all))
	}
	if err == nil && w.ID != number {
		err = c.http.Malformed()
	}
	return w, all, err
}

// season reads the episodes of a season together with the series: a season that is not
// there is left out of the answer.
func (c *Client) season(ctx context.Context, q resolve.Question) (resolve.Answer, error) {
	key := fmt.Sprintf("season/%d", q.Season)
	var season struct {
		Episodes []episode `json:"episodes"`
	}
	_, all, err := c.work(ctx, "tv", q.Number, "translations,"+key)
	switch {
	case err != nil:
		return resolve.Answer{}, err
	case all[key] != nil && json.Unmarshal(all[key], &season) != nil:
		return resolve.Answer{}, resolve.ErrUnanswerable
	}
	for i := range season.Episodes {
		season.Episodes[i].Show, season.Episodes[i].Season = q.Number, q.Season
	}
	return resolve.Answer{Episodes: toEpisodes(season.Episodes)}, nil
}

func (c *Client) find(ctx context.Context, number, source string) (resolve.Answer, error) {
	var hits struct { // an answer has all lists, however empty
		Films    []work    `json:"movie_results"`
		Series   []work    `json:"tv_results"`
		Episodes []episode `json:"tv_episode_results"`
	}
	err := c.get(ctx, "/find/"+url.PathEscape(number), url.Values{"external_source": {source}}, &hits)
	switch {
	case err != nil:
		return resolve.Answer{}, err
	case hits.Films == nil || hits.Series == nil || hits.Episodes == nil:
		return resolve.Answer{}, c.http.Malformed()
	}
	return resolve.Answer{Works: append(toWorks(viewing.Movie, hits.Films), toWorks(viewing.TV, hits.Series)...), Episodes: toEpisodes(hits.Episodes)}, nil
}

// search reads all pages: only then "there is no other" can be said.
func (c *Client) search(ctx context.Context, q resolve.Question) (a resolve.Answer, err error) {
	seen := map[int64]bool{} // hits move from page to page while they are read
	for page := 1; ; page++ {
		var hits struct {
			Results []work `json:"results"`
			Page    int    `json:"page"`
			Pages   int    `json:"total_pages"`
			Total   int    `json:"total_results"`
		}
		query := url.Values{"query": {q.Text}, "include_adult": {"true"}, "page": {strconv.Itoa(page)}}
		if err := c.get(ctx, "/search/"+pathWords[q.Kind], query, &hits); err != nil {
			return resolve.Answer{}, err
		}
		if hits.Results == nil {
			return resolve.Answer{}, c.http.Malformed()
		}
		for _, w := range toWorks(q.Kind, hits.Results) {
			if !seen[w.TMDB] {
				seen[w.TMDB] = true
				a.Works = append(a.Works, w)
			}
		}
		if page >= hits.Pages || page == maxPages {
			read := len(a.Works)
			a.Partial = hits.Pages < 1 && read > 0 || hits.Pages > maxPages || hits.Page > 0 && hits.Page != page || read < hits.Total
			return a, nil
		}
	}
}
