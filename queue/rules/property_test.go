package rules_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func actions() *rapid.Generator[rules.Action] {
	return rapid.SampledFrom([]rules.Action{rules.Send, rules.Hold, rules.Ignore})
}

func oneOf(words ...string) *rapid.Generator[string] { return rapid.SampledFrom(words) }

func matches() *rapid.Generator[rules.Match] {
	return rapid.Custom(func(t *rapid.T) rules.Match {
		return rules.Match{
			Path: oneOf("", "", "/a", "/a/b", "**/b", "/*/b", "smb://n").Draw(t, "path"), Folder: oneOf("", "", "/a").Draw(t, "folder"),
			Source: oneOf("", "", "kodi", "browser:b").Draw(t, "source"), Site: oneOf("", "", "", "s.example").Draw(t, "site"),
			Kind:  viewing.MediaType(oneOf("", "", "movie", "episode").Draw(t, "kind")),
			Genre: oneOf("", "", "x").Draw(t, "genre"), Tag: oneOf("", "", "y").Draw(t, "tag"),
			ShorterThan: time.Duration(rapid.SampledFrom([]int{0, 0, 5, 50}).Draw(t, "length")) * time.Minute,
		}
	})
}

func viewings() *rapid.Generator[viewing.Event] {
	classes := []viewing.Class{"", viewing.ClassLive, viewing.ClassCatchUp, viewing.ClassBulk, viewing.ClassBackdated, viewing.ClassReview, viewing.ClassImport}
	return rapid.Custom(func(t *rapid.T) viewing.Event {
		v := seen(rapid.SampledFrom(classes).Draw(t, "class"), time.Duration(rapid.IntRange(-600, 20).Draw(t, "ahead"))*time.Minute)
		v.Unsure = rapid.IntRange(0, 4).Draw(t, "unsure") == 0
		v.Origin = viewing.Origin{
			Path: oneOf("", "/a/f", "/a/b/f", `\\n\f`, "/c/b/f").Draw(t, "file"), Folder: oneOf("", "/a/").Draw(t, "source"),
			Site: oneOf("", "kodi", "s.example").Draw(t, "site"), Runtime: rapid.SampledFrom([]int{0, 60, 1200, 6000}).Draw(t, "seconds"),
			Genres: rapid.SliceOfN(oneOf("x", "z"), 0, 2).Draw(t, "genres"), Tags: rapid.SliceOfN(oneOf("Y", "z"), 0, 2).Draw(t, "tags"),
		}
		return v
	})
}

// strictness orders what can become of an entry.
func strictness(state viewing.State) int {
	return slices.Index([]viewing.State{viewing.StatePending, viewing.StateHeld, viewing.StateDropped}, state)
}

// TestDecideProperties holds for all settings: the first filter that fits
// decides, the same is decided twice, nothing that was given is changed, and
// nothing leaves that the user holds, or that must never leave by itself.
func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wanted := rapid.SliceOfN(matches(), 0, 6).Draw(t, "matches")
		s := rules.Settings{Classes: rapid.MapOf(rapid.SampledFrom([]viewing.Class{"live", "bulk", "review", "backdated", "catch-up"}), actions()).Draw(t, "classes")}
		for i, m := range wanted {
			s.Filters = append(s.Filters, rules.NewFilter(m, actions().Draw(t, fmt.Sprint("action ", i))))
		}
		v, source := viewings().Draw(t, "viewing"), oneOf("kodi:/k", "browser:b", "cli").Draw(t, "source")
		item := rapid.SampledFrom([]*viewing.Media{theFilm(), theEpisode(), {Type: viewing.Movie}}).Draw(t, "item")
		before := fmt.Sprintf("%+v %+v %+v", s, v, *item)
		d := rules.Decide(s, source, v, item, noon())
		if again := rules.Decide(s, source, v, item, noon()); !reflect.DeepEqual(d, again) {
			t.Fatalf("decided %+v, then %+v", d, again)
		}
		if after := fmt.Sprintf("%+v %+v %+v", s, v, *item); after != before {
			t.Fatalf("changed what it was given:\n%s\n%s", before, after)
		}
		first := slices.IndexFunc(wanted, func(m rules.Match) bool { return fits(m, source, v, item) })
		alone := rules.Settings{Classes: s.Classes}
		if first >= 0 {
			alone.Filters = s.Filters[first : first+1]
		}
		if like := rules.Decide(alone, source, v, item, noon()); like.State != d.State || like.Reason != d.Reason {
			t.Fatalf("filter %d alone: %s (%s); all of them: %s (%s)", first+1, like.State, like.Reason, d.State, d.Reason)
		}
		if by := fmt.Sprint(first + 1); d.Reason == viewing.ReasonFiltered && d.Why.Args["filter"] != by {
			t.Fatalf("filter %s is not named in %v", by, d.Steps)
		}
		plain := rules.Decide(rules.Settings{Classes: s.Classes}, source, v, item, noon())
		if strictness(d.State) < strictness(plain.State) {
			t.Fatalf("a filter has loosened %s to %s", plain.State, d.State)
		}
		late := v.WatchedAt.Time().After(noon().Add(5 * time.Minute))
		if d.State == viewing.StatePending && (late || v.Unsure || !item.Identified()) {
			t.Fatalf("sent though it must not: %q", d.Steps)
		}
	})
}

// TestPathProperties holds for all paths: one without stars and question
// marks names itself, in any case of letters and with either slash, and all
// below it; and with a name replaced by a star, and behind any folders.
func TestPathProperties(t *testing.T) {
	names := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9 ._\-\[\]{}äÖß%#&,]{1,8}`), 1, 5)
	roots := oneOf("/", `C:\`, "d:/", `\\nas\`, "smb://nas/", "nfs://nas:2049/x/", "plugin://a.b/", "smb://me:pw@nas/")
	fitsPath := func(pattern, path string) bool {
		return fits(rules.Match{Path: pattern}, "kodi:/k", played(viewing.Origin{Path: path}), theFilm())
	}
	rapid.Check(t, func(t *rapid.T) {
		root, parts := roots.Draw(t, "root"), names.Draw(t, "names")
		path := root + strings.Join(parts, "/")
		stars := slices.Clone(parts)
		stars[rapid.IntRange(0, len(stars)-1).Draw(t, "star")] = "*"
		swapped := strings.ReplaceAll(path, "/", `\`)
		if strings.Contains(root, "://") {
			swapped = path + "/"
		}
		for _, pattern := range []string{path, path + "/", strings.ToUpper(path), swapped, root + strings.Join(stars, "/"), "**/" + parts[len(parts)-1], root + "**/" + parts[len(parts)-1]} {
			if !fitsPath(pattern, path) || !fitsPath(pattern, path+"/below/it.mkv") {
				t.Fatalf("%s does not name %s", pattern, path)
			}
		}
		if fitsPath(path, path+"x/it.mkv") || fitsPath(path+"/below", path) {
			t.Fatalf("%s names more than it should", path)
		}
	})
}

// TestOddPaths looks for patterns and paths that are too much for the rules.
func TestOddPaths(t *testing.T) {
	odd := rapid.StringMatching(`([a*?/\\:%@\[ ,]|stack://|zip://|%2f| , |\*\*/){0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		pattern, path := odd.Draw(t, "pattern"), odd.Draw(t, "path")
		fits(rules.Match{Path: pattern, Folder: path}, "kodi:/k", played(viewing.Origin{Path: path, Folder: pattern}), theFilm())
	})
}
