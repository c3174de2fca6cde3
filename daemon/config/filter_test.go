package config

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestFilters(t *testing.T) {
	c, err := Load(write(t, `
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
`), true, env(), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Filter{
		{
			Path: "/srv/*/kids", Folder: `C:\Films`, Source: "kodi:/home/me/.kodi/userdata", Site: "films.example", Kind: "movie",
			Genre: "Family", Tag: "kids", ShorterThan: &Duration{Duration: 5 * time.Minute}, Action: "ignore",
		},
		{Path: "**/Trailers", Action: "send"},
		{Action: "hold"},
	}
	if !reflect.DeepEqual(c.Filters, want) {
		t.Errorf("filters %+v", c.Filters)
	}
	classes := Classes{Live: "send", CatchUp: "hold", Bulk: "send", Backdated: "hold", Review: "hold", Marked: "send"}
	if c.Kodi.Classes != classes {
		t.Errorf("classes %+v", c.Kodi.Classes)
	}
	text, err := c.Annotated()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Load(write(t, string(text)), true, env(), Overrides{})
	if err != nil || !reflect.DeepEqual(again.Filters, want) || again.Kodi.Classes != classes {
		t.Errorf("shown and read again: %v\n%s", err, text)
	}
	shown, err := json.Marshal(c.Kodi.Classes)
	if err != nil || string(shown) != `{"live":"send","catchUp":"hold","bulk":"send","backdated":"hold","review":"hold","marked":"send"}` {
		t.Errorf("shown as %s, %v", shown, err)
	}
}

func TestFilterPaths(t *testing.T) {
	for _, good := range []string{
		"/", "/srv/kids", "//nas/films", `\\nas\films`, `C:\`, "c:/films", "smb://nas/films", "smb://", "plugin://", "**", "**/a*b?.mkv", "/srv/**/x/*", "*://nas",
		"/srv/Show [2019]", "/srv/{a}", "/srv/ä b",
	} {
		text := "[[filters]]\naction = 'hold'\npath = '" + good + "'"
		if _, err := Load(write(t, text), true, env(), Overrides{}); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
}

func TestFilterFaults(t *testing.T) {
	for text, want := range map[string]string{
		`path = "/a"`:                                                  "filters[0].action: is missing; it is one of send, hold, ignore",
		"action = 'skip'\npath = '/a'":                                 `filters[0].action: "skip" is not one of send, hold, ignore`,
		"action = 'hold'\nkind = 'tv'":                                 `filters[0].kind: "tv" is not one of movie, episode`,
		"action = 'hold'\nshorter_than = '-5m'":                        "filters[0].shorter_than:",
		"action = 'hold'\nshorter_than = '0s'":                         "filters[0].shorter_than:",
		"action = 'hold'\nshorter_than = 5":                            "not a span of time",
		"action = 'hold'\ngenre = ' '":                                 "filters[0].genre: is blank",
		"action = 'hold'\ntag = '\t'":                                  "filters[0].tag: is blank",
		"action = 'hold'\ngenres = 'a'":                                "do not exist",
		"action = 'hold'\npath = 'films'":                              "**/films",
		"action = 'hold'\npath = '*.iso'":                              "**/*.iso",
		"action = 'hold'\npath = '/a***/b'":                            "more than two stars",
		"action = 'hold'\npath = '/a**/b'":                             "** within a name",
		"action = 'hold'\npath = '/a '":                                "ends with a space",
		"action = 'hold'\npath = \"C:\\tv\"":                           "each backslash twice",
		"action = 'hold'\nfolder = 'films'":                            "filters[0].folder:",
		"action = 'hold'\nsource = '/srv/films'":                       "is not browser",
		"action = 'hold'\nsite = 'https://a.b/'":                       "filters[0].site:",
		"action = 'ignore'":                                            "everything would be ignored",
		"action = 'hold'\n[[filters]]\ntag = 'a'\naction = 'send'":     "filters[0]: it names nothing",
		"action = 'ignore'\ntag = 'a'\n[[filters]]\naction = 'ignore'": "filters[1]: it names nothing, so everything would be ignored",
	} {
		_, err := Load(write(t, "[[filters]]\n"+text), true, env(), Overrides{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"bulk = 'drop'":     `kodi.classes.bulk: "drop" is not one of send, hold, ignore`,
		"live = ''":         "kodi.classes.live:",
		"catch_up = 'hold'": "do not exist",
		"future = 'send'":   "do not exist",
	} {
		_, err := Load(write(t, "[kodi.classes]\n"+text), true, env(), Overrides{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(told(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
