package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// played returns a viewing of a file of a library.
func played(o viewing.Origin) viewing.Event {
	v := seen(viewing.ClassLive, -time.Hour)
	v.Origin = o
	return v
}

func theFilm() *viewing.Media {
	return &viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603}}
}

func theEpisode() *viewing.Media {
	return &viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: number(1), Episode: number(2)}
}

// fits reports whether a filter with this match drops the viewing.
func fits(m rules.Match, source string, v viewing.Event, item *viewing.Media) bool {
	s := rules.Settings{Filters: []rules.Filter{rules.NewFilter(m, rules.Ignore)}}
	return rules.Decide(s, source, v, item, noon()).State == viewing.StateDropped
}

func TestFilterPath(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"/srv/kids", "/srv/kids/a.mkv", true},
		{"/srv/kids/", "/srv/kids/s1/a.mkv", true},
		{"/srv/kids/a.mkv", "/srv/kids/a.mkv", true},
		{"/srv/kids", "/srv/kids2/a.mkv", false}, // whole names
		{"/srv/kids", "/mnt/srv/kids/a.mkv", false},
		{"/srv/kids/a.mkv", "/srv/kids", false},
		{"/srv//kids/", "/srv/kids//a.mkv", true},
		{"/", "/srv/a.mkv", true},
		{"/", `C:\a.mkv`, false},
		{"/Srv/KIDS", "/srv/kids/Ä.mkv", true}, // in any case of letters
		{"/srv/ärzte", "/srv/ÄRZTE/a.mkv", true},
		{"/srv/*/kids", "/srv/tv/kids/a.mkv", true},
		{"/srv/*/kids", "/srv/tv/old/kids/a.mkv", false}, // * stays within one name
		{"/srv/**/kids", "/srv/tv/old/kids/a.mkv", true},
		{"/srv/**/kids", "/srv/kids/a.mkv", true},
		{"/srv/**/kids", "/srv/kidding/a.mkv", false},
		{"**/trailers", `D:\Films\Trailers\a.mkv`, true},
		{"**/*-trailer.*", "/srv/films/a-trailer.mkv", true},
		{"**/*.strm", "/srv/a.strm.d/b.mkv", false},
		{"**/a/**/b/c", "/x/a/a/b/b/c/f.mkv", true},
		{"**/a/**/b/c", "/x/a/b/x/c", false},
		{"/srv/**", "/srv/a.mkv", true},
		{"**", "a", true},
		{"/srv/s??e01.mkv", "/srv/s01e01.mkv", true},
		{"/srv/s??e01.mkv", "/srv/s1e01.mkv", false},
		{"/srv/Show [2019]", "/srv/show [2019]/a.mkv", true}, // brackets are letters
		{"/srv/Show [2019]", "/srv/show 2/a.mkv", false},
		{"/srv/*[x]*", "/srv/a[X]b.mkv", true},
		{`C:\Films\Kids`, `C:\films\kids\a.mkv`, true},
		{"c:/films/kids", `C:\Films\Kids\a.mkv`, true},
		{`C:\`, `C:\a.mkv`, true},
		{`\\nas\video`, "smb://NAS/video/a.mkv", true},
		{"smb://nas/video", `\\nas\Video\a.mkv`, true},
		{"smb://nas/video", "smb://me:se/cret@nas/video/a.mkv", false}, // an odd password: who knows
		{"smb://nas/video", "smb://me:secret@nas/video/a.mkv", true},
		{"smb://nas/vid", "smb://nas/video/a.mkv", false},
		{"smb://nas/video", "nfs://nas/video/a.mkv", false},
		{"*://nas/video", "nfs://nas/video/a.mkv", true},
		{"plugin://", "plugin://plugin.video.x/?action=play", true},
		{"plugin://plugin.video.x", "plugin://plugin.video.x/?action=play", true},
		{"/srv/kids", "stack:///srv/kids/a,, the film.cd1.avi , /srv/kids/a,, the film.cd2.avi", true},
		{"/srv/kids/a, the film.cd1.avi", "stack:///srv/kids/a,, the film.cd1.avi , /srv/kids/x.avi", true},
		{"/srv/kids", "zip://%2fsrv%2fkids%2fa.zip/a.mkv", true},
		{"smb://nas/kids", "bluray://udf%3a%2f%2fsmb%253a%252f%252fnas%252fkids%252fa.iso%2f/BDMV/1.mpls", true},
		{"zip://", "zip://%2fsrv%2fkids%2fa.zip/a.mkv", true},
		{"/srv/kids", "", false}, // unknown
		{"**", "", false},
	}
	for _, tt := range tests {
		if got := fits(rules.Match{Path: tt.pattern}, "kodi:/k", played(viewing.Origin{Path: tt.path}), theFilm()); got != tt.want {
			t.Errorf("%s and %s: %v", tt.pattern, tt.path, got)
		}
		if got := fits(rules.Match{Folder: tt.pattern}, "kodi:/k", played(viewing.Origin{Folder: tt.path}), theFilm()); got != tt.want {
			t.Errorf("as a folder, %s and %s: %v", tt.pattern, tt.path, got)
		}
	}
}

func TestFilterMatch(t *testing.T) {
	file := viewing.Origin{Path: "/srv/kids/a.mkv", Folder: "/srv/", Runtime: 600, Genres: []string{"Family", " Animation"}, Tags: []string{"kids"}}
	page := viewing.Origin{Site: "www.films.example"}
	long := played(page)
	long.Progress = &viewing.Progress{Duration: 599.5}
	tests := []struct {
		name   string
		match  rules.Match
		source string
		v      viewing.Event
		item   *viewing.Media
		want   bool
	}{
		{"film", rules.Match{Kind: viewing.Movie}, "kodi:/k", played(file), theFilm(), true},
		{"not a film", rules.Match{Kind: viewing.Movie}, "kodi:/k", played(file), theEpisode(), false},
		{"episode", rules.Match{Kind: viewing.Episode}, "kodi:/k", played(file), theEpisode(), true},
		{"genre", rules.Match{Genre: "animation "}, "kodi:/k", played(file), theFilm(), true},
		{"part of a genre", rules.Match{Genre: "anim"}, "kodi:/k", played(file), theFilm(), false},
		{"no genre known", rules.Match{Genre: "Family"}, "kodi:/k", played(page), theFilm(), false},
		{"tag", rules.Match{Tag: "KIDS"}, "kodi:/k", played(file), theFilm(), true},
		{"tag is no genre", rules.Match{Tag: "Family"}, "kodi:/k", played(file), theFilm(), false},
		{"kind of source", rules.Match{Source: "kodi"}, "kodi:/k", played(file), theFilm(), true},
		{"source", rules.Match{Source: "kodi:/k"}, "kodi:/k", played(file), theFilm(), true},
		{"another source", rules.Match{Source: "kodi:/k"}, "kodi:/k2", played(file), theFilm(), false},
		{"site", rules.Match{Site: "films.example"}, "browser:b", played(page), theFilm(), true},
		{"the very site", rules.Match{Site: "WWW.films.example."}, "browser:b", played(page), theFilm(), true},
		{"another site", rules.Match{Site: "ms.example"}, "browser:b", played(page), theFilm(), false},
		{"no site known", rules.Match{Site: "films.example"}, "cli", played(viewing.Origin{}), theFilm(), false},
		{"shorter", rules.Match{ShorterThan: 601 * time.Second}, "kodi:/k", played(file), theFilm(), true},
		{"as long", rules.Match{ShorterThan: 600 * time.Second}, "kodi:/k", played(file), theFilm(), false},
		{"length from the player", rules.Match{ShorterThan: 600 * time.Second}, "browser:b", long, theFilm(), true},
		{"no length known", rules.Match{ShorterThan: time.Hour}, "browser:b", played(page), theFilm(), false},
		{"all that is set", rules.Match{Path: "/srv", Folder: "/srv", Kind: viewing.Movie, Genre: "family", Tag: "kids", ShorterThan: time.Hour}, "kodi:/k", played(file), theFilm(), true},
		{"all but one", rules.Match{Path: "/srv", Kind: viewing.Movie, Genre: "horror"}, "kodi:/k", played(file), theFilm(), false},
		{"everything", rules.Match{}, "cli", played(viewing.Origin{}), theFilm(), true},
		{"a wish", rules.Match{}, "cli", viewing.Event{Kind: viewing.KindWatchlist, EventID: "w"}, theFilm(), false},
		{"a list", rules.Match{}, "cli", viewing.Event{Kind: viewing.KindList, EventID: "l"}, nil, false},
	}
	for _, tt := range tests {
		if got := fits(tt.match, tt.source, tt.v, tt.item); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestPrecedenceOfFiltersClassesAndRules(t *testing.T) {
	nameless := &viewing.Media{Type: viewing.Movie, Title: "Alpha One"}
	unsure := seen(viewing.ClassReview, -time.Hour)
	unsure.Unsure = true
	all := map[viewing.Class]rules.Action{
		viewing.ClassLive: rules.Send, viewing.ClassCatchUp: rules.Send, viewing.ClassBulk: rules.Send,
		viewing.ClassBackdated: rules.Send, viewing.ClassReview: rules.Send,
	}
	only := func(c viewing.Class, a rules.Action) map[viewing.Class]rules.Action {
		return map[viewing.Class]rules.Action{c: a}
	}
	tests := []struct {
		name    string
		filter  rules.Action // for everything; "" means no filter
		classes map[viewing.Class]rules.Action
		v       viewing.Event
		item    *viewing.Media
		state   viewing.State
		reason  string
		says    string
	}{
		{"sent", rules.Send, nil, seen("", 0), theFilm(), viewing.StatePending, "", "rule.free"},
		{"held", rules.Hold, nil, seen("", 0), theFilm(), viewing.StateHeld, viewing.ReasonFiltered, "rule.held.filter"},
		{"ignored", rules.Ignore, nil, seen("", 0), theFilm(), viewing.StateDropped, viewing.ReasonFiltered, "rule.ignored.filter"},
		{"ignored, whatever else", rules.Ignore, all, seen(viewing.ClassBulk, time.Hour), nameless, viewing.StateDropped, viewing.ReasonFiltered, "rule.ignored.filter"},
		{"held, of the future", rules.Hold, nil, seen("", time.Hour), theFilm(), viewing.StateHeld, viewing.ReasonFuture, "rule.future"},
		{"held, without identifier", rules.Hold, nil, seen("", 0), nameless, viewing.StateHeld, viewing.ReasonFiltered, "rule.held.filter"},
		{"held, bulk", rules.Hold, nil, seen(viewing.ClassBulk, 0), theFilm(), viewing.StateHeld, viewing.ReasonFiltered, "rule.held.filter"},
		{"sent, bulk", rules.Send, nil, seen(viewing.ClassBulk, 0), theFilm(), viewing.StateHeld, viewing.ReasonBulk, "rule.bulk"},
		{"sent, bulk ignored", rules.Send, only(viewing.ClassBulk, rules.Ignore), seen(viewing.ClassBulk, 0), theFilm(), viewing.StateDropped, viewing.ReasonBulk, "rule.ignored.class"},
		{"held, bulk ignored", rules.Hold, only(viewing.ClassBulk, rules.Ignore), seen(viewing.ClassBulk, 0), theFilm(), viewing.StateDropped, viewing.ReasonBulk, "rule.ignored.class"},
		{"sent, without identifier", rules.Send, all, seen(viewing.ClassLive, 0), nameless, viewing.StateHeld, viewing.ReasonUnresolved, "rule.unresolved"},
		{"bulk sent", "", all, seen(viewing.ClassBulk, 0), theFilm(), viewing.StatePending, "", "rule.free"},
		{"review sent", "", all, seen(viewing.ClassReview, 0), theFilm(), viewing.StatePending, "", "rule.free"},
		{"review sent, of the future", "", all, seen(viewing.ClassReview, time.Hour), theFilm(), viewing.StateHeld, viewing.ReasonFuture, "rule.future"},
		{"review sent, without identifier", "", all, seen(viewing.ClassReview, 0), nameless, viewing.StateHeld, viewing.ReasonUnresolved, "rule.unresolved"},
		{"review sent, unsure", "", all, unsure, theFilm(), viewing.StateHeld, viewing.ReasonReview, "rule.unsure"},
		{"review, unsure", "", nil, unsure, theFilm(), viewing.StateHeld, viewing.ReasonReview, "rule.review"},
		{"review ignored, unsure", "", only(viewing.ClassReview, rules.Ignore), unsure, theFilm(), viewing.StateDropped, viewing.ReasonReview, "rule.ignored.class"},
		{"live held", "", only(viewing.ClassLive, rules.Hold), seen(viewing.ClassLive, 0), theFilm(), viewing.StateHeld, "live", "rule.held.class"},
		{"marked", "", nil, seen(viewing.ClassMarked, 0), theFilm(), viewing.StatePending, "", "rule.free"},
		{"marked held", "", only(viewing.ClassMarked, rules.Hold), seen(viewing.ClassMarked, 0), theFilm(), viewing.StateHeld, "marked", "rule.held.class"},
		{"marked, live is ignored", "", only(viewing.ClassLive, rules.Ignore), seen(viewing.ClassMarked, 0), theFilm(), viewing.StatePending, "", "rule.free"},
		{"catch-up ignored", "", only(viewing.ClassCatchUp, rules.Ignore), seen(viewing.ClassCatchUp, 0), theFilm(), viewing.StateDropped, "catch-up", "rule.ignored.class"},
		{"no class", "", only(viewing.ClassLive, rules.Ignore), seen("", 0), theFilm(), viewing.StatePending, "", "rule.free"},
		{"import", "", only(viewing.ClassLive, rules.Ignore), seen(viewing.ClassImport, 0), theFilm(), viewing.StatePending, "", "rule.free"},
	}
	for _, tt := range tests {
		s := rules.Settings{Classes: tt.classes}
		if tt.filter != "" {
			s.Filters = []rules.Filter{rules.NewFilter(rules.Match{}, tt.filter)}
		}
		d := rules.Decide(s, "kodi:/k", tt.v, tt.item, noon())
		if d.State != tt.state || d.Reason != tt.reason || strings.TrimSuffix(d.Why.Code, ".at") != tt.says {
			t.Errorf("%s: %s (%s), %q", tt.name, d.State, d.Reason, d.Steps)
		}
		if wanted := tt.state == viewing.StateDropped; wanted && !entry.DroppedByRule(d.Reason) {
			t.Errorf("%s: %q is no reason to ignore", tt.name, d.Reason)
		}
	}
}
