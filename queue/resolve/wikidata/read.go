package wikidata

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// term is a value in SPARQL's JSON.
type term struct {
	Type     string `json:"type"` // uri, literal or bnode
	Value    string `json:"value"`
	Language string `json:"xml:lang"`
}

// row is one statement about an item with a number.
type row struct {
	ID    term `json:"id"`
	Item  term `json:"item"`
	What  term `json:"what"`
	Value term `json:"value"`
	Rank  term `json:"rank"`
}

// item is the data of one Wikidata item.
type item struct {
	numbers, films, series []string // without deprecated and unknown values
	names                  []string // the English one first
	year                   int
	collection             bool
}

// parseResults parses a response of the query service and returns the answers by number.
// A truncated body is an error: a query that exceeds the server's time limit ends in the
// middle of the response.
func (c *Client) parseResults(body []byte) (map[string]resolve.Answer, error) {
	var response struct {
		Results struct {
			Bindings []row `json:"bindings"`
		} `json:"results"`
	}
	if err := c.http.Decode(body, &response); err != nil {
		return nil, err
	}
	if response.Results.Bindings == nil {
		return nil, c.http.Malformed()
	}
	items := map[[2]string]*item{} // by number and the item's address
	for _, r := range response.Results.Bindings {
		key := [2]string{r.ID.Value, r.Item.Value}
		if items[key] == nil {
			items[key] = &item{}
		}
		items[key].addRow(r)
	}
	found := map[string]resolve.Answer{}
	for key, it := range items {
		a, several := found[key[0]]
		works := append(it.toWorks(viewing.Movie, it.films), it.toWorks(viewing.TV, it.series)...)
		a.Works = append(a.Works, works...)
		a.Partial = a.Partial || several || it.collection || len(it.numbers) != 1 || len(works) > 1
		slices.SortFunc(a.Works, func(a, b resolve.Work) int {
			return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.TMDB, b.TMDB))
		})
		found[key[0]] = a
	}
	return found, nil
}

// addRow adds the statement in a row.
func (it *item) addRow(r row) {
	value := r.Value.Value
	switch what := r.What.Value; {
	case what == "collection":
		it.collection = true
	case r.Value.Type != "literal" || strings.HasSuffix(r.Rank.Value, "#DeprecatedRank"):
	case what == "number":
		it.numbers = addUnique(it.numbers, value)
	case what == "film":
		it.films = addUnique(it.films, value)
	case what == "series":
		it.series = addUnique(it.series, value)
	case what == "year" && len(value) > 4 && value[4] == '-':
		if year, err := strconv.Atoi(value[:4]); err == nil && year > 0 && (it.year == 0 || year < it.year) {
			it.year = year
		}
	case what == "name" && value != "":
		if it.names = addUnique(it.names, value); r.Value.Language == "en" {
			it.names = append([]string{value}, slices.DeleteFunc(it.names, func(name string) bool { return name == value })...)
		}
	}
}

// addUnique appends a value that is not in all yet.
func addUnique(all []string, value string) []string {
	if slices.Contains(all, value) {
		return all
	}
	return append(all, value)
}

// toWorks returns the item as works of TMDB, one for each valid number.
func (it *item) toWorks(kind viewing.MediaType, numbers []string) (out []resolve.Work) {
	for _, number := range numbers {
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil || id <= 0 {
			continue
		}
		w := resolve.Work{Candidate: resolve.Candidate{Type: kind, TMDB: id, Year: it.year}, By: "Wikidata"}
		if len(it.names) > 0 {
			w.Title, w.Names = it.names[0], it.names[1:]
		}
		out = append(out, w)
	}
	return out
}
