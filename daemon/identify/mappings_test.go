package identify

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve/identity"
)

// A file is not read while it is being saved: half of it would be fewer mappings.
func TestMappingsThatAreBeingSavedAreNotRead(t *testing.T) {
	const one = "[[mapping]]\nsource = \"tvdb:1\"\nfirst = 1\nlast = 9\ntmdb = 7\ntmdb_season = 1\ntmdb_first = 1\n"
	m := config.MappingsFile{Name: filepath.Join(t.TempDir(), "mappings.toml")}
	for n, step := range []struct {
		write string
		age   time.Duration
		lists int
	}{
		{one, 0, 1}, // at the start there is nothing else that counts
		{one + strings.Replace(one, "tvdb:1", "tvdb:2", 1), 10 * time.Second, 2},
		{one, time.Second, 2}, // half saved
		{one + strings.Replace(one, "tvdb:1", "tvdb:3", 1), time.Minute, 2},
		{one, 3 * time.Second, 1},
	} {
		at := time.Now().Add(-step.age)
		if err := os.WriteFile(m.Name, []byte(step.write), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(m.Name, at, at); err != nil {
			t.Fatal(err)
		}
		if all, _ := m.Current(); len(all) != step.lists {
			t.Errorf("step %d: %d lists, want %d", n, len(all), step.lists)
		}
	}
}

// The file is read again when it has changed. One with a fault leaves what counted
// before, and says so until it is mended.
func TestMappingsAreReadAgain(t *testing.T) {
	const good = "[[mapping]]\nsource = \"tvdb:1\"\nfirst = 1\nlast = 9\ntmdb = 7\ntmdb_season = 1\ntmdb_first = 1\n"
	file := filepath.Join(t.TempDir(), "mappings.toml")
	anew := 0
	i := &Identifier{o: Options{Mappings: &config.MappingsFile{Name: file}, Recovered: func(context.Context) { anew++ }}}
	number, at := 2, time.Now()
	e := identity.Evidence{Kind: "episode", Episode: &number}
	e.Show.TVDB = 1
	for n, step := range []struct {
		write      string // "-" removes the file, and "" leaves it
		maps, anew bool
		wrong      string
	}{
		{"", false, false, ""},
		{good, true, true, ""},
		{"", true, false, ""},
		{strings.Replace(good, "last = 9", "last = 0", 1), true, false, "mappings.toml: mapping[0].last: 0 is not 1 or more (line 4)"},
		{"", true, false, "(line 4)"},
		{"-", false, true, ""},
		{strings.Replace(good, "last = 9", "last = x", 1), false, false, "line 4"},
		{strings.Replace(good, "last = 9", "last = 1", 1), false, true, ""},
	} {
		switch step.write {
		case "":
		case "-":
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		default:
			at = at.Add(time.Second)
			if err := os.WriteFile(file, []byte(step.write), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
		anew = 0
		rows, maps := i.Sources(t.Context()), i.Maps(t.Context(), e)
		if maps != step.maps || (anew == 1) != step.anew || (len(rows) > 0) != (step.wrong != "") {
			t.Errorf("step %d: mapped %v, asked anew %d times, %+v", n, maps, anew, rows)
		}
		if len(rows) > 0 && (rows[0].State != account.Attention || !strings.Contains(rows[0].Detail, step.wrong) || strings.Contains(rows[0].Detail, "\n")) {
			t.Errorf("step %d: %+v, want %s", n, rows, step.wrong)
		}
	}
}
