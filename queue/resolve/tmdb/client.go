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

var (
	// errNone says that there is nothing of that number.
	errNone = errors.New("TMDB has no such number")
	// errQuestion says that TMDB cannot answer this question, and may answer others.
	errQuestion = errors.New("TMDB cannot answer that")
)

// ErrToken says that TMDB refuses the token. It is a [resolve.ErrRefused].
var ErrToken error = tokenError{}

type tokenError struct{}

func (tokenError) Error() string        { return "TMDB refuses the token" }
func (tokenError) Is(target error) bool { return target == resolve.ErrRefused }

// Client asks one address with one token. It may be used from several goroutines.
type Client struct {
	base, token string
	http        *resolve.HTTP
}

// CheckToken says what is wrong with a token's form.
func CheckToken(token string) error {
	switch {
	case token == "":
		return errors.New("there is no token")
	case len(token) == 32 && strings.Trim(token, "0123456789abcdefABCDEF") == "":
		return errors.New("this is the API key; Filmspool needs the longer API Read Access Token, which stands below it")
	case len(token) > 4096 || strings.ContainsFunc(token, func(r rune) bool { return r < '!' || r > '~' }):
		return errors.New("this is not a valid token: a token is printable ASCII without spaces")
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
func (c *Client) Prove(ctx context.Context) error {
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
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path+"?"+query.Encode(), nil)
	if err != nil {
		return c.http.Later("its address is not valid")
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "filmspool")
	answer, err := c.http.Do(r)
	if errors.Is(err, resolve.ErrLarge) {
		return errQuestion
	}
	if err != nil {
		return err
	}
	var problem struct {
		Code int `json:"status_code"`
	}
	switch status := answer.Status; {
	case status == http.StatusOK:
		return c.decode(answer.Body, out)
	case json.Unmarshal(answer.Body, &problem) == nil && status == http.StatusUnauthorized && problem.Code > 0: // 3, 7, 10 or 14
		return ErrToken
	case status == http.StatusNotFound && (problem.Code == 34 || problem.Code == 6):
		return errNone
	case status == http.StatusBadRequest, status == http.StatusRequestURITooLong, status == http.StatusUnprocessableEntity, problem.Code == 44:
		return errQuestion
	default:
		return c.http.Refused(answer)
	}
}

// decode reads JSON of the documented shape, and not too much of it.
func (c *Client) decode(body []byte, out any) error {
	switch err := json.Unmarshal(body, out); {
	case errors.Is(err, resolve.ErrLarge):
		return errQuestion
	case err != nil:
		return c.http.Malformed()
	}
	return nil
}

// Fetch asks the questions and returns what was answered; nil where TMDB cannot answer
// that question. With an error, that is what was answered before it.
func (c *Client) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	for _, q := range wanted {
		switch a, err := c.one(ctx, q); {
		case errors.Is(err, errQuestion):
			found[q] = nil
		case errors.Is(err, errNone):
			found[q] = &resolve.Answer{}
		case err != nil:
			return found, err
		default:
			found[q] = &a
		}
	}
	return found, nil
}

func (c *Client) one(ctx context.Context, q resolve.Question) (resolve.Answer, error) {
	switch q.Ask {
	case resolve.AskIMDB:
		return c.find(ctx, q.Text, "imdb_id")
	case resolve.AskTVDB:
		return c.find(ctx, strconv.FormatInt(q.Number, 10), "tvdb_id")
	case resolve.AskFilm, resolve.AskSeries, resolve.AskSeason:
		return c.work(ctx, q)
	case resolve.SearchFor, resolve.SearchTV:
		return c.search(ctx, q)
	default: // a streaming site's number, which TMDB does not have
		return resolve.Answer{}, errQuestion
	}
}

// work asks about a film, a series, or one season of a series.
func (c *Client) work(ctx context.Context, q resolve.Question) (resolve.Answer, error) {
	path, parts, key := "/movie/", "translations", ""
	if q.Ask != resolve.AskFilm {
		path = "/tv/"
	}
	if q.Ask == resolve.AskSeason {
		key = fmt.Sprintf("season/%d", q.Season)
		parts += "," + key
	}
	var body json.RawMessage
	var w work
	err := c.get(ctx, path+strconv.FormatInt(q.Number, 10), url.Values{"append_to_response": {parts}}, &body)
	switch {
	case err != nil:
		return resolve.Answer{}, err
	}
	err = c.decode(body, &w)
	switch {
	case err != nil:
		return resolve.Answer{}, err
	case w.ID != q.Number:
		return resolve.Answer{}, c.http.Malformed()
	case q.Ask == resolve.AskFilm:
		return resolve.Answer{Films: works(viewing.Movie, []work{w})}, nil
	case q.Ask == resolve.AskSeries:
		return resolve.Answer{Series: works(viewing.TV, []work{w})}, nil
	}
	var all map[string]json.RawMessage
	var season struct {
		Episodes resolve.List[part] `json:"episodes"`
	}
	if json.Unmarshal(body, &all) != nil || all[key] != nil && json.Unmarshal(all[key], &season) != nil {
		return resolve.Answer{}, errQuestion
	}
	for i := range season.Episodes {
		season.Episodes[i].Show, season.Episodes[i].Season = q.Number, q.Season
	}
	return resolve.Answer{Episodes: episodes(season.Episodes)}, nil
}

func (c *Client) find(ctx context.Context, number, source string) (resolve.Answer, error) {
	var hits struct { // an answer has all lists, however empty
		Films    resolve.List[work] `json:"movie_results"`
		Series   resolve.List[work] `json:"tv_results"`
		Episodes resolve.List[part] `json:"tv_episode_results"`
	}
	err := c.get(ctx, "/find/"+url.PathEscape(number), url.Values{"external_source": {source}}, &hits)
	switch {
	case err != nil:
		return resolve.Answer{}, err
	case hits.Films == nil || hits.Series == nil || hits.Episodes == nil:
		return resolve.Answer{}, c.http.Malformed()
	}
	return resolve.Answer{Films: works(viewing.Movie, hits.Films), Series: works(viewing.TV, hits.Series), Episodes: episodes(hits.Episodes)}, nil
}

// search reads all pages: only then "there is no other" can be said.
func (c *Client) search(ctx context.Context, q resolve.Question) (a resolve.Answer, err error) {
	path, kind, all := "/search/movie", viewing.Movie, &a.Films
	if q.Ask == resolve.SearchTV {
		path, kind, all = "/search/tv", viewing.TV, &a.Series
	}
	seen := map[int64]bool{} // hits move from page to page while they are read
	for page := 1; ; page++ {
		var hits struct {
			Results resolve.List[work] `json:"results"`
			Page    int                `json:"page"`
			Pages   int                `json:"total_pages"`
			Total   int                `json:"total_results"`
		}
		query := url.Values{"query": {q.Text}, "include_adult": {"true"}, "page": {strconv.Itoa(page)}}
		if err := c.get(ctx, path, query, &hits); err != nil {
			return resolve.Answer{}, err
		}
		if hits.Results == nil {
			return resolve.Answer{}, c.http.Malformed()
		}
		for _, w := range works(kind, hits.Results) {
			if !seen[w.TMDB] {
				seen[w.TMDB] = true
				*all = append(*all, w)
			}
		}
		if page >= hits.Pages || page == maxPages {
			read := len(*all)
			a.Partial = hits.Pages < 1 && read > 0 || hits.Pages > maxPages || hits.Page > 0 && hits.Page != page || read < hits.Total
			return a, nil
		}
	}
}
