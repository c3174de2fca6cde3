package kodisim

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/realkodi"
)

// kodi is a real Kodi 20.1. One that ends by itself is followed by another, in
// a folder of its own.
type kodi struct {
	*realkodi.Kodi
	realkodi.Lives
	past   []act  // all that the next one has to do to be as this one is
	base   string // holds the folder of each
	starts int
	copies int
	db     *sql.DB // its library, read-only
	zone   *time.Location
}

// startKodi runs a real Kodi in a folder of its own, and stops it at the end.
func startKodi(t *testing.T) *kodi {
	t.Helper()
	realkodi.Require(t)
	k := &kodi{base: must(os.MkdirTemp("", "filmspool-kodi"))(t), zone: must(time.LoadLocation("America/New_York"))(t)}
	k.next(t)
	k.Lives = realkodi.Lives{Ended: func() bool { return k.Kodi.Ended() }, Renew: k.renew, Last: func() string { return k.Tail() }}
	ok(t, os.Chmod(k.base, 0o755)) // Kodi runs as another user
	t.Cleanup(func() {
		k.T = t
		k.stop()
		ok(t, os.RemoveAll(k.base))
	})
	k.survive("its start", func() {
		if k.db == nil {
			k.start()
		}
	})
	return k
}

// next prepares a Kodi in a new folder.
func (k *kodi) next(t testing.TB) {
	t.Helper()
	k.starts++
	k.Kodi = realkodi.New(t, filepath.Join(k.base, fmt.Sprint("kodi", k.starts)))
}

// survive does something for which Kodi has to live.
func (k *kodi) survive(what string, do func()) {
	k.T.Helper()
	t := k.T
	defer func() { k.T = t }()
	k.Survive(t, what, func(t testing.TB) {
		t.Helper()
		k.T = t
		do()
	})
}

// renew starts another Kodi, which does all that the dead one has done: what a
// death leaves of an act is known to nobody.
func (k *kodi) renew(t testing.TB) {
	t.Helper()
	k.T = t
	k.stop()
	k.next(t)
	k.start()
	for _, a := range k.past {
		state := dump(k.T, k.db, nil)
		a.real(k)
		k.settled(state, !a.still)
	}
}

func (k *kodi) start() {
	k.T.Helper()
	k.Start()
	k.db = must(sql.Open("sqlite", "file:"+k.Database()+"?mode=ro&_pragma=busy_timeout(2000)"))(k.T)
	k.Await("all streams", func() bool {
		return k.number(`select count(*) from files where idFile not in (select idFile from streamdetails)`) == 0
	})
}

func (k *kodi) stop() {
	if k.db != nil {
		_ = k.db.Close()
		k.db = nil
	}
	k.Stop()
}

func (k *kodi) number(query string, args ...any) int64 {
	k.T.Helper()
	var n int64
	ok(k.T, k.db.QueryRow(query, args...).Scan(&n))
	return n
}

// film is a film's id by its title.
func (k *kodi) film(title string) int64 {
	k.T.Helper()
	return k.number(`select idMovie from movie where c00 = ?`, title)
}

func (k *kodi) show(title string) int64 {
	k.T.Helper()
	return k.number(`select idShow from tvshow where c00 = ?`, title)
}

// episode is an episode's id by its place.
func (k *kodi) episode(show string, season, number int) int64 {
	k.T.Helper()
	return k.number(`select idEpisode from episode join tvshow using (idShow) where tvshow.c00 = ? and episode.c12 = ? and episode.c13 = ?`,
		show, strconv.Itoa(season), strconv.Itoa(number))
}

// copy takes the library as it is.
func (k *kodi) copy() string {
	k.T.Helper()
	k.copies++
	folder := filepath.Join(k.Dir, fmt.Sprint("copy", k.copies))
	ok(k.T, os.MkdirAll(folder, 0o755))
	path := filepath.Join(folder, "MyVideos121.db")
	must(k.db.Exec(`vacuum into ?`, path))(k.T)
	return path
}

// settled waits until the library differs from before, if a change is due,
// and has then been still for a second.
func (k *kodi) settled(before map[string][]string, changes bool) {
	k.T.Helper()
	last, still := fmt.Sprint(before), 0
	changed := !changes
	k.Await("quiet library", func() bool {
		now := fmt.Sprint(dump(k.T, k.db, nil))
		changed = changed || now != fmt.Sprint(before)
		if still++; now != last {
			last, still = now, 0
		}
		return changed && still >= 10
	})
}
