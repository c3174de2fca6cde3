package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/queue/resolve/identity"
)

const goodMappings = `
[[mapping]]
source = "tvdb:252322"
season = 2
first = 1
last = 78
tmdb = 46298
tmdb_season = 2
tmdb_first = 63

[[mapping]]
source = "imdb:tt2098220"
first = 1
last = 148
tmdb = 46298
tmdb_season = 1
tmdb_first = 1

[[mapping]]
source = "title:Hunter x Hunter: New!"
season = 0
first = 3
last = 3
tmdb = 46298
tmdb_season = 0
tmdb_first = 1
`

func TestReadMappings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mappings.toml")
	if all, err := LoadMappings(file); err != nil || len(all) != 0 {
		t.Errorf("no file: %v, %v", all, err)
	}
	if err := os.WriteFile(file, []byte(goodMappings), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := LoadMappings(file)
	title := identity.TitleList("Hunter x Hunter: New")
	place := func(list string, season, number int) identity.Place {
		return identity.Place{List: list, Season: season, Number: number}
	}
	want := identity.Mappings{
		"tvdb:252322":    {{From: place("tvdb:252322", 2, 1), Last: 78, To: place("tmdb:46298", 2, 63)}},
		"imdb:tt2098220": {{From: place("imdb:tt2098220", -1, 1), Last: 148, To: place("tmdb:46298", 1, 1)}},
		title:            {{From: place(title, 0, 3), Last: 3, To: place("tmdb:46298", 0, 1)}},
	}
	if err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, %v", all, err)
	}
}

// A file with a fault is refused whole, with every fault and its line.
func TestBadMappings(t *testing.T) {
	change := func(old, fresh string) string { return strings.Replace(goodMappings, old, fresh, 1) }
	for text, want := range map[string]string{
		change("first = 1", "first = 0"):                                        "mappings.toml: mapping[0].first: 0 is not 1 or more (line 5)",
		change("season = 2", "season = -1"):                                     "mappings.toml: mapping[0].season: -1 is not 0 or more; leave it out where there are no seasons (line 4)",
		change("tmdb_season = 1\n", ""):                                         "mappings.toml: mapping[1]: tmdb_season is missing; write the number behind tmdb_season = (line 11)",
		change("last = 78", "last = 0"):                                         "mapping[0].last: 0 is not 1 or more (line 6)",
		change("last = 148", "last = 20000"):                                    "mapping[1].last: 1 to 20000 is not a range of 1 to 10000 episodes (line 14)",
		change("last = 3", "last = 2"):                                          "mapping[2].last: 3 to 2 is not a range",
		change("tvdb:252322", "tvdb:tt252322"):                                  `mapping[0].source: "tvdb:tt252322" is none of "tvdb:81189"`,
		change("imdb:tt2098220", "imdb:2098220"):                                `"imdb:2098220" is none of`,
		change("imdb:tt2098220", "imdb:tt209822"):                               `"imdb:tt209822" is none of`,
		change("imdb:tt2098220", "imdb:tt"):                                     `"imdb:tt" is none of`,
		change("title:Hunter x Hunter: New!", "title:!"):                        `"title:!" is none of`,
		change("title:Hunter x Hunter: New!", "Hunter"):                         `"Hunter" is none of`,
		change("season = 2", "seasons = 2"):                                     "seasons",
		change("first = 1", `first = "1"`):                                      "line 5",
		change("[[mapping]]", "[mapping]"):                                      "mapping",
		change("first = 1", ""):                                                 "mapping[0]: first is missing",
		change("tmdb = 46298", "tmdb = 99999999999999999999"):                   "line 7",
		change("tmdb = 46298", "tmdb = 0"):                                      "mapping[0].tmdb: 0 is not 1 or more",
		strings.Repeat("# ", maxMappings):                                       "is larger than 4 MB",
		change("first = 1", "first = 0") + "[[mapping]]\nsource = \"tvdb:1\"\n": "mapping[3]: first is missing",
	} {
		file := filepath.Join(t.TempDir(), "mappings.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := LoadMappings(file)
		if !errors.Is(err, ErrInvalid) || all != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "config.") || strings.Contains(err.Error(), "*int")) {
			t.Errorf("words of Go: %v", err)
		}
	}
	if _, err := LoadMappings(t.TempDir()); !errors.Is(err, ErrInvalid) {
		t.Errorf("a folder: %v", err)
	}
}

// Whatever the file holds, what is read of it is whole, or it is refused.
func FuzzMappings(f *testing.F) {
	f.Add([]byte(goodMappings))
	f.Add([]byte("[[mapping]]\nsource = 5\n"))
	f.Add([]byte("mapping = [{}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := readMappings("mappings.toml", text)
		if err != nil && (all != nil || !errors.Is(err, ErrInvalid)) {
			t.Fatal(all, err)
		}
		for list, some := range all {
			for _, m := range some {
				if list == "" || m.From.List != list || m.From.Number < 1 || m.Last < m.From.Number || m.Last-m.From.Number >= maxEpisodes || m.To.Number < 1 {
					t.Fatalf("%q: %+v", list, m)
				}
			}
		}
	})
}
