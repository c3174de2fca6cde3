package resolve

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

// Each row of the table stands alone: what it names, and nothing else, makes an
// answer uncertain.
func TestEachRowOfTheTable(t *testing.T) {
	title := facts{kind: true, confidence: high, here: 1999, there: 1999, title: true, titled: true}
	imdb := facts{byIMDB: true, kind: true, confidence: high}
	for name, c := range map[string]struct {
		from   facts
		change func(*facts)
		why    string
	}{
		"title":                      {title, func(*facts) {}, ""},
		"title, another kind":        {title, func(f *facts) { f.kind = false }, "no %s"},
		"title, medium":              {title, func(f *facts) { f.confidence = "medium" }, "not sure"},
		"title, untold confidence":   {title, func(f *facts) { f.confidence = "" }, "not sure"},
		"title, another":             {title, func(f *facts) { f.title = false }, "titles differ"},
		"title, no year here":        {title, func(f *facts) { f.here = 0 }, "not known here"},
		"title, no year there":       {title, func(f *facts) { f.there = 0 }, "does not tell"},
		"title, a year earlier":      {title, func(f *facts) { f.there = 1998 }, "years differ"},
		"title, a year later":        {title, func(f *facts) { f.there = 2000 }, "years differ"},
		"title, a namesake":          {title, func(f *facts) { f.namesake = true }, "at most a year away"},
		"title, unsure":              {title, func(f *facts) { f.unsure = true }, "not to be trusted"},
		"IMDb":                       {imdb, func(*facts) {}, ""},
		"IMDb, another kind":         {imdb, func(f *facts) { f.kind = false }, "no %s"},
		"IMDb, untold confidence":    {imdb, func(f *facts) { f.confidence = "" }, ""},
		"IMDb, low":                  {imdb, func(f *facts) { f.confidence = "low" }, "not sure"},
		"IMDb, unsure":               {imdb, func(f *facts) { f.unsure = true }, "not to be trusted"},
		"IMDb, a namesake":           {imdb, func(f *facts) { f.namesake = true }, ""},
		"IMDb, other title":          {imdb, func(f *facts) { f.titled, f.here, f.there = true, 1999, 2000 }, ""},
		"IMDb, other year":           {imdb, func(f *facts) { f.titled, f.title, f.here, f.there = true, true, 1999, 2010 }, ""},
		"IMDb, other title and year": {imdb, func(f *facts) { f.titled, f.here, f.there = true, 1999, 2001 }, "those of another"},
		"IMDb, no title told":        {imdb, func(f *facts) { f.here, f.there = 1999, 2001 }, ""},
		"IMDb, no year told":         {imdb, func(f *facts) { f.titled, f.here = true, 1999 }, ""},
	} {
		c.change(&c.from)
		if got := c.from.doubt(); (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
}

// TestTitles goes through the titles of testdata.
func TestTitles(t *testing.T) {
	text, err := os.ReadFile("testdata/titles.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		rows++
		cells := strings.Split(strings.TrimSpace(line), " | ")
		year, _ := strconv.Atoi(cells[2])
		m := viewing.Media{Type: viewing.MediaType(cells[0]), Title: cells[1], Year: year}
		questions := Questions(m)
		if len(questions) == 0 {
			if cells[5] != "nothing to ask" {
				t.Errorf("%s: nothing is asked", line)
			}
			continue
		}
		var beside []Answer
		if cells[4] != "-" {
			beside = append(beside, answerIn(t, cells[4]))
		}
		a := answerIn(t, cells[3])
		j := Judge(m, questions[0], a, beside)
		if certain := cells[5] == "certain"; certain != (j.Media != nil) || !certain && !strings.Contains(j.Said, cells[5]) {
			t.Errorf("%s%s", line, j.Said)
		}
		if asks := Near(m, questions[0], a); len(asks) > 0 != (Judge(m, questions[0], a, nil).Media != nil) || len(asks) > 2 {
			t.Errorf("%sasked besides: %v", line, asks)
		}
	}
	if rows < 20 {
		t.Errorf("%d rows", rows)
	}
}

// answerIn reads "type number title (year) confidence".
func answerIn(t *testing.T, text string) Answer {
	t.Helper()
	parts := regexp.MustCompile(`^(\w+) (\d+) (.*) \((\d+)\) (\w+)$`).FindStringSubmatch(text)
	if parts == nil {
		t.Fatalf("not an answer: %s", text)
	}
	number, _ := strconv.ParseInt(parts[2], 10, 64)
	year, _ := strconv.Atoi(parts[4])
	return Answer{TMDB: number, Type: parts[1], Title: parts[3], Year: year, Confidence: parts[5]}
}

// The years beside are asked about once a title's answer is good otherwise.
func TestNear(t *testing.T) {
	m := film("", "Alpha One", 1999)
	q := Questions(m)[0]
	got := Near(m, q, Answer{603, "movie", "Alpha One", 1999, "high"})
	if len(got) != 2 || got[0] != (Question{Title: "Alpha One", Type: viewing.Movie, Year: 1998}) || got[1].Year != 2000 {
		t.Errorf("asked %+v", got)
	}
	if got := Near(film("tt1", "Alpha One", 1999), Question{IMDB: "tt1"}, Answer{603, "movie", "Alpha One", 1999, "high"}); got != nil {
		t.Errorf("of an identifier, asked %+v", got)
	}
}
