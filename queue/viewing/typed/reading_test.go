package typed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// formatReading formats a reading in one line.
func formatReading(r Reading, now time.Time) string {
	parts := []string{r.What}
	if r.Year > 0 {
		parts = append(parts, fmt.Sprintf("(%d)", r.Year))
	}
	if r.Season != nil {
		parts = append(parts, fmt.Sprintf("S%02dE%02d", *r.Season, *r.Episode))
	}
	if r.At != nil {
		in, layout := r.At.Instant(now), "Mon 15:04"
		if in.Precision == viewing.Day {
			layout = "Mon"
		}
		parts = append(parts, "@"+in.Time().In(now.Location()).Format(layout))
	}
	return strings.Join(parts, " ")
}

// TestParseAdd: arguments are separated by bars, readings by slashes.
func TestParseAdd(t *testing.T) {
	now := time.Date(2026, 11, 21, 21, 30, 0, 0, zone(t, "Europe/Berlin")) // a Saturday
	for args, want := range map[string]string{
		"603":                                  "603",
		"603|yesterday":                        "603 @Fri",
		"603|yesterday|20:15":                  "603 @Fri 20:15",
		"tt0133093|last|night":                 "tt0133093 @Fri",
		"1399|S01E02":                          "1399 S01E02",
		"1396|s1e2|friday|20:15":               "1396 S01E02 @Fri 20:15",
		"themoviedb.org/movie/603|2 hours ago": "themoviedb.org/movie/603 @Sat 19:30",
		"movie|949|yesterday":                  "movie 949 @Fri",
		"series|1396|s1e2":                     "series 1396 S01E02",
		"film|The|Matrix":                      "film The Matrix / The Matrix",
		"The Matrix":                           "The Matrix",
		"The|Matrix":                           "The Matrix",
		"The Matrix (1999)|yesterday":          "The Matrix (1999) @Fri",
		"The|Matrix|(1999)|yesterday":          "The Matrix (1999) yesterday / The Matrix (1999) @Fri",
		"Breaking Bad S01E02|yesterday":        "Breaking Bad S01E02 @Fri",
		"Breaking Bad S01E02 yesterday":        "Breaking Bad S01E02 @Fri",
		"Breaking|Bad|1x02|last|night":         "Breaking Bad S01E02 @Fri",
		"Dark|Staffel|1|Folge|3|gestern|abend": "Dark S01E03 @Fri",
		"Dark|season|1|episode|3":              "Dark S01E03",
		"Dark|S01|E03":                         "Dark S01E03",
		"Heat|1995|last night":                 "Heat 1995 @Fri / Heat (1995) @Fri",
		"Heat|1995|last|night":                 "Heat 1995 last night / Heat 1995 @Fri / Heat (1995) @Fri",
		"Heat|20:15":                           "Heat @Sat 20:15",
		"Heat yesterday 20:15":                 "Heat yesterday @Sat 20:15 / Heat @Fri 20:15",
		"Heat|2 hours ago":                     "Heat @Sat 19:30",
		"Black|Friday":                         "Black Friday / Black @Fri",
		"Black Friday":                         "Black Friday",
		"Black Friday|friday":                  "Black Friday @Fri",
		"Black|Friday|20:15":                   "Black Friday @Sat 20:15 / Black @Fri 20:15",
		"Yesterday":                            "Yesterday",
		"Yesterday|yesterday":                  "Yesterday yesterday / Yesterday @Fri",
		"Blade|Runner|2049":                    "Blade Runner 2049 / Blade Runner (2049)",
		"2012|2009":                            "2012 2009 / 2012 (2009)",
		"12|Angry|Men":                         "12 Angry Men",
		"12 Angry Men|yesterday":               "12 Angry Men @Fri",
		"The|Day|After|Tomorrow":               "The Day After Tomorrow",
		"At|Eternity's|Gate":                   "At Eternity's Gate",
		"Saturday|Night|Fever|friday":          "Saturday Night Fever friday / Saturday Night Fever @Fri",
		"Heat|2026-11-20 23:15":                "Heat @Fri 23:15",
		"Apollo|13|20/11/2026":                 "Apollo 13 @Fri",
	} {
		all, err := ParseAdd(strings.Split(args, "|"), now)
		lines := []string{}
		for _, r := range all {
			lines = append(lines, formatReading(r, now))
		}
		if got := strings.Join(lines, " / "); err != nil || got != want {
			t.Errorf("%s is\n%q, %v; want\n%q", args, got, err, want)
		}
	}
	for args, want := range map[string]string{
		"": "typed.number", "0": "typed.number", "tt123": "typed.imdb", "603-x|tomorrow": "typed.time", "themoviedb.org/movie/603|soon": "typed.time",
		"The Matrix|Reloaded": "typed.time", "Dark S01E02|soon": "typed.time", "Heat|23:15": "typed.ahead", "603|23:15": "typed.ahead",
		"https://example.org/x|yesterday": "typed.address",
	} {
		if _, err := ParseAdd(strings.Split(args, "|"), now); codeOf(err) != want {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestParseFix: times are not parsed.
func TestParseFix(t *testing.T) {
	for text, want := range map[string]string{
		"movie 949":                                 "movie 949",
		" 66732 S01E08 ":                            "66732 S01E08",
		"Breaking Bad S01E08":                       "Breaking Bad S01E08",
		"Breaking Bad (2008) 1x08 Hazard Pay":       "Breaking Bad (2008) S01E08",
		"themoviedb.org/tv/1396/season/1/episode/2": "themoviedb.org/tv/1396/season/1/episode/2 S01E02",
		"themoviedb.org/tv/1396/season/1":           "themoviedb.org/tv/1396/season/1",
		"Heat 1995":                                 "Heat 1995 / Heat (1995)",
		"Black Friday":                              "Black Friday",
		"12 Angry Men":                              "12 Angry Men",
		"Heat 20:15":                                "Heat 20:15",
		"":                                          "",
	} {
		lines := []string{}
		for _, r := range ParseFix(text) {
			lines = append(lines, formatReading(r, time.Now()))
		}
		if got := strings.Join(lines, " / "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
