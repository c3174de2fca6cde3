package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi/kodisim"
	"github.com/filmspool/filmspool/queue/viewing"
)

// pastOf creates a library of n films, each watched on another day, and configures it.
func (h *fixture) pastOf(n int) *kodisim.Sim {
	h.t.Helper()
	sim := kodisim.Create(filepath.Join(h.dir, "userdata"), 131)
	h.t.Cleanup(func() { sim.Close() })
	for film := range n {
		addWatched(sim, film+1, 2, pastDay(film+1).Format(time.DateOnly+" 00:00:00"))
	}
	h.configure("[replay]\nbackfill_rate = 0\n[[kodi.libraries]]\nuserdata = %q\ntime_zone = \"UTC\"\n", filepath.Join(h.dir, "userdata"))
	return sim
}

func addWatched(sim *kodisim.Sim, film, plays int, last string) {
	sim.AddFilm(kodisim.Film{
		Title: fmt.Sprint("Film ", film), IDs: viewing.IDs{TMDB: int64(film)}, Path: fmt.Sprintf("/media/films/%d.mkv", film), Plays: plays, LastPlayed: last,
	})
}

// pastDay returns noon of the day on which a film was watched.
func pastDay(film int) time.Time {
	return time.Date(2012, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, film%5000)
}

// past runs an import that must succeed and returns its result.
func (h *fixture) past(args ...string) (did control.KodiImported) {
	h.t.Helper()
	cmd := h.command(h.t.Context(), append([]string{"import", "kodi", "--json"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &did)
	}
	if err != nil {
		h.t.Fatalf("import: %v\n%s%s", err, out, stderr.String())
	}
	return did
}

// An import sends the viewings of a library once, except those that the service or the queue
// already has.
func TestKodiImport(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	box := h.sandbox("127.0.0.1:0")
	h.login(box.baseURL())
	sim := h.pastOf(12)
	addWatched(sim, 13, 1, "2020-01-01 20:00:00")
	addWatched(sim, 14, 1, "2020-01-01 20:00:01")
	elsewhere := fmt.Sprintf(`{"type":"movie","id":3,"count":1,"watchedAt":%q}`, pastDay(3).Add(9*time.Hour).Format(time.RFC3339))
	tell(t, "http://"+box.address+"/api/v1/history", elsewhere)
	h.do("", "add", "5", pastDay(5).Add(-time.Hour).Format(time.RFC3339))

	before := h.past("--dry-run")
	if l := before.Libraries[0]; l.Films != 10 || l.AtService != 1 || l.Recorded != 1 || l.Held["bulk"] != 2 || l.Earlier != 12 || before.NeedsYes {
		t.Errorf("the preview is %+v", before)
	}
	h.start("run")
	if did := h.past(); did.Libraries[0].Films != 10 {
		t.Errorf("the import is %+v", did)
	}
	h.delivered(11)
	days := map[int64]time.Time{}
	for _, r := range h.records(box.address).History {
		if _, twice := days[r.ID]; twice {
			t.Errorf("film %d was recorded twice", r.ID)
		}
		days[r.ID] = r.WatchedAt
	}
	if len(days) != 12 || !days[7].Equal(pastDay(7)) {
		t.Errorf("recorded %v", days)
	}
	if again := h.past(); again.Libraries[0].Plays() != 0 {
		t.Errorf("again, it is %+v", again.Libraries[0])
	}
	h.until("all that is held", func(s control.Status) bool { return s.Counts.Held == 2 })
}

// tell sends a request of another device to the service.
func tell(t *testing.T, url, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Api-Key", secretKey)
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		t.Fatalf("told the service: %s", answer.Status)
	}
}

// An import needs a confirmation if the service's history is not readable.
func TestKodiImportAsks(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.env = append(h.env, "TZ=UTC") // of --since below
	box := h.sandbox("127.0.0.1:0", "--contract-only")
	h.login(box.baseURL())
	h.pastOf(3)
	if said, code := h.try("import", "kodi"); code != exitUsage || !strings.Contains(said, "--yes") {
		t.Errorf("exit %d, want %d:\n%s", code, exitUsage, said)
	}
	if did := h.past("--dry-run"); !did.NeedsYes || did.Services[0].Readable {
		t.Errorf("the preview is %+v", did)
	}
	if did := h.past("--yes", "--since", "2012-01-03"); did.Libraries[0].Films != 2 {
		t.Errorf("the import is %+v", did)
	}
}

// Imports, offline and in a daemon, are killed and repeated: every viewing exists once. A kill
// counts if it left a partial import.
func TestKodiImportSurvivesKills(t *testing.T) {
	t.Parallel()
	cut := map[string]int{"offline": 0, "in a daemon": 0}
	for films := 1000; films <= 24_000; films *= 2 { // on a busy machine, an import may be faster than its kill
		killImports(t, films, cut)
		if cut["offline"] > 0 && cut["in a daemon"] > 0 {
			return
		}
	}
	t.Errorf("kills that cut an import: %v; without one of each kind, nothing was tried", cut)
}

// killImports kills imports of a new library and counts the interrupted ones. The first kill is
// at a random moment, mostly before there is a queue.
func killImports(t *testing.T, films int, cut map[string]int) {
	h := newFixture(t)
	h.pastOf(films)
	for n, left := 0, 0; n < 7 && left < films; n++ {
		where, before := []string{"offline", "in a daemon"}[n%2], left
		var daemon *process
		if where == "in a daemon" {
			daemon = h.start("run")
		}
		cmd := h.command(t.Context(), "import", "kodi", "--yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // the disk shows how far it got
			close(ended)
		}()
		if n == 0 {
			rest(t.Context(), rand.N(50*time.Millisecond))
		} else {
			h.awaitImported(before, ended)
		}
		if daemon != nil {
			daemon.kill()
		} else {
			_ = cmd.Process.Kill() // it may have ended by itself
		}
		<-ended
		if left = h.imported(); before < left && left < films {
			cut[where]++
		}
		t.Logf("killed %s: %d of %d on disk", where, left, films)
	}
	h.past("--yes")
	h.start("run")
	entries, err := h.entries()
	must(t, err)
	seen := map[int64]bool{}
	for _, e := range entries {
		film := e.Media.IDs.TMDB
		if seen[film] || !e.WatchedAt.Time().Equal(pastDay(int(film))) || e.State != "pending" {
			t.Errorf("%+v", e)
		}
		seen[film] = true
	}
	if len(seen) != films {
		t.Errorf("%d films are there, want %d", len(seen), films)
	}
}

// imported returns how many viewings are on disk, while the program may be running.
func (h *fixture) imported() (n int) {
	h.t.Helper()
	path := filepath.Join(h.dir, "state", "filmspool.db")
	if _, err := os.Stat(path); err != nil {
		return 0 // not yet
	}
	db, err := readOnly(path)
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	_ = db.QueryRow(`SELECT count(*) FROM entries`).Scan(&n) // 0 if there is no table yet
	return n
}

// awaitImported waits until an import has written more, or has ended.
func (h *fixture) awaitImported(before int, ended <-chan struct{}) {
	h.t.Helper()
	for h.imported() == before && rest(h.t.Context(), time.Millisecond) {
		select {
		case <-ended:
			return
		default:
		}
	}
}
