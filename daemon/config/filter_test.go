package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/rules"
)

func TestFilters(t *testing.T) {
	c, err := load(t, `
[[filters]]
path = "/srv/*/kids"
folder = 'C:\Films'
source = "kodi:/home/me/.kodi/userdata"
site = "films.example"
kind = "movie"
genre = "Family"
tag = "kids"
shorter_than = "5m"
action = "ignore"
[[filters]]
path = "**/Trailers"
action = "send"
[[filters]]
action = "hold"
[kodi.classes]
catch-up = "hold"
bulk = "send"
`)
	must(t, err)
	want := []Filter{
		{
			Match: rules.Match{
				Path: "/srv/*/kids", Folder: `C:\Films`, Source: "kodi:/home/me/.kodi/userdata", Site: "films.example", Kind: "movie",
				Genre: "Family", Tag: "kids",
			},
			ShorterThan: &Duration{Duration: 5 * time.Minute}, Action: "ignore",
		},
		{Match: rules.Match{Path: "**/Trailers"}, Action: "send"},
		{Action: "hold"},
	}
	if !reflect.DeepEqual(c.Filters, want) {
		t.Errorf("filters %+v", c.Filters)
	}
	classes := Classes{Live: "send", CatchUp: "hold", Bulk: "send", Backdated: "hold", Review: "hold", Marked: "send"}
	if c.Kodi.Classes != classes {
		t.Errorf("classes %+v", c.Kodi.Classes)
	}
}

func TestFilterPaths(t *testing.T) {
	for _, good := range []string{
		"/", "/srv/kids", "//nas/films", `\\nas\films`, `C:\`, "c:/films", "smb://nas/films", "smb://", "plugin://", "**", "**/a*b?.mkv", "/srv/**/x/*", "*://nas",
		"/srv/Show [2019]", "/srv/{a}", "/srv/ä b",
	} {
		text := "[[filters]]\naction = 'hold'\npath = '" + good + "'"
		if _, err := load(t, text); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestFilterFaults(t *testing.T) {
	for text, want := range map[string]string{
		`path = "/a"`:                                                  `filters[0].action: "" is not one of send, hold, ignore`,
		"action = 'hold'\nkind = 'tv'":                                 `filters[0].kind: "tv" is not one of movie, episode`,
		"action = 'hold'\nshorter_than = '0s'":                         "filters[0].shorter_than:",
		"action = 'hold'\npath = 'films'":                              "**/films",
		"action = 'hold'\npath = \"C:\\tv\"":                           "two backslashes in double quotes",
		"action = 'hold'\nsource = '/srv/films'":                       "is not browser",
		"action = 'hold'\nsite = 'https://a.b/'":                       "filters[0].site:",
		"action = 'ignore'":                                            "everything would be ignored",
		"action = 'hold'\n[[filters]]\ntag = 'a'\naction = 'send'":     "filters[0]: it has no conditions",
		"action = 'ignore'\ntag = 'a'\n[[filters]]\naction = 'ignore'": "filters[1]: it has no conditions, so everything would be ignored",
	} {
		_, err := load(t, "[[filters]]\n"+text)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
