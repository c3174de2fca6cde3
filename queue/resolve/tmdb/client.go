// Package tmdb is a client of themoviedb.org (TMDB) with the user's own token. It answers the
// questions of package resolve, and stores nothing.
//
//	question               request (API v3, https://developer.themoviedb.org)
//	IMDb, TVDB number      GET /find/{number}?external_source=imdb_id or tvdb_id
//	film                   GET /movie/{id}?append_to_response=translations
//	series                 GET /tv/{id}?append_to_response=translations
//	season                 GET /tv/{id}?append_to_response=translations,season/{n}
//	title                  GET /search/movie or /search/tv, page after page
//
// The token is sent in a header, never in a URL. At most five requests per second are made,
// with bursts of ten. A refused token stops requests for a day; 429 and server errors delay
// them. A response that is not JSON of the documented shape is an error: a captive portal's
// page never means "not found". Requests and responses follow TMDB's OpenAPI document; they
// were not tested against the real TMDB.
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

// DefaultBase is the address of TMDB's API.
const DefaultBase = "https://api.themoviedb.org/3"

const (
	perSecond = 5
	burst     = 10
	maxPages  = 5 // of 20 hits; more hits make the answer partial
)

// errNotFound says that TMDB has no work with that number.
var errNotFound = errors.New("TMDB has no such number")

// ErrToken says that TMDB refuses the token. It wraps [resolve.ErrRefused].
var ErrToken = fmt.Errorf("TMDB refuses the token: %w: %w", resolve.ErrRefused, viewing.Say("asked.refuses"))

// Client sends requests to one address with one token. It may be used from several
// goroutines.
type Client struct {
	base, token string
	http        *resolve.HTTP
}

// CheckToken checks the form of a token, without a request.
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

// New returns a client without sending anything. base is [DefaultBase], or another address
// that [resolve.CheckAddress] accepts. Its errors never contain the token.
func New(base, token string) (*Client, error) {
	if err := errors.Join(resolve.CheckAddress(base, DefaultBase), CheckToken(token)); err != nil {
		return nil, fmt.Errorf("make client of TMDB: %w", err)
	}
	return &Client{base: base, token: token, http: resolve.NewHTTP("TMDB", perSecond, burst)}, nil
}

// String returns the address without the token.
func (c *Client) String() string { return "TMDB client for " + c.base }

// GoString keeps %#v from printing the token.
func (c *Client) GoString() string { return c.String() }

// LogValue keeps structured loggers from printing the token.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// VerifyToken checks with a request whether TMDB accepts the token.
func (c *Client) VerifyToken(ctx context.Context) error {
	var result struct{ Success bool }
	err := c.get(ctx, "/authentication", nil, &result)
	if err == nil && !result.Success {
		return c.http.Malformed()
	}
	return err
}

// get makes a GET request and decodes the response into out. Its errors contain no path and
// no query: both may reveal what was watched.
func (c *Client) get(ctx context.Context, path string, query url.Values, out any) error {
	response, err := c.http.Do(ctx, c.base+path+"?"+query.Encode(), nil, map[string]string{
		"Authorization": "Bearer " + c.token, "Accept": "application/json", "User-Agent": "filmspool",
	})
	if err != nil {
		return err
	}
	var problem struct {
		Code int `json:"status_code"`
	}
	switch status := response.Status; {
	case status == http.StatusOK:
		return c.http.Decode(response.Body, out)
	case json.Unmarshal(response.Body, &problem) == nil && status == http.StatusUnauthorized && problem.Code > 0: // 3, 7, 10 or 14
		return ErrToken
	case status == http.StatusNotFound && (problem.Code == 34 || problem.Code == 6):
		return errNotFound
	case status == http.StatusBadRequest, status == http.StatusRequestURITooLong, status == http.StatusUnprocessableEntity, problem.Code == 44:
		return resolve.ErrUnanswerable
	default:
		return c.http.Refused(response, 0)
	}
}

// Fetch implements [resolve.Fetcher].
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

// fetchOne requests the answer to one question.
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
	default: // TMDB has no numbers of streaming sites
		return resolve.Answer{}, resolve.ErrUnanswerable
	}
}

// pathWords are the words for media types in TMDB's paths.
var pathWords = map[viewing.MediaType]string{viewing.Movie: "movie", viewing.TV: "tv"}

// work requests a film or series by its number, with the given append_to_response parts. all
// holds the fields of the response.
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

// season requests the episodes of a season together with the series, since TMDB then omits
// a missing season instead of returning 404.
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

// find requests the works and episodes with a number of another database.
func (c *Client) find(ctx context.Context, number, source string) (resolve.Answer, error) {
	var hits struct { // a valid response has all three lists
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

// search searches a title and reads all pages, to make sure that no other work has it.
func (c *Client) search(ctx context.Context, q resolve.Question) (a resolve.Answer, err error) {
	seen := map[int64]bool{} // hits may move to another page between requests
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
