// Package wikidata asks Wikidata's query service which film or series of TMDB has a
// number of IMDb, of TVDB, or of a streaming site. It decides and keeps nothing, and
// needs no account. It tells numbers, never titles, and never the number of an episode:
// Wikidata has hardly any.
//
//	question        property          answer
//	IMDb number     P345              the item's films (P4947) and series (P4983) of TMDB
//	TVDB number     P4835, a series   the same
//	site's number   see below         the same
//
// Each work comes with all names of the item (its labels) and its first year (P577, or
// P580 of a series). They may show that the number is another title's.
//
// # Numbers of sites
//
// A site numbers its films and series by itself. If a page tells the number of a
// film or a series, the query uses this property:
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
// Other sites have no property, or one whose numbers no player shows. YouTube's
// (P1651) is often that of a trailer. At Prime Video, a film has a page. For a
// series, each season has one.
//
// # Traps
//
// A value of deprecated rank does not count, and an unknown value does not, either.
// An answer is marked as partial, and so never certain, in these cases:
//
//   - Several items have the number.
//   - The item has several such numbers, or is a film series (Q24856). Then its film may be a collection of TMDB.
//   - It is a film and a series of TMDB, or several of either.
//
// Wikidata's numbers of TMDB come mostly from TMDB itself, by a bot. So it is no second
// witness for them, and it may be years behind.
//
// # Manners
//
// One request at a time, one in a second, 10 numbers in each. The User-Agent names
// program, version and the project's page, as Wikimedia's policy asks. Retry-After is
// obeyed. After 401 or 403 nothing is asked for a day. A query that is refused, or
// whose answer is too large, is asked for each number alone; then only that number
// stays without an answer.
//
// The query, and the answers of the stub in the tests, were written from documents.
// These are of SPARQL 1.1 and of Wikidata's data model. The real service was not
// asked.
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

// DefaultEndpoint is where Wikidata's query service is.
const DefaultEndpoint = "https://query.wikidata.org/sparql"

// maxBatch is how many numbers one request asks about. A popular film has a hundred
// names, each of some 400 bytes, and an answer has 1 MB at most.
const maxBatch = 10

// refusedFor is how long a refusal of us is heeded.
const refusedDelay = 24 * time.Hour

// Client asks one address. It may be used from several goroutines.
type Client struct {
	endpoint  string
	userAgent string
	http      *resolve.HTTP
}

// New makes a client and sends nothing. endpoint is [DefaultEndpoint], or another
// address with https or on this machine. version is the program's own.
func New(endpoint, version string) (*Client, error) {
	if err := resolve.CheckAddress(endpoint, DefaultEndpoint); err != nil {
		return nil, fmt.Errorf("make client of Wikidata: %w", err)
	}
	return &Client{
		endpoint: endpoint, http: resolve.NewHTTP("Wikidata", 1, 1),
		userAgent: "Filmspool/" + version + " (https://github.com/filmspool/filmspool)",
	}, nil
}

// Fetch asks the questions and returns what was answered; nil for what Wikidata cannot
// tell. With an error, that is what was answered before it.
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

// batch asks about some numbers of one property. Where the answer is too large, or the
// query is refused, it asks about each alone.
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

// ask sends one query.
func (c *Client) runQuery(ctx context.Context, property string, numbers []string) (map[string]resolve.Answer, error) {
	answer, err := c.http.Do(ctx, c.endpoint, url.Values{"query": {buildQuery(property, numbers)}}, map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/sparql-results+json", "User-Agent": c.userAgent,
	})
	if err != nil {
		return nil, err
	}
	switch answer.Status {
	case http.StatusOK:
		return c.parseResults(answer.Body)
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, c.http.Refused(answer, refusedDelay)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusUnprocessableEntity:
		return nil, resolve.ErrUnanswerable
	default:
		return nil, c.http.Refused(answer, 0)
	}
}

// query asks for the statements about the items with some numbers, a row for each.
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
  ?item p:` + property + ` ?told . ?told ps:` + property + ` ?id ; wikibase:rank ?trust .
  FILTER(?trust != wikibase:DeprecatedRank)
  ` + strings.Join([]string{
		statement("number", property), statement("film", "P4947"), statement("series", "P4983"),
		statement("year", "P577"), statement("year", "P580"),
		`{ ?item rdfs:label ?value . BIND("name" AS ?what) }`,
		`{ ?item wdt:P31/wdt:P279* wd:Q24856 . BIND("collection" AS ?what) }`,
	}, "\n  UNION ") + `
}`
}

// numberOf is the property by which a question is asked, and the number as Wikidata
// has it: of a site, by the table of the package's comment. The property is "" for what
// Wikidata cannot tell.
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
	of := sites[site].film
	if q.Kind == viewing.TV {
		of = sites[site].show
	}
	property, before, _ := strings.Cut(of, " ")
	return property, before + number
}

// sites are the properties of a site's films and series, and what stands before a
// number there.
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

// plain is a number that has nothing in it that could be more than a number.
var safeNumber = regexp.MustCompile(`^[0-9A-Za-z._:/-]+$`)
