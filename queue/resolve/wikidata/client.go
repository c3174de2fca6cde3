package wikidata

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/resolve/web"
)

// DefaultEndpoint is where Wikidata's query service is.
const DefaultEndpoint = "https://query.wikidata.org/sparql"

// maxBatch is how many numbers one request asks about. A popular film has a
// hundred names, each of some 300 bytes.
const maxBatch = 50

// refusedFor is how long a refusal is heeded.
const refusedFor = 24 * time.Hour

// Client asks one address. It may be used from several goroutines.
type Client struct {
	endpoint  string
	userAgent string
	web       *web.Client
}

// New makes a client and sends nothing. endpoint is [DefaultEndpoint], or another
// address with https or on this machine. version is the program's own.
func New(endpoint, version string) (*Client, error) {
	if err := web.CheckAddress(endpoint, DefaultEndpoint); err != nil {
		return nil, fmt.Errorf("make client of Wikidata: %w", err)
	}
	return &Client{
		endpoint: endpoint, web: web.New("Wikidata", 1, 1),
		userAgent: "Filmspool/" + version + " (https://github.com/filmspool/filmspool)",
	}, nil
}

// Fetch asks the questions and returns what was answered; nil for what Wikidata
// cannot tell. With an error, that is what was answered before it.
func (c *Client) Fetch(ctx context.Context, wanted []identity.Question) (map[identity.Question]*identity.Answer, error) {
	found := map[identity.Question]*identity.Answer{}
	batches := map[string]map[string][]identity.Question{} // by property, then by number
	for _, q := range wanted {
		property, number := numberOf(q)
		if q.Own || property == "" || !plain(number) {
			found[q] = nil
			continue
		}
		if batches[property] == nil {
			batches[property] = map[string][]identity.Question{}
		}
		batches[property][number] = append(batches[property][number], q)
		if len(batches[property]) == maxBatch {
			if err := c.batch(ctx, property, batches[property], found); err != nil {
				return found, err
			}
			delete(batches, property)
		}
	}
	for property, numbers := range batches {
		if err := c.batch(ctx, property, numbers, found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// batch asks about some numbers of one property.
func (c *Client) batch(ctx context.Context, property string, numbers map[string][]identity.Question, found map[identity.Question]*identity.Answer) error {
	form := url.Values{"query": {query(property, numbers)}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return c.web.Later("its address is not valid")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/sparql-results+json")
	r.Header.Set("User-Agent", c.userAgent)
	answer, err := c.web.Do(r)
	switch {
	case errors.Is(err, web.ErrLarge):
		return c.web.Later("its answer is too large")
	case err != nil:
		return err
	case answer.Status != http.StatusOK:
		later := c.web.Refused(answer)
		if answer.Status < 500 && answer.Status != http.StatusTooManyRequests {
			later.Wait = max(later.Wait, refusedFor)
		}
		return later
	}
	works, ok := read(answer.Body)
	if !ok {
		return c.web.Misshapen()
	}
	for number, all := range numbers {
		a := works[number]
		for _, q := range all {
			found[q] = &a
		}
	}
	return nil
}

// query asks for the statements about the items with some numbers, a row for each.
func query(property string, numbers map[string][]identity.Question) string {
	var values strings.Builder
	for number := range numbers {
		fmt.Fprintf(&values, "%q ", number)
	}
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
  VALUES ?id { ` + values.String() + `}
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
