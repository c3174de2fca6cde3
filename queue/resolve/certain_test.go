package resolve

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/viewing"
)

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
