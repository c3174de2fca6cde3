package rules_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

func oneOf(words ...string) *rapid.Generator[string] { return rapid.SampledFrom(words) }

// TestPathProperties: a path without wildcards matches itself, in any case and with either slash,
// and everything below it; also with a name replaced by a star, and below any folders.
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

func TestUnusualPathsAreHandled(t *testing.T) {
	odd := rapid.StringMatching(`([a*?/\\:%@\[ ,]|stack://|zip://|%2f| , |\*\*/){0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		pattern, path := odd.Draw(t, "pattern"), odd.Draw(t, "path")
		fits(rules.Match{Path: pattern, Folder: path}, "kodi:/k", played(viewing.Origin{Path: path, Folder: pattern}), theFilm())
	})
}
