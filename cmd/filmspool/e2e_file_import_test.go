package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/daemon/control"
)

// netflixRows is the number of rows of the imported file.
const netflixRows = 5000

// netflixFile returns a viewing history: every fiftieth row is an episode with a correction,
// every seventh a film, and the others are episodes of unknown series.
func netflixFile(rows int) string {
	var file strings.Builder
	file.WriteString("Title,Date\n")
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range rows {
		title := fmt.Sprintf("Blue %d: Season 2: Episode %d", n%30, n+1)
		switch {
		case n%50 == 0:
			title = fmt.Sprintf("Red: Season 1: Episode %d", n/50+1)
		case n%7 == 0:
			title = fmt.Sprintf("A Film of %d", n)
		}
		fmt.Fprintf(&file, "%q,%q\n", title, day.AddDate(0, 0, -n).Format(time.DateOnly))
	}
	return file.String()
}

// The daemon is killed five times during an import: after the upload, after the confirmation, and
// at random moments. The result is exactly that of the preview.
func TestFileImportSurvivesKills(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.configure("[accounts.default]\nidempotency = true\n[replay]\nbackfill_rate = 0\n[[filters]]\nkind = \"movie\"\naction = \"hold\"\n")
	h.env = append(h.env, quickReadBack+"=1")
	box := h.sandbox("127.0.0.1:0")
	h.login(box.baseURL())
	name := filepath.Join(h.dir, "NetflixViewingHistory.csv")
	must(t, os.WriteFile(name, []byte(netflixFile(1)), 0o600))
	h.do("", "import", name, "--yes")
	h.do("", "fix", "1", "1396")
	must(t, os.WriteFile(name, []byte(netflixFile(netflixRows)), 0o600))
	var said control.FilePreview
	must(t, json.Unmarshal([]byte(h.do("", "import", name, "--dry-run", "--json")), &said))
	const sent = netflixRows/50 - 1 // the first one was imported before
	if said.New != netflixRows-1 || said.Known != 1 || said.Held < 500 || said.New-said.Unresolved-said.Held != sent {
		t.Fatalf("the preview is %+v", said)
	}
	cut := 0
	for _, stage := range []string{"kept", "agreed", "start", "part", "part"} {
		before, window := h.imported(), 20*time.Millisecond
		var daemon *process
		switch stage {
		case "kept", "agreed":
			daemon = h.start("run")
			asking := h.command(t.Context(), "import", name, "--yes")
			must(t, asking.Start())
			await(t.Fatalf, h.dir, "a file that is "+stage, h.keptFile, func(f control.File) bool { return f.ID != "" && (stage == "kept" || f.Agreed) })
			defer func() { _ = asking.Wait() }() // the daemon was killed
		default: // the import continues
			daemon = &process{cmd: h.command(t.Context(), "run")}
			must(t, daemon.cmd.Start())
			if stage == "part" {
				h.awaitImported(before, nil)
			} else {
				window = 200 * time.Millisecond
			}
		}
		rest(t.Context(), rand.N(window))
		daemon.kill()
		left, err := h.keptFile()
		must(t, err)
		t.Logf("killed (%s): %d of %d on disk, agreed %v", stage, h.imported(), netflixRows, left.Agreed)
		if !left.EndedAt.IsZero() {
			break
		}
		cut++
	}
	if cut < 3 {
		t.Errorf("only %d kills cut the import", cut)
	}
	h.start("run")
	did := await(t.Fatalf, h.dir, "the end of the import", h.keptFile, func(f control.File) bool { return !f.EndedAt.IsZero() })
	if diff := cmp.Diff(said, did.FilePreview); diff != "" {
		t.Errorf("the import did not what the preview said (-said +did):\n%s", diff)
	}
	h.delivered(sent + 1)
	db, err := readOnly(filepath.Join(h.dir, "state", "filmspool.db"))
	must(t, err)
	defer db.Close()
	states, err := columnOf(db, "SELECT state || ' ' || iif(state = 'held', reason, '') || ' ' || count(*) AS text FROM entries GROUP BY state, iif(state = 'held', reason, '') ORDER BY 1")
	want := []string{fmt.Sprint("delivered  ", sent+1), fmt.Sprint("held filter ", said.Held), fmt.Sprint("held unresolved ", said.Unresolved)}
	if err != nil || !slices.Equal(states, want) {
		t.Errorf("the queue has %q, want %q, %v", states, want, err)
	}
	seen := map[int64]int{}
	for _, r := range h.records(box.address).History {
		seen[r.EpisodeNumber]++
	}
	if len(seen) != sent+1 || slices.Max(slices.Collect(maps.Values(seen))) != 1 {
		t.Errorf("the service has %v", seen)
	}
}

// keptFile returns the stored history file with more than one row, or the zero value.
func (h *fixture) keptFile() (f control.File, err error) {
	names, _ := filepath.Glob(filepath.Join(h.dir, "state", "imports", "*.json"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if f = (control.File{}); err == nil {
			err = json.Unmarshal(text, &f)
		}
		if err != nil || f.Rows != 1 {
			return f, err
		}
	}
	return control.File{}, nil
}
