package daemon_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// access is what a package may import of ours.
type access struct {
	may   []string // packages by folder; "x/..." is x and all below it
	later bool     // not there yet; take this away when it is
}

// table is the order of the house, as package daemon's comment tells it. A
// package that is not in it has no place.
func table() map[string]access {
	sources := []string{"queue/viewing"}
	anything := []string{"connector/...", "daemon/...", "kodi/...", "packaging", "queue/..."}
	return map[string]access{
		"cmd/filmspool":              {may: append([]string{"cmd/filmspool/..."}, anything...)},
		"cmd/filmspool/manual":       {may: []string{"cmd/filmspool/usage"}},
		"cmd/filmspool/report":       {may: []string{"cmd/filmspool/terminal", "daemon/control", "kodi/scan", "queue/account", "queue/entry", "queue/resolve/identity", "queue/rules", "queue/viewing", "queue/viewing/typed"}}, // puts answers into words; asks nothing
		"cmd/filmspool/servicecmd":   {may: []string{"cmd/filmspool/terminal", "cmd/filmspool/usage", "daemon/config", "daemon/service", "kodi", "queue/viewing/typed"}},                                                        // knows the service, and not what it runs
		"cmd/filmspool/terminal":     {},                                                                                                                                                                                        // prints and asks, and knows nothing of what is told
		"cmd/filmspool/usage":        {may: []string{"queue/viewing", "queue/viewing/typed"}},                                                                                                                                   // words of a command line alone
		"connector":                  {may: append([]string{"connector/..."}, sources...)},
		"connector/client":           {may: append([]string{"connector/..."}, sources...)},
		"connector/extension":        {}, // reads and packs files, and knows nothing of what they say
		"connector/pairing":          {},
		"connector/protocol":         {may: sources},
		"daemon":                     {may: anything},
		"daemon/config":              {may: []string{"daemon/setting", "queue/resolve/identity", "queue/resolve/tmdb", "queue/resolve/web", "queue/resolve/wikidata", "queue/tracker/v1", "queue/viewing", "queue/viewing/typed"}}, // what an address may be; the words that settings share with entries
		"daemon/demo":                {may: anything},
		"daemon/guard":               {},
		"daemon/logging":             {},                                                // lines, and nothing of what they tell
		"daemon/holder":              {},                                                // knows ports and processes, and nothing of what runs there
		"daemon/metrics":             {may: []string{"queue/account"}},                  // figures and their names
		"daemon/nudge":               {},                                                // knows the machine, and nothing of what is tried again
		"daemon/notify":              {may: []string{"daemon/control", "daemon/words"}}, // knows problems, and nothing of who finds them
		"daemon/health":              {may: []string{"daemon/control", "daemon/words", "queue/account", "queue/disk", "queue/viewing"}},
		"daemon/doctor":              {may: []string{"daemon/config", "daemon/control", "daemon/health", "daemon/holder", "daemon/machine", "daemon/service", "daemon/words", "queue/account", "queue/disk"}},
		"daemon/machine":             {}, // sees, and judges nothing
		"daemon/service":             {may: anything},
		"daemon/control":             {may: anything},
		"daemon/page":                {may: []string{"daemon/control", "daemon/setting", "daemon/words", "queue/...", "kodi/scan"}},                                                                                                                                                     // reads and acts through the control API alone
		"daemon/identify":            {may: []string{"daemon/control", "queue", "queue/account", "queue/resolve/chain", "queue/resolve/identity", "queue/resolve/memory", "queue/resolve/tmdb", "queue/resolve/web", "queue/resolve/wikidata", "queue/viewing", "queue/viewing/typed"}}, // asks others, and knows nothing of the configuration
		"daemon/operate":             {may: []string{"daemon/control", "queue", "queue/account", "queue/entry", "queue/playback", "queue/replay/doubt", "queue/resolve/identity", "queue/tracker", "queue/tracker/v1", "queue/viewing"}},                                                // acts on the queue, and knows nothing of who runs
		"daemon/support":             {may: []string{"daemon/control", "queue/entry", "queue/viewing"}},                                                                                                                                                                                 // facts in, text out
		"daemon/words":               {},                                                                                                                                                                                                                                                // texts by key, and nothing of what they are about
		"daemon/setting":             {},                                                                                                                                                                                                                                                // text in, text out: knows no configuration
		"daemon/tenure":              {may: []string{"queue/disk"}},
		"kodi":                       {may: append([]string{"kodi/..."}, sources...)},
		"kodi/announce":              {may: []string{"kodi/snapshot", "queue/viewing"}},
		"kodi/kodisim":               {may: append([]string{"kodi/..."}, sources...)},
		"kodi/library":               {may: []string{"kodi/plainfile", "kodi/snapshot", "queue/viewing"}},
		"kodi/nfo":                   {may: []string{"kodi/plainfile", "kodi/snapshot", "queue/viewing"}},
		"kodi/plainfile":             {},                                                                               // opens files, and knows nothing of what they hold
		"kodi/playlist":              {may: []string{"kodi/plainfile"}},                                                // files in, paths out: knows nothing of libraries
		"kodi/rule":                  {may: []string{"kodi/scan", "kodi/snapshot", "queue/playback", "queue/viewing"}}, // pure: readings in, viewings out
		"kodi/scan":                  {may: sources},                                                                   // words, and nothing else
		"kodi/snapshot":              {may: sources},                                                                   // words, and nothing else
		"kodi/watch":                 {},
		"packaging":                  {},
		"packaging/kodi":             {},
		"packaging/readme":           {},
		"packaging/release":          {may: []string{"connector/extension", "packaging", "packaging/kodi"}},
		"packaging/test":             {may: []string{"kodi/kodisim"}},
		"queue":                      {may: []string{"queue/account", "queue/brake", "queue/disk", "queue/entry", "queue/export", "queue/playback", "queue/resolve/identity", "queue/rules", "queue/schema", "queue/upkeep", "queue/viewing"}},
		"queue/account":              {}, // pure, as playback is
		"queue/brake":                {may: []string{"queue/account", "queue/disk", "queue/schema", "queue/viewing"}},
		"queue/disk":                 {}, // keeps a file, and knows nothing of what its tables mean
		"queue/entry":                {may: []string{"queue/disk", "queue/schema", "queue/viewing"}},
		"queue/export":               {may: []string{"queue/viewing"}}, // words and lines: knows no database
		"queue/playback":             {may: []string{"queue/viewing"}}, // pure, so that its table can be read and tested by itself
		"queue/replay":               {may: []string{"queue", "queue/account", "queue/entry", "queue/playback", "queue/replay/doubt", "queue/resolve", "queue/resolve/identity", "queue/tracker", "queue/viewing"}},
		"queue/replay/doubt":         {may: []string{"queue/tracker", "queue/viewing"}},          // pure, as playback is
		"queue/resolve":              {may: []string{"queue/resolve/identity", "queue/viewing"}}, // pure, as doubt is
		"queue/resolve/chain":        {may: []string{"queue/resolve/identity", "queue/resolve/web"}},
		"queue/resolve/identity":     {may: []string{"queue/viewing"}}, // pure, too
		"queue/resolve/memory":       {may: []string{"queue/resolve/identity"}},
		"queue/resolve/tmdb":         {may: []string{"queue/resolve/identity", "queue/resolve/web", "queue/viewing"}},
		"queue/resolve/web":          {}, // knows requests, and nothing of what is asked
		"queue/resolve/wikidata":     {may: []string{"queue/resolve/identity", "queue/resolve/web", "queue/viewing"}},
		"queue/rules":                {may: []string{"queue/account", "queue/viewing"}},
		"queue/schema":               {},                               // SQL, and how values lie in columns
		"queue/tracker":              {may: []string{"queue/viewing"}}, // words, and nothing else
		"queue/tracker/sandbox":      {},
		"queue/tracker/sandbox/pipe": {},
		"queue/tracker/v1":           {may: []string{"queue/tracker", "queue/viewing"}},
		"queue/upkeep":               {may: []string{"queue/disk", "queue/schema", "queue/viewing"}},
		"queue/viewing":              {},
		"queue/viewing/typed":        {may: []string{"queue/viewing"}},
	}
}

// doors are the libraries that ship, each with the packages that may import
// it: whoever wants to replace one has one place to look.
func doors() map[string][]string {
	return map[string][]string{
		"github.com/fsnotify/fsnotify":             {"kodi/watch"},
		"github.com/go-sql-driver/mysql":           {"kodi/library"},
		"github.com/godbus/dbus/v5":                {"daemon/notify"},
		"github.com/gorilla/websocket":             {"connector", "connector/client"},
		"github.com/kardianos/service":             {"daemon/service"},
		"github.com/pelletier/go-toml/v2":          {"daemon/config", "daemon/setting"},
		"github.com/prometheus/client_golang":      {"daemon/metrics"},
		"github.com/prometheus/common":             nil, // its parser, for tests
		"github.com/spf13/cobra":                   {"cmd/filmspool/..."},
		"golang.org/x/net":                         {"..."},
		"golang.org/x/sync":                        {"..."},
		"golang.org/x/sys":                         {"..."},
		"golang.org/x/term":                        {"cmd/filmspool/terminal"},
		"golang.org/x/text":                        {"..."},
		"golang.org/x/time":                        {"connector", "queue/replay", "queue/resolve/web"},
		"modernc.org/sqlite":                       {"kodi/kodisim", "kodi/library", "queue/disk", "queue/resolve/memory", "queue/tracker/sandbox"},
		"github.com/getkin/kin-openapi":            nil, // the rest is for tests
		"github.com/google/go-cmp":                 nil,
		"github.com/oasdiff/yaml":                  nil,
		"github.com/rogpeppe/go-internal":          nil,
		"github.com/santhosh-tekuri/jsonschema/v6": nil,
		"go.uber.org/goleak":                       nil,
		"pgregory.net/rapid":                       nil,
	}
}

// within reports whether a folder is meant by a pattern of the tables.
func within(dir, pattern string) bool {
	if pattern == "..." {
		return true
	}
	below, ok := strings.CutSuffix(pattern, "/...")
	return dir == below || ok && strings.HasPrefix(dir, below+"/")
}

func allowed(dir string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return within(dir, p) })
}

// importFaults: every import has to be in the tables. Tests may import more,
// to put a room together with its neighbours, but never a command's rooms,
// and no library that is not listed.
func importFaults(r room) (found []string) {
	rule, known := table()[r.dir]
	if !known {
		return []string{r.dir + ": a package without a place in the house; give it one in the table"}
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		for _, spec := range r.files[name].Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if why := importFault(r.dir, path, rule, isTest(name)); why != "" {
				found = append(found, fmt.Sprintf("%s/%s: %s", r.dir, name, why))
			}
		}
	}
	return found
}

func importFault(dir, path string, rule access, test bool) string {
	if ours, ok := strings.CutPrefix(path, module+"/"); ok {
		if within(ours, "cmd/...") && !within(dir, "cmd/...") || !test && !allowed(ours, rule.may) {
			return "may not import " + ours
		}
		return ""
	}
	host, _, _ := strings.Cut(path, "/")
	if !strings.Contains(host, ".") {
		return "" // the standard library
	}
	for library, rooms := range doors() {
		if path == library || strings.HasPrefix(path, library+"/") {
			if test || allowed(dir, rooms) {
				return ""
			}
			return fmt.Sprintf("%s has its door elsewhere: %q", library, rooms)
		}
	}
	return "a library that is not on the list: " + path
}

// tableFaults: the table says what is there, no more.
func tableFaults(rooms []room, table map[string]access) (found []string) {
	for dir, rule := range table {
		there := slices.ContainsFunc(rooms, func(r room) bool { return r.dir == dir })
		switch {
		case there && rule.later:
			found = append(found, dir+" is filled now: it is no longer \"later\"")
		case !there && !rule.later:
			found = append(found, dir+" is in the table, but not there")
		}
	}
	return found
}

// TestImportRules shows that the tables are held.
func TestImportRules(t *testing.T) {
	for _, c := range []struct {
		dir, file, imports string
		want               string
	}{
		{"queue/surprise", "a.go", "fmt", "without a place"},
		{"queue/viewing", "a.go", module + "/queue", "may not import queue"},
		{"queue/viewing", "a.go", "encoding/json", ""},
		{"connector", "a.go", module + "/kodi", "may not import kodi"},
		{"connector", "a.go", module + "/queue", "may not import queue"},
		{"connector", "a.go", module + "/queue/viewing", ""},
		{"connector", "a.go", module + "/connector/protocol", ""},
		{"kodi", "a.go", module + "/connector/pairing", "may not import connector/pairing"},
		{"kodi", "a_test.go", module + "/queue", ""},
		{"kodi/watch", "a.go", module + "/kodi/library", "may not import kodi/library"},
		{"queue", "a.go", module + "/queue/tracker", "may not import queue/tracker"},
		{"queue/tracker/sandbox", "a.go", module + "/queue/tracker", "may not import queue/tracker"},
		{"queue/tracker/sandbox", "a.go", module + "/queue/tracker/v1", "may not import queue/tracker/v1"},
		{"queue/tracker/sandbox", "a_test.go", module + "/queue/tracker/v1", ""},
		{"queue/replay", "a.go", module + "/queue/tracker/v1", "may not import queue/tracker/v1"},
		{"queue/replay", "a_test.go", module + "/queue/tracker/v1", ""},
		{"daemon", "a.go", module + "/cmd/filmspool", "may not import cmd/filmspool"},
		{"daemon", "a_test.go", module + "/cmd/filmspool", "may not import cmd/filmspool"},
		{"daemon", "a.go", module + "/cmd/filmspool/terminal", "may not import cmd/filmspool/terminal"},
		{"cmd/filmspool", "a.go", module + "/cmd/filmspool/terminal", ""},
		{"cmd/filmspool/terminal", "a.go", module + "/cmd/filmspool/usage", "may not import cmd/filmspool/usage"},
		{"packaging", "a.go", module + "/daemon", "may not import daemon"},
		{"daemon", "a.go", "github.com/kardianos/service", "has its door elsewhere"},
		{"daemon/service", "a.go", "github.com/kardianos/service", ""},
		{"kodi", "a.go", "github.com/fsnotify/fsnotify", "has its door elsewhere"},
		{"daemon", "a.go", "modernc.org/sqlite/lib", "has its door elsewhere"},
		{"queue", "a.go", "go.uber.org/goleak", "has its door elsewhere"},
		{"queue", "a_test.go", "go.uber.org/goleak", ""},
		{"queue", "a.go", "golang.org/x/sync/errgroup", ""},
		{"queue", "a.go", "example.com/left-pad", "not on the list"},
		{"queue", "a_test.go", "example.com/left-pad", "not on the list"},
		{"queue", "a.go", "github.com/gorilla/websocketeer", "not on the list"},
	} {
		r, err := makeRoom(c.dir, map[string]string{c.file: fmt.Sprintf("package a\nimport %q\n", c.imports)})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.dir+"/"+c.file+" imports "+c.imports, importFaults(r), c.want)
	}
}

func TestTableFaults(t *testing.T) {
	var rooms []room
	for dir, rule := range table() {
		if !rule.later {
			rooms = append(rooms, room{dir: dir})
		}
	}
	expect(t, "all as told", tableFaults(rooms, table()), "")
	rooms = append(rooms, room{dir: "queue/new"})
	later := map[string]access{"queue/new": {later: true}}
	expect(t, "one filled", tableFaults(rooms[len(rooms)-1:], later), "no longer")
	expect(t, "one to come", tableFaults(nil, later), "")
	gone := slices.DeleteFunc(slices.Clone(rooms), func(r room) bool { return r.dir == "queue" })
	expect(t, "one gone", tableFaults(gone, table()), "not there")
}
