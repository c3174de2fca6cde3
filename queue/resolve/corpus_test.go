package resolve

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

//go:embed testdata/cases.tsv
var cases string

// row is one of the corpus: what a source told, what could be asked then, and
// what it truly was.
type row struct {
	kind, given, world, answer string
	holdOK                     bool
}

func rows() (all []row) {
	for line := range strings.Lines(cases) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cells) == 8 && cells[0] != "kind" {
			all = append(all, row{cells[0], cells[1], cells[3], cells[4], cells[5] == "yes"})
		}
	}
	return all
}

// No row of the corpus is decided wrongly, and few are held that need not be.
func TestCorpus(t *testing.T) {
	held, clear := map[string]int{}, map[string]int{}
	for _, r := range rows() {
		d := Decide(evidenceIn(t, r.given), worldIn(t, r.world))
		got := said(d)
		if r.kind == "" || got != "hold" && got != r.answer {
			t.Errorf("%s: %s\n  in %s: %s (%s), want %s", r.kind, r.given, r.world, got, d.Why, r.answer)
		}
		if !r.holdOK {
			clear[r.kind]++
			if got == "hold" {
				held[r.kind]++
				t.Logf("held: %s: %s: %s", r.kind, r.given, d.Why)
			}
		}
	}
	all, most := 0, 0
	for kind, n := range clear {
		all, most = all+held[kind], most+n
	}
	t.Logf("%d of %d are held that need not be: %v", all, most, held)
	if most < 140 || all*10 > most {
		t.Errorf("%d of %d are held that need not be", all, most)
	}
}

// numbersAlone knows what Wikidata could know at best: the works of a row's numbers.
type numbersAlone struct{ world }

func (w numbersAlone) Answer(q Question) (*Answer, bool) {
	a, _ := w.world.Answer(q)
	if q.Ask == AtSite || q.Ask == AtSiteTV {
		return a, true
	}
	if a == nil || q.Own || q.Ask != AskIMDB && q.Ask != AskTVDB {
		return nil, true
	}
	for _, all := range [][]Work{a.Films, a.Series} {
		for i := range all {
			all[i].By = "Wikidata"
		}
	}
	return &Answer{Films: a.Films, Series: a.Series, Partial: len(a.Films)+len(a.Series) > 1}, true
}

// Where Wikidata alone is asked, no row of the corpus is decided wrongly either.
func TestCorpusWithNumbersAlone(t *testing.T) {
	right := map[viewing.MediaType]int{}
	for _, r := range rows() {
		e := evidenceIn(t, r.given)
		if e.Show.TMDB+e.Own.TMDB > 0 {
			continue // nobody tells whether TMDB has that number
		}
		switch d := Decide(e, numbersAlone{worldIn(t, r.world)}); said(d) {
		case "hold":
		case r.answer:
			right[e.Kind]++
		default:
			t.Errorf("%s: %s\n  in %s: %s (%s), want %s", r.kind, r.given, r.world, said(d), d.Why, r.answer)
		}
	}
	if t.Logf("right: %v", right); right[viewing.Movie] < 20 || right[viewing.Episode] < 20 {
		t.Errorf("right: %v", right)
	}
}

func said(d Decision) string {
	switch it := d.Item; {
	case it == nil:
		return "hold"
	case it.Kind == viewing.Episode && it.TMDB == 0:
		return fmt.Sprintf("episode-id:%d", it.Own)
	case it.Kind == viewing.Episode:
		return fmt.Sprintf("episode:%d:%d:%d", it.TMDB, it.Season, it.Number)
	default:
		return fmt.Sprintf("%s:%d", it.Kind, it.TMDB)
	}
}

// given is what a source told, as the corpus writes it.
type given struct {
	Type            viewing.MediaType
	IDs             map[string]any
	Title           string
	Year            int
	Show            *given
	Season, Episode any
	Last            int `json:"episode_end"`
}

func (g given) told() Reported {
	t := Reported{Title: g.Title, Year: g.Year}
	for list, id := range g.IDs {
		n, _ := strconv.ParseInt(fmt.Sprint(id), 10, 64)
		if f, ok := id.(float64); ok {
			n = int64(f)
		}
		switch list {
		case "imdb":
			t.IMDB = id.(string)
		case "tmdb":
			t.TMDB = n
		case "tvdb":
			t.TVDB = n
		case "netflix":
			t.Site = fmt.Sprintf("netflix %d", n)
		}
	}
	return t
}

func evidenceIn(t *testing.T, text string) Evidence {
	t.Helper()
	var g given
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	e := Evidence{Kind: g.Type, Own: g.told(), Season: number(g.Season), Episode: number(g.Episode)}
	if g.Show != nil {
		e.Show = g.Show.told()
	}
	if g.Last > 0 { // a file of several episodes is told one by one, or not at all
		e.Episode = nil
	}
	return e
}

// number is an integer that is told as a figure or in words.
func number(told any) *int {
	n, err := strconv.Atoi(fmt.Sprint(told))
	if err != nil {
		return nil
	}
	return &n
}

// world is what can be asked in a row.
type world map[string]map[string]json.RawMessage

func worldIn(t *testing.T, text string) world {
	t.Helper()
	var loose map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &loose); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	w := world{}
	for name, body := range loose {
		var table map[string]json.RawMessage
		if json.Unmarshal(body, &table) == nil {
			w[name] = table
		}
	}
	return w
}

// told is a work as the corpus writes it: a number, or more of it.
type told struct {
	ID                              int64
	Title, Name, Alternative, OwnID string
	Original                        string `json:"original_title"`
	Year                            int
	Show                            int64
	Season, Episode                 int
}

func (w *told) UnmarshalJSON(body []byte) error {
	type plain told
	if json.Unmarshal(body, &w.ID) == nil {
		w.Episode = int(w.ID)
		return nil
	}
	return json.Unmarshal(body, (*plain)(w))
}

func (w told) work(kind viewing.MediaType) Work {
	out := Work{Candidate: Candidate{Type: kind, TMDB: w.ID, Title: w.Title + w.Name, Year: w.Year}}
	if w.Original != "" {
		out.Names = []string{w.Original}
	}
	return out
}

func works(kind viewing.MediaType, all []told) (out []Work) {
	for _, w := range all {
		out = append(out, w.work(kind))
	}
	return out
}

// Answer knows what the row knows; nobody can answer anything else.
func (w world) Answer(q Question) (*Answer, bool) {
	switch q.Ask {
	case AskIMDB, AskTVDB:
		key := "imdb:" + q.Text
		if q.Ask == AskTVDB {
			key = fmt.Sprintf("tvdb:%d", q.Number)
		}
		var found struct{ Movie, TV, Episode []told }
		if json.Unmarshal(w["find"][key], &found) != nil {
			return nil, true
		}
		return &Answer{Films: works(viewing.Movie, found.Movie), Series: works(viewing.TV, found.TV), Episodes: partsOf(found.Episode, Question{})}, true
	case AtSite, AtSiteTV:
		return w.atSite(q), true
	case AskFilm, AskSeries:
		return w.work(q), true
	case AskSeason:
		var list []told
		switch body := w["season"][fmt.Sprintf("%d/%d", q.Number, q.Season)]; {
		case string(body) == "404", strings.HasPrefix(string(body), `"has no`):
			return &Answer{}, true
		case json.Unmarshal(body, &list) != nil:
			return nil, true
		}
		return &Answer{Episodes: partsOf(list, q)}, true
	default:
		var hits []told
		table := map[Ask]string{SearchFor: "search_movie", SearchTV: "search_tv"}[q.Ask]
		if json.Unmarshal(w[table][q.Text], &hits) != nil {
			return nil, true
		}
		if q.Ask == SearchTV {
			return &Answer{Series: works(viewing.TV, hits)}, true
		}
		return &Answer{Films: works(viewing.Movie, hits)}, true
	}
}

// atSite is what Wikidata says of a number of Netflix.
func (w world) atSite(q Question) *Answer {
	var items []struct{ P4947, P4983 []string }
	if json.Unmarshal(w["wikidata"][strings.Replace(q.Text, "netflix ", "P1874=", 1)], &items) != nil {
		return nil
	}
	a := &Answer{Partial: len(items) != 1}
	for _, it := range items {
		for kind, numbers := range map[viewing.MediaType][]string{viewing.Movie: it.P4947, viewing.TV: it.P4983} {
			for _, number := range numbers {
				one := Work{Candidate: Candidate{Type: kind}, By: "Wikidata"}
				one.TMDB, _ = strconv.ParseInt(number, 10, 64)
				if kind == viewing.TV {
					a.Series = append(a.Series, one)
				} else {
					a.Films = append(a.Films, one)
				}
			}
		}
	}
	return a
}

func (w world) work(q Question) *Answer {
	table := map[Ask]string{AskFilm: "movie", AskSeries: "tv"}[q.Ask]
	body := w[table][strconv.FormatInt(q.Number, 10)]
	if string(body) == "404" {
		return &Answer{}
	}
	var one told
	if json.Unmarshal(body, &one) != nil {
		return nil
	}
	one.ID = q.Number
	if q.Ask == AskSeries {
		return &Answer{Series: []Work{one.work(viewing.TV)}}
	}
	return &Answer{Films: []Work{one.work(viewing.Movie)}}
}

func partsOf(all []told, of Question) (out []Part) {
	for _, p := range all {
		part := Part{TMDB: p.ID, Show: p.Show, Season: p.Season, Number: p.Episode, Name: p.Name}
		if of.Number > 0 {
			part.Show, part.Season, part.TMDB = of.Number, of.Season, 0
		}
		out = append(out, part)
	}
	return out
}
