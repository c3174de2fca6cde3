// Package wikidata asks Wikidata's query service which film or series of TMDB has a
// number of IMDb, of TVDB, or of a streaming site. It answers questions of package resolve,
// stores nothing, and needs no account. It sends only numbers, never titles, and no numbers
// of episodes, since Wikidata has hardly any.
//
//	question        property          answer
//	IMDb number     P345              the item's films (P4947) and series (P4983) of TMDB
//	TVDB number     P4835, a series   the same
//	site's number   see below         the same
//
// Each work has all names of the item (its labels) and its first year (P577, or P580 of a
// series). Package resolve uses them to detect a wrong number.
//
// # Numbers of sites
//
// The property used for a site's number of a film or series:
//
//	site           film                   series
//	appletv        P9586                  P9751
//	bbc-iplayer    P827                   P827
//	crunchyroll    -                      P11330
//	hbomax         P8298, after "movie/"  P8298, after "show/"
//	hulu           P6466                  P6467
//	jiohotstar     P11049                 P11049
//	mubi           P7299                  -
//	netflix        P1874                  P1874
//	paramountplus  P13147                 -
//	primevideo     P14462                 -
//	tubi           P7760                  P7760
//
// Other sites have no property, or a property with numbers that players do not show. YouTube's
// (P1651) often belongs to a trailer. Prime Video has a number for each film, but for each
// season of a series, so it is used for films only.
//
// # Uncertain answers
//
// Values of deprecated rank and unknown values are ignored.
// An answer is partial, and so never certain, in these cases:
//
//   - Several items have the number.
//   - The item has several such numbers, or is a film series (Q24856). Its film may then be a collection of TMDB.
//   - The item has a film and a series of TMDB, or several of either.
//
// Wikidata's TMDB numbers are mostly copied from TMDB by a bot. So they do not confirm
// TMDB's data, and may be outdated.
//
// # Limits
//
// One request at a time, one per second, with 10 numbers each. The User-Agent contains
// program, version and the project's page, as Wikimedia's policy requires. Retry-After is
// respected. After 401 or 403 there are no requests for a day. If a query is refused, or its
// response is too large, each number is requested alone, so that only one number stays
// without an answer.
//
// The query, and the responses of the stub in the tests, follow the documentation of
// SPARQL 1.1 and of Wikidata's data model; they were not tested against the real service.
package wikidata

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// DefaultEndpoint is the address of Wikidata's query service.
const DefaultEndpoint = "https://query.wikidata.org/sparql"

// maxBatch is the number of site numbers in one request. A popular film has a hundred names
// of about 400 bytes each, and a response may have 1 MB at most.
const maxBatch = 10

// refusedDelay is the wait after a response 401 or 403.
const refusedDelay = 24 * time.Hour

// Client sends queries to one address. It may be used from several goroutines.
type Client struct {
	endpoint  string
	userAgent string
	http      *resolve.HTTP
}

// New returns a client without sending anything. endpoint is [DefaultEndpoint], or another
// address that [resolve.CheckAddress] accepts. version is the program's version.
func New(endpoint, version string) (*Client, error) {
	if err := resolve.CheckAddress(endpoint, DefaultEndpoint); err != nil {
		return nil, fmt.Errorf("make client of Wikidata: %w", err)
	}
	return &Client{
		endpoint: endpoint, http: resolve.NewHTTP("Wikidata", 1, 1),
		userAgent: "Filmspool/" + version + " (https://github.com/filmspool/filmspool)",
	}, nil
}

// Fetch implements [resolve.Fetcher].
func (c *Client) Fetch(ctx context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	found := map[resolve.Question]*resolve.Answer{}
	batches := map[string][]resolve.Question{} // by property
	for _, q := range wanted {
		if property, number := propertyOf(q); property != "" && safeNumber.MatchString(number) {
			batches[property] = append(batches[property], q)
		} else {
			found[q] = nil
		}
	}
	for property, all := range batches {
		for some := range slices.Chunk(all, maxBatch) {
			if err := c.fetchBatch(ctx, property, some, found); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}

// fetchBatch requests some numbers of one property. If the response is too large, or the
// query is refused, it requests each number alone.
func (c *Client) fetchBatch(ctx context.Context, property string, wanted []resolve.Question, found map[resolve.Question]*resolve.Answer) error {
	var numbers []string
	for _, q := range wanted {
		_, number := propertyOf(q)
		numbers = append(numbers, number)
	}
	works, err := c.runQuery(ctx, property, numbers)
	switch {
	case errors.Is(err, resolve.ErrUnanswerable) && len(wanted) > 1:
		for i := range wanted {
			if err := c.fetchBatch(ctx, property, wanted[i:i+1], found); err != nil {
				return err
			}
		}
		return nil
	case errors.Is(err, resolve.ErrUnanswerable):
		found[wanted[0]] = nil
		return nil
	case err != nil:
		return err
	}
	for _, q := range wanted {
		_, number := propertyOf(q)
		a := works[number]
		found[q] = &a
	}
	return nil
}

// runQuery sends one query and returns the answers by number.
func (c *Client) runQuery(ctx context.Context, property string, numbers []string) (map[string]resolve.Answer, error) {
	response, err := c.http.Do(ctx, c.endpoint, url.Values{"query": {buildQuery(property, numbers)}}, map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/sparql-results+json", "User-Agent": c.userAgent,
	})
	if err != nil {
		return nil, err
	}
	switch response.Status {
	case http.StatusOK:
		return c.parseResults(response.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, c.http.Refused(response, refusedDelay)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusUnprocessableEntity:
		return nil, resolve.ErrUnanswerable
	default:
		return nil, c.http.Refused(response, 0)
	}
}

// buildQuery returns the query for the statements about the items with the given numbers, a
// row for each.
func buildQuery(property string, numbers []string) string {
	statement := func(what, property string) string {
		return fmt.Sprintf(`{ ?item p:%[2]s ?s . ?s ps:%[2]s ?value ; wikibase:rank ?rank . BIND("%[1]s" AS ?what) }`, what, property)
	}
	return `PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
SELECT ?id ?item ?what ?value ?rank WHERE {
  VALUES ?id { "` + strings.Join(numbers, `" "`) + `" }
  ?item p:` + property + ` ?statement . ?statement ps:` + property + ` ?id ; wikibase:rank ?trustRank .
  FILTER(?trustRank != wikibase:DeprecatedRank)
  ` + strings.Join([]string{
		statement("number", property), statement("film", "P4947"), statement("series", "P4983"),
		statement("year", "P577"), statement("year", "P580"),
		`{ ?item rdfs:label ?value . BIND("name" AS ?what) }`,
		`{ ?item wdt:P31/wdt:P279* wd:Q24856 . BIND("collection" AS ?what) }`,
	}, "\n  UNION ") + `
}`
}

// propertyOf returns the property for a question, and the number in Wikidata's form, by the
// table of the package comment. The property is "" if Wikidata cannot answer the question.
func propertyOf(q resolve.Question) (property, number string) {
	switch {
	case q.Kind == viewing.Episode:
		return "", ""
	case q.Topic == resolve.ByIMDB:
		return "P345", q.Text
	case q.Topic == resolve.ByTVDB:
		return "P4835", strconv.FormatInt(q.Number, 10)
	case q.Topic != resolve.BySite:
		return "", ""
	}
	site, number, _ := strings.Cut(q.Text, " ")
	spec := sites[site].film
	if q.Kind == viewing.TV {
		spec = sites[site].show
	}
	property, prefix, _ := strings.Cut(spec, " ")
	return property, prefix + number
}

// sites holds the properties for a site's films and series, with the prefix of the numbers
// after a blank.
var sites = map[string]struct{ film, show string }{
	"appletv":       {"P9586", "P9751"},
	"bbc-iplayer":   {"P827", "P827"},
	"crunchyroll":   {"", "P11330"},
	"hbomax":        {"P8298 movie/", "P8298 show/"},
	"hulu":          {"P6466", "P6467"},
	"jiohotstar":    {"P11049", "P11049"},
	"mubi":          {"P7299", ""},
	"netflix":       {"P1874", "P1874"},
	"paramountplus": {"P13147", ""},
	"primevideo":    {"P14462", ""},
	"tubi":          {"P7760", "P7760"},
}

// safeNumber matches numbers that can be inserted into a query without escaping.
var safeNumber = regexp.MustCompile(`^[0-9A-Za-z._:/-]+$`)
