package resolve

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

//go:embed testdata/cases.tsv
var cases string

// row is a row of the corpus: the evidence, the answers of TMDB and Wikidata (world), and
// the right result.
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

// No row of the corpus is decided wrongly, and few are held unnecessarily.
func TestCorpus(t *testing.T) {
	held, clear := map[string]int{}, map[string]int{}
	for _, r := range rows() {
		d := Decide(evidenceIn(t, r.given), worldIn(t, r.world).answer)
		got := outcomeKey(d)
		if r.kind == "" || got != "hold" && got != r.answer {
			t.Errorf("%s: %s\n  in %s: %s (%s), want %s", r.kind, r.given, r.world, got, d.Why.Code, r.answer)
		}
		if !r.holdOK {
			clear[r.kind]++
			if got == "hold" {
				held[r.kind]++
				t.Logf("held: %s: %s: %s", r.kind, r.given, d.Why.Code)
			}
		}
	}
	all, most := 0, 0
	for kind, n := range clear {
		all, most = all+held[kind], most+n
	}
	t.Logf("%d of %d are held unnecessarily: %v", all, most, held)
	if most < 140 || all*10 > most {
		t.Errorf("%d of %d are held unnecessarily", all, most)
	}
}

// For each film or series in the corpus, played and reported by its title alone, no other
// work is certain. All works have the same runtime, which is the worst case.
func TestCorpusWithoutYears(t *testing.T) {
	played, certain := 0, map[string]int{}
	for _, r := range rows() {
		for _, kind := range []viewing.MediaType{viewing.Movie, viewing.TV} {
			w := worldIn(t, r.world)
			for query := range w["search_"+string(kind)] {
				hits := w.find(Question{Topic: ByTitle, Kind: kind, Text: query})
				for _, truth := range hits.worksOfKind(kind) {
					if !truth.hasName(query) {
						continue
					}
					known := func(q Question) (*Answer, bool) {
						a, _ := w.answer(q)
						switch {
						case q.Topic == Season:
							a = &Answer{Episodes: []Episode{{Show: q.Number, Season: q.Season, Number: 1, Minutes: 100}}}
						case q.Topic == Details && a.isEmpty():
							a = &Answer{Works: []Work{{Candidate: Candidate{Type: q.Kind, TMDB: q.Number}}}}
						}
						if q.Topic == Details {
							a.Works[0].Minutes = 100
						}
						return a, true
					}
					e := Evidence{Media: viewing.Media{Type: kind, Title: query}, Runtime: 99 * time.Minute}
					if kind == viewing.TV {
						e.Media = viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: query}, Season: n(1), Episode: n(1)}
					}
					d := Decide(e, known)
					if played++; d.Item == nil {
						continue
					}
					if certain[string(kind)]++; d.Work.TMDB != truth.TMDB {
						t.Errorf("%s was played, and %s is certain", truth, d.Work)
					}
					for _, runtime := range []time.Duration{0, 96 * time.Minute, 104 * time.Minute} {
						if e.Runtime = runtime; Decide(e, known).Item != nil {
							t.Errorf("%s is certain, and %s long", truth, runtime)
						}
					}
				}
			}
		}
	}
	if t.Logf("%d played, certain: %v", played, certain); certain["movie"] < 50 || certain["tv"] < 10 {
		t.Errorf("%d played, certain: %v", played, certain)
	}
}

// numbersAlone returns the best possible answer of Wikidata: the works with a row's numbers.
func (w world) numbersAlone(q Question) (*Answer, bool) {
	a, _ := w.answer(q)
	if q.Topic == BySite {
		return a, true
	}
	if a == nil || q.Kind == viewing.Episode || q.Topic != ByIMDB && q.Topic != ByTVDB {
		return nil, true
	}
	for i := range a.Works {
		a.Works[i].By = "Wikidata"
	}
	return &Answer{Works: a.Works, Partial: len(a.Works) > 1}, true
}

// With Wikidata alone, no row of the corpus is decided wrongly either.
func TestCorpusWithWikidataOnly(t *testing.T) {
	right := map[viewing.MediaType]int{}
	for _, r := range rows() {
		e := evidenceIn(t, r.given)
		if ClueOf(e.Media).IDs.TMDB+e.IDs.TMDB > 0 {
			continue // Wikidata cannot check a TMDB number
		}
		switch d := Decide(e, worldIn(t, r.world).numbersAlone); outcomeKey(d) {
		case "hold":
		case r.answer:
			right[e.Type]++
		default:
			t.Errorf("%s: %s\n  in %s: %s (%s), want %s", r.kind, r.given, r.world, outcomeKey(d), d.Why.Code, r.answer)
		}
	}
	if t.Logf("right: %v", right); right[viewing.Movie] < 20 || right[viewing.Episode] < 20 {
		t.Errorf("right: %v", right)
	}
}

func outcomeKey(d Decision) string {
	if d.Item == nil {
		return "hold"
	}
	if d.Item.Type == viewing.Episode && !d.Item.Placed() {
		return fmt.Sprintf("episode-id:%d", d.Item.IDs.TMDB)
	}
	return d.Item.Key()
}

// corpusSource is the evidence in a row of the corpus.
type corpusSource struct {
	Type            viewing.MediaType
	IDs             map[string]any
	Title           string
	Year            int
	Show            *corpusSource
	Season, Episode any
	Last            int `json:"episode_end"`
	Minutes         int // the player's runtime
}

func (g corpusSource) ids() (ids viewing.IDs, netflix string) {
	for list, id := range g.IDs {
		n, _ := strconv.ParseInt(fmt.Sprint(id), 10, 64)
		if f, ok := id.(float64); ok {
			n = int64(f)
		}
		switch list {
		case "imdb":
			ids.IMDB = id.(string)
		case "tmdb":
			ids.TMDB = n
		case "tvdb":
			ids.TVDB = n
		case "netflix":
			netflix = strconv.FormatInt(n, 10)
		}
	}
	return ids, netflix
}

func evidenceIn(t *testing.T, text string) Evidence {
	t.Helper()
	var g corpusSource
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	m := viewing.Media{Type: g.Type, Title: g.Title, Year: g.Year, Season: number(g.Season), Episode: number(g.Episode)}
	site := viewing.Site{Name: "netflix"}
	m.IDs, site.Title = g.ids()
	if g.Show != nil {
		m.Show = &viewing.Show{Title: g.Show.Title, Year: g.Show.Year}
		m.Show.IDs, site.Series = g.Show.ids()
	}
	if site.Title+site.Series != "" {
		m.Site = &site
	}
	if g.Last > 0 { // a source reports the episodes of such a file one by one, or without numbers
		m.Episode = nil
	}
	return Evidence{Media: m, Runtime: time.Duration(g.Minutes) * time.Minute}
}

// number returns an integer of the corpus, nil if it is described in words.
func number(value any) *int {
	n, err := strconv.Atoi(fmt.Sprint(value))
	if err != nil {
		return nil
	}
	return &n
}

// world holds the answers in a row, by table and key.
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

// corpusWork is a work in the corpus: a number, or an object.
type corpusWork struct {
	ID                              int64
	Title, Name, Alternative, OwnID string
	Original                        string `json:"original_title"`
	Year, Runtime                   int
	Show                            int64
	Season, Episode                 int
}

func (w *corpusWork) UnmarshalJSON(body []byte) error {
	type plain corpusWork
	if json.Unmarshal(body, &w.ID) == nil {
		w.Episode = int(w.ID)
		return nil
	}
	return json.Unmarshal(body, (*plain)(w))
}

func works(kind viewing.MediaType, all []corpusWork) (out []Work) {
	for _, w := range all {
		one := Work{Candidate: Candidate{Type: kind, TMDB: w.ID, Title: w.Title + w.Name, Year: w.Year}, Minutes: w.Runtime}
		if w.Original != "" {
			one.Names = []string{w.Original}
		}
		out = append(out, one)
	}
	return out
}

// answer returns the answer in the row, nil for other questions.
func (w world) answer(q Question) (*Answer, bool) {
	a := w.find(q)
	if a != nil {
		a.By = TMDB
	}
	return a, true
}

func (w world) find(q Question) *Answer {
	table, key := "find", fmt.Sprintf("tvdb:%d", q.Number)
	var one corpusWork
	var list []corpusWork
	switch q.Topic {
	case BySite:
		return w.atSite(q)
	case ByIMDB:
		key = "imdb:" + q.Text
	case ByTitle:
		table, key = "search_"+string(q.Kind), q.Text
	case Details:
		table, key = string(q.Kind), strconv.FormatInt(q.Number, 10)
	case Season:
		table, key = "season", fmt.Sprintf("%d/%d", q.Number, q.Season)
	}
	body := w[table][key]
	if string(body) == "404" || strings.HasPrefix(string(body), `"has no`) {
		return &Answer{}
	}
	switch q.Topic {
	case Details:
		if json.Unmarshal(body, &one) != nil {
			return nil
		}
		one.ID = q.Number
		return &Answer{Works: works(q.Kind, []corpusWork{one})}
	case ByTitle, Season:
		if json.Unmarshal(body, &list) != nil {
			return nil
		}
		if q.Topic == Season {
			return &Answer{Episodes: episodesOf(list, q)}
		}
		return &Answer{Works: works(q.Kind, list)}
	}
	var found struct{ Movie, TV, Episode []corpusWork }
	if json.Unmarshal(body, &found) != nil {
		return nil
	}
	return &Answer{Works: append(works(viewing.Movie, found.Movie), works(viewing.TV, found.TV)...), Episodes: episodesOf(found.Episode, q)}
}

// atSite returns Wikidata's answer for a number of Netflix.
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
				a.Works = append(a.Works, one)
			}
		}
	}
	return a
}

func episodesOf(all []corpusWork, of Question) (out []Episode) {
	for _, p := range all {
		one := Episode{TMDB: p.ID, Show: p.Show, Season: p.Season, Number: p.Episode, Name: p.Name, Minutes: p.Runtime}
		if of.Topic == Season {
			one.Show, one.Season, one.TMDB = of.Number, of.Season, 0
		}
		out = append(out, one)
	}
	return out
}
