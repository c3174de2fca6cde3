package kodisim

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/kodi/realkodi"
	"github.com/filmspool/filmspool/queue/viewing"
)

// act is one thing done twice: by the real Kodi, and by us on a copy of the
// library as it was before.
type act struct {
	name  string
	real  func(k *kodi)
	ours  func(s *Sim, seen seen) error
	still bool     // the real Kodi changes nothing
	left  []string // tables, and columns as table.column, that are not compared
}

// seen is what we are told of the real act: the library before and after.
type seen struct {
	*kodi
	before, after *sql.DB
	from, to      time.Time
}

// TestAgainstRealKodi compares every act, row by row, with a Kodi 20.1. Two
// things are never compared: the table art, which a job of Kodi's window fills
// at its own pace, and row numbers that no column shows. Not compared at all is
// what no Kodi 20 can show: schema 131, its versions, and the upgrade.
func TestAgainstRealKodi(t *testing.T) {
	k := startKodi(t)
	for _, acts := range [][]act{playbacks(), remoteMarks(), windowMarks(), refreshes(), scans(), removals()} {
		for _, a := range acts {
			t.Run(strings.ReplaceAll(a.name, " ", "-"), func(t *testing.T) {
				k.T = t
				k.compare(a)
			})
			if k.Deaths > realkodi.MostDeaths {
				return
			}
		}
	}
}

// deed is what the real Kodi made of an act.
type deed struct {
	state         map[string][]string // of the library before
	before, after string              // copies of it
	from, to      time.Time
	transactions  uint32
}

// really has the real Kodi do an act.
func (k *kodi) really(a act) deed {
	k.T.Helper()
	d := deed{before: k.copy(), state: dump(k.T, k.db, nil), from: time.Now()}
	first := commits(k.T, k.Database())
	a.real(k)
	k.settled(d.state, !a.still)
	d.transactions = commits(k.T, k.Database()) - first
	d.after, d.to = k.copy(), time.Now()
	return d
}

// compare does an act both ways. Each act starts from what the real Kodi has,
// so one that differs does not spoil the next.
func (k *kodi) compare(a act) {
	k.T.Helper()
	var did deed
	k.survive(a.name, func() { did = k.really(a) })
	k.past = append(k.past, a)
	after := k.openCopy(did.after)
	s := must(Open(did.before))(k.T)
	defer s.Close()
	told := seen{kodi: k, before: s.db, after: after, from: did.from, to: did.to}
	ours := commits(k.T, did.before)
	ok(k.T, a.ours(s, told))
	ours = commits(k.T, did.before) - ours
	if ours > did.transactions || ours == 0 && did.transactions > 0 { // more of the real ones: jobs of Kodi's window, and the steps of a scan
		k.T.Errorf("transactions: real %d, ours %d", did.transactions, ours)
	}
	got := dump(k.T, s.db, a.left)
	if diff := cmp.Diff(dump(k.T, after, a.left), got); diff != "" {
		k.T.Errorf("the libraries differ (-real +ours):\n%s", diff)
	}
	if changed := fmt.Sprint(did.state) != fmt.Sprint(dump(k.T, after, nil)); changed == a.still {
		k.T.Errorf("the real Kodi changed something: %v", changed)
	}
}

// commits is the number of transactions that changed a library, from its header.
func commits(t testing.TB, path string) uint32 {
	t.Helper()
	header := make([]byte, 28)
	f := must(os.Open(path))(t)
	defer f.Close()
	must(io.ReadFull(f, header))(t)
	return binary.BigEndian.Uint32(header[24:])
}

func (k *kodi) openCopy(path string) *sql.DB {
	db := must(sql.Open("sqlite", "file:"+path+"?mode=ro"))(k.T)
	k.T.Cleanup(func() { _ = db.Close() })
	return db
}

// dump is every row of every table, sorted, as text.
func dump(t testing.TB, db *sql.DB, left []string) map[string][]string {
	t.Helper()
	tx := must(db.Begin())(t)
	defer func() { _ = tx.Rollback() }()
	all := map[string][]string{}
	for _, table := range column1(t, tx, `select name from sqlite_schema where type = 'table' and name <> 'art'`) {
		kept := must(read(tx, table, `true`))(t)
		all[table] = []string{}
		for _, values := range kept.values {
			var line []string
			for i, v := range values {
				if !slices.Contains(left, table+"."+kept.columns[i]) {
					line = append(line, fmt.Sprintf("%s=%#v", kept.columns[i], v))
				}
			}
			all[table] = append(all[table], strings.Join(line, " "))
		}
		if slices.Contains(left, table) {
			delete(all, table)
		}
		slices.Sort(all[table])
	}
	return all
}

func column1(t testing.TB, tx *sql.Tx, query string) []string {
	t.Helper()
	rows := must(tx.Query(query))(t)
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		ok(t, rows.Scan(&s))
		all = append(all, s)
	}
	ok(t, rows.Err())
	return all
}

// at is the time that the real Kodi wrote for a file. It must lie within the
// act, or the test would hand us a wrong answer to repeat.
func (s seen) at(ref Ref) time.Time {
	s.T.Helper()
	k := must(ref.kind())(s.T)
	return s.time(`select lastPlayed from files join `+k.table+` using (idFile) where `+k.key+` = ?`, ref.ID)
}

func (s seen) time(query string, args ...any) time.Time {
	s.T.Helper()
	var text string
	ok(s.T, s.after.QueryRow(query, args...).Scan(&text))
	at := must(time.ParseInLocation("2006-01-02 15:04:05", text, s.zone))(s.T)
	if at.Before(s.from.Add(-time.Second)) || at.After(s.to) {
		s.T.Errorf("Kodi wrote %s, which is not between %s and %s", at, s.from.In(s.zone), s.to.In(s.zone))
	}
	return at
}

// stoppedAt is the position of the resume point that the real Kodi wrote.
func (s seen) stoppedAt(ref Ref) time.Duration {
	s.T.Helper()
	k := must(ref.kind())(s.T)
	var seconds float64
	ok(s.T, s.after.QueryRow(`select timeInSeconds from bookmark join `+k.table+` using (idFile) where `+k.key+` = ?`, ref.ID).Scan(&seconds))
	return time.Duration(seconds*1e6+0.5) * time.Microsecond
}

func movie(k *kodi, title string) Ref { return Ref{viewing.Movie, k.film(title)} }

func part(k *kodi, season, number int) Ref {
	return Ref{viewing.Episode, k.episode("Show Red", season, number)}
}

func item(r Ref) map[string]any { return map[string]any{string(r.Type) + "id": r.ID} }

// playback is an act of playing; percent above 97 plays to the end.
func playback(name string, ref func(k *kodi) Ref, percent float64, resume bool) act {
	return act{
		name: name,
		real: func(k *kodi) { k.Play(item(ref(k)), min(percent, 97), percent <= 97) },
		ours: func(s *Sim, seen seen) error {
			r := ref(seen.kodi)
			if percent > 97 {
				return s.Play(r, seen.at(r))
			}
			position := time.Duration(percent / 100 * float64(seen.length(r)))
			if resume {
				position = seen.stoppedAt(r)
			}
			return s.PartialPlay(r, seen.at(r), position)
		},
	}
}

// length is the running time of an item's file.
func (s seen) length(ref Ref) time.Duration {
	k := must(ref.kind())(s.T)
	return time.Duration(s.number(`select iVideoDuration from streamdetails join `+k.table+` using (idFile) where `+k.key+` = ?`, ref.ID)) * time.Second
}

func playbacks() []act {
	alpha := func(k *kodi) Ref { return movie(k, "Alpha One") } // four minutes
	beta := func(k *kodi) Ref { return movie(k, "Beta") }       // one minute
	double := func(k *kodi) Ref { return part(k, 1, 3) }
	return []act{
		playback("play to the end", beta, 100, false),
		playback("play again to the end", beta, 100, false),
		playback("play again and stop half way", beta, 50, false),
		playback("stop half way", alpha, 50, false),
		playback("stop late", alpha, 80, true),
		playback("stop early after that", alpha, 30, false),
		playback("stop late again", alpha, 80, true),
		playback("play to the end after that", alpha, 100, false),
		playback("stop in the credits", alpha, 90.2, true),
		playback("stop at the very end", alpha, 95, false),
		playback("play a double episode", double, 100, false),
	}
}

// remote is an act of JSON-RPC; -1 and "" leave count and time out.
func remote(name string, ref func(k *kodi) Ref, n int, last string, still bool) act {
	return act{
		name: name, still: still,
		real: func(k *kodi) {
			r := ref(k)
			method := map[viewing.MediaType]string{viewing.Movie: "VideoLibrary.SetMovieDetails", viewing.Episode: "VideoLibrary.SetEpisodeDetails"}[r.Type]
			params := []any{string(r.Type) + "id", r.ID, "playcount", n}
			if last != "" {
				params = append(params, "lastplayed", last)
			}
			k.Call(method, params...)
		},
		ours: func(s *Sim, seen seen) error {
			r := ref(seen.kodi)
			if last != "" {
				return s.SetPlayCountAndTime(r, n, last)
			}
			return s.SetPlayCount(r, n, seen.now(r))
		},
	}
}

// now is when an act happened that may have kept the old time: what the file
// got if it had none before, else any time.
func (s seen) now(ref Ref) time.Time {
	s.T.Helper()
	k := must(ref.kind())(s.T)
	var before sql.NullString
	ok(s.T, s.before.QueryRow(`select lastPlayed from files join `+k.table+` using (idFile) where `+k.key+` = ?`, ref.ID).Scan(&before))
	if before.Valid {
		return s.to
	}
	return s.at(ref)
}

func remoteMarks() []act {
	delta := func(k *kodi) Ref { return movie(k, "Delta") }
	double := func(k *kodi) Ref { return part(k, 1, 4) }
	first := func(k *kodi) Ref { return part(k, 1, 1) }
	return []act{
		remote("set watched", delta, 1, "", false),
		remote("set unwatched", delta, 0, "", false),
		remote("set watched once more", delta, 1, "", false),
		remote("set watched with a time", delta, 1, "2020-02-02 20:02:02", false),
		remote("set two plays", delta, 2, "", false),
		remote("set two plays again", delta, 2, "", true),
		remote("set unwatched with a time", delta, 0, "2021-02-02 20:02:02", false),
		remote("set half a double episode unwatched", double, 0, "", false),
		playback("stop an episode late", first, 80, true),
		remote("set it watched", first, 1, "", false),
	}
}

// toggled is an act in Kodi's window.
func toggled(name string, ref func(k *kodi) Ref, mark bool) act {
	return act{
		name: name,
		real: func(k *kodi) {
			r := ref(k)
			folder := map[viewing.MediaType]string{
				viewing.Movie: "videodb://movies/titles/", viewing.TV: "videodb://tvshows/titles/",
				viewing.Episode: fmt.Sprintf("videodb://tvshows/titles/%d/1/", k.show("Show Red")),
			}[r.Type]
			k.Toggle(folder, r.ID)
		},
		ours: func(s *Sim, seen seen) error {
			r := ref(seen.kodi)
			switch {
			case !mark:
				return s.Unmark(r)
			case r.Type == viewing.TV:
				return s.Mark(r, seen.time(`select max(lastPlayed) from files join episode using (idFile) where idShow = ?`, r.ID))
			default:
				return s.Mark(r, seen.at(r))
			}
		},
	}
}

func windowMarks() []act {
	red := func(k *kodi) Ref { return Ref{viewing.TV, k.show("Show Red")} }
	special := func(k *kodi) Ref { return part(k, 0, 1) }
	alpha := func(k *kodi) Ref { return movie(k, "Alpha One") }
	return []act{
		toggled("mark a show", red, true),
		remote("set one episode unwatched", special, 0, "", false),
		toggled("mark the show again", red, true),
		toggled("unmark the show", red, false),
		playback("stop a film late", alpha, 80, true),
		toggled("unmark a film", alpha, false),
		playback("stop the film late", alpha, 80, true),
		toggled("mark the film", alpha, true),
		toggled("mark an episode", func(k *kodi) Ref { return part(k, 1, 2) }, true),
		toggled("mark half a double episode", func(k *kodi) Ref { return part(k, 1, 3) }, true),
	}
}

func refreshed(name, title string, before func(k *kodi), found Refreshed) act {
	ref := func(k *kodi) Ref { return movie(k, title) }
	var old Ref
	return act{
		name: name,
		real: func(k *kodi) {
			if before != nil {
				before(k)
			}
			old = ref(k)
			k.Call("VideoLibrary.RefreshMovie", "movieid", old.ID, "ignorenfo", false)
		},
		ours: func(s *Sim, seen seen) error {
			if found.Claim.PlayCount > 0 && found.Claim.LastPlayed == "" {
				found.Claim.ReadAt = seen.at(ref(seen.kodi))
			}
			return second(s.Refresh(old, found))
		},
	}
}

func refreshes() []act {
	nfo := func(k *kodi, from, to string) {
		path := filepath.Join(k.Dir, "media", "movies", "Beta (2010)", "Beta (2010).nfo")
		text := must(os.ReadFile(path))(k.T)
		ok(k.T, os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644))
	}
	var double Ref
	return []act{
		refreshed("refresh a film with a tag", "Alpha One", nil, Refreshed{}),
		refreshed("refresh a film whose NFO has a past", "Epsilon", nil, Refreshed{Claim: Claim{PlayCount: 3, LastPlayed: "2019-02-03 21:10:00"}}),
		refreshed("refresh a film", "Beta", nil, Refreshed{}),
		refreshed("refresh a film that is another now", "Beta",
			func(k *kodi) {
				nfo(k, "27205", "27206")
				nfo(k, "</movie>", "<playcount>2</playcount></movie>")
			},
			Refreshed{Claim: Claim{PlayCount: 2}, IDs: &viewing.IDs{TMDB: 27206, IMDB: "tt1375666"}}),
		playback("play a double episode again", func(k *kodi) Ref { return part(k, 1, 3) }, 100, false),
		{
			name: "refresh half a double episode",
			real: func(k *kodi) {
				double = part(k, 1, 3)
				k.Call("VideoLibrary.RefreshEpisode", "episodeid", double.ID, "ignorenfo", false)
			},
			ours: func(s *Sim, seen seen) error { return second(s.Refresh(double, Refreshed{})) },
		},
	}
}

// scanned leaves out what a scan notes about folders and about itself.
func scanned() []string { return []string{"path.strHash", "version.iCompressCount"} }

func (k *kodi) scan() { k.Call("VideoLibrary.Scan") }

// date is the date of a file, which a scan notes.
func (s seen) date(path string) time.Time {
	return must(os.Stat(path))(s.T).ModTime().In(s.zone)
}

func scans() []act {
	var newt, green string
	dates := []string{"files.dateAdded", "path.dateAdded"} // the file's own, of which we are not told
	play := act{
		real: func(k *kodi) { k.Play(map[string]any{"file": newt}, 97, false) }, left: dates,
		ours: func(s *Sim, seen seen) error {
			return s.PlayFile(newt, seen.time(`select lastPlayed from files where strFilename = ?`, filepath.Base(newt)))
		},
	}
	first, again := play, play
	first.name, again.name = "play a file before its scan", "play it again"
	first.real = func(k *kodi) {
		newt = k.AddMedia("movies/Newt (2020)/Newt (2020).mkv", map[string]string{"movies/Newt (2020)/Newt (2020).nfo": `<movie><title>Newt</title><year>2020</year><uniqueid type="tmdb" default="true">77</uniqueid></movie>`})
		play.real(k)
	}
	return []act{
		first, again,
		{
			name: "scan it", left: scanned(), real: (*kodi).scan,
			ours: func(s *Sim, seen seen) error {
				return second(s.AddFilm(Film{Title: "Newt", Year: 2020, IDs: viewing.IDs{TMDB: 77}, Path: newt, Duration: time.Minute}, seen.date(newt)))
			},
		},
		{
			name: "scan a show", left: scanned(),
			real: func(k *kodi) {
				green = k.AddMedia("tv/Show Green/Season 02/Show Green S02E05.mkv", map[string]string{
					"tv/Show Green/tvshow.nfo":                      `<tvshow><title>Show Green</title><premiered>2011-01-01</premiered><uniqueid type="tmdb" default="true">1399</uniqueid><uniqueid type="tvdb">121361</uniqueid></tvshow>`,
					"tv/Show Green/Season 02/Show Green S02E05.nfo": `<episodedetails><title>Winter</title><season>2</season><episode>5</episode><uniqueid type="tmdb" default="true">63056</uniqueid><playcount>1</playcount><lastplayed>2020-01-31</lastplayed></episodedetails>`,
				})
				k.scan()
			},
			ours: func(s *Sim, seen seen) error {
				show, err := s.AddShow(Show{Title: "Show Green", Year: 2011, IDs: viewing.IDs{TMDB: 1399, TVDB: 121361}, Path: parent(parent(green))}, seen.date(parent(parent(green))))
				if err != nil {
					return err
				}
				return second(s.AddEpisodeFile(show, EpisodeFile{
					Path: green, Duration: time.Minute, Claim: Claim{PlayCount: 1, LastPlayed: "2020-01-31"},
					Episodes: []Episode{{Season: 2, Number: 5, Title: "Winter", IDs: viewing.IDs{TMDB: 63056}}},
				}, seen.date(green)))
			},
		},
	}
}

func removals() []act {
	var gone Ref
	remove := func(name, method string, ref func(k *kodi) Ref) act {
		return act{
			name: name,
			real: func(k *kodi) {
				gone = ref(k)
				word := map[viewing.MediaType]string{viewing.Movie: "movieid", viewing.Episode: "episodeid", viewing.TV: "tvshowid"}[gone.Type]
				k.Call("VideoLibrary."+method, word, gone.ID)
			},
			ours: func(s *Sim, seen seen) error { return s.Remove(gone) },
		}
	}
	half := remove("remove half a double episode", "RemoveEpisode", func(k *kodi) Ref { return part(k, 1, 4) })
	half.left = []string{"streamdetails", "episode.c09"} // a job of Kodi's window may read the file's streams again for the other half
	return []act{
		remove("remove a film", "RemoveMovie", func(k *kodi) Ref { return movie(k, "Newt") }),
		{
			name: "scan it in again", left: scanned(), real: (*kodi).scan,
			ours: func(s *Sim, seen seen) error {
				path := filepath.Join(seen.Dir, "media", "movies", "Newt (2020)", "Newt (2020).mkv")
				return second(s.AddFilm(Film{Title: "Newt", Year: 2020, IDs: viewing.IDs{TMDB: 77}, Path: path, Duration: time.Minute}, seen.date(path)))
			},
		},
		remove("remove the film with a tag", "RemoveMovie", func(k *kodi) Ref { return movie(k, "Alpha One") }),
		remove("remove an episode", "RemoveEpisode", func(k *kodi) Ref { return part(k, 1, 2) }),
		half,
		remove("remove a show", "RemoveTVShow", func(k *kodi) Ref { return Ref{viewing.TV, k.show("Show Red")} }),
	}
}
