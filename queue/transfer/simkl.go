package transfer

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
)

// simklForm is the backup of an account, as JSON or as a table. It knows the last viewing of
// each item.
var simklForm = Format{Name: "simkl", Is: isSimkl, Read: reading(readSimkl)}

func isSimkl(f *File) bool {
	return slices.ContainsFunc(f.Named("simkl*.json", "simkl*.csv"), func(p *Part) bool { return isSimklJSON(p) || isSimklTable(p) })
}

func isSimklJSON(p *Part) bool {
	head := p.Head()
	return strings.HasPrefix(head, "{") && strings.Contains(head, `"simkl"`) && strings.Contains(head, `"last_watched_at"`)
}

func isSimklTable(p *Part) bool { return p.Has("title", "lastepwatched", "watcheddate") }

func readSimkl(f *File, o Options, give func(Row) error) error {
	s := simkl{newKeys("simkl"), newCalendar(o), give}
	for _, p := range f.Named("simkl*.json", "simkl*.csv") {
		var err error
		switch {
		case isSimklTable(p):
			err = s.table(p, o)
		case isSimklJSON(p):
			for _, group := range []string{"movies", "shows", "anime"} {
				if err = s.objects(p, group); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// simkl reads one backup.
type simkl struct {
	keys *keys
	days *calendar
	give func(Row) error
}

// looseNumber is a number that may be written as a text.
type looseNumber int64

// UnmarshalJSON reads digits; anything else is 0.
func (n *looseNumber) UnmarshalJSON(raw []byte) error {
	*n = looseNumber(number(string(bytes.Trim(raw, `"`))))
	return nil
}

// simklWork is a film or a series.
type simklWork struct {
	Title string      `json:"title"`
	Year  looseNumber `json:"year"`
	IDs   struct {
		Simkl looseNumber `json:"simkl"`
		TMDB  looseNumber `json:"tmdb"`
		TVDB  looseNumber `json:"tvdb"`
		IMDB  string      `json:"imdb"`
	} `json:"ids"`
}

// simklEntry is what is known of one work.
type simklEntry struct {
	Status        string    `json:"status"`
	LastWatchedAt string    `json:"last_watched_at"`
	AnimeType     string    `json:"anime_type"`
	Movie         simklWork `json:"movie"`
	Show          simklWork `json:"show"`
	Seasons       []struct {
		Number   looseNumber `json:"number"`
		Episodes []struct {
			Number    looseNumber `json:"number"`
			WatchedAt string      `json:"watched_at"`
		} `json:"episodes"`
	} `json:"seasons"`
}

// objects reads the works below one key.
func (s *simkl) objects(p *Part, group string) error {
	for object, err := range p.Objects(group) {
		var e simklEntry
		if err == nil {
			err = object.Into(&e)
		}
		switch {
		case err != nil:
		case group == "movies":
			err = s.work(e.Movie.media(viewing.Movie), e.Movie.IDs.Simkl, e.Status, e.LastWatchedAt)
		case e.AnimeType == "movie":
			err = s.work(e.Show.media(viewing.Movie), e.Show.IDs.Simkl, e.Status, e.LastWatchedAt)
		default:
			err = s.show(e, group == "anime")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w simklWork) media(kind viewing.MediaType) viewing.Media {
	ids := viewing.IDs{TMDB: int64(w.IDs.TMDB), TVDB: int64(w.IDs.TVDB), IMDB: w.IDs.IMDB}
	return viewing.Media{Type: kind, Title: clean(w.Title), Year: int(w.Year), IDs: ids}
}

// show gives the episodes of a series. Their numbers are not those of TMDB, so the series
// goes without its TMDB number; those of an anime count one season of a series alone.
func (s *simkl) show(e simklEntry, anime bool) error {
	work, id := e.Show.media(viewing.TV), strconv.Itoa(int(e.Show.IDs.Simkl))
	if e.Status == "plantowatch" || len(e.Seasons) == 0 {
		return s.work(work, e.Show.IDs.Simkl, e.Status, "")
	}
	show := viewing.Show{Title: work.Title, Year: work.Year}
	if !anime {
		show.IDs = viewing.IDs{TVDB: work.IDs.TVDB, IMDB: work.IDs.IMDB}
	}
	for _, season := range e.Seasons {
		for _, episode := range season.Episodes {
			series, inSeason, n := show, int(season.Number), int(episode.Number)
			at, ambiguous, ok := s.days.instant(episode.WatchedAt)
			row := Row{Key: s.keys.next("episode", id, strconv.Itoa(inSeason), strconv.Itoa(n), episode.WatchedAt), Ambiguous: ambiguous}
			row.Event = viewed(viewing.Media{
				Type: viewing.Episode, Show: &series, Season: &inSeason, Episode: &n,
				Site: &viewing.Site{Name: "simkl", Series: id, Numbering: viewing.SiteNumbering},
			}, at)
			if !ok {
				row.Skip = SkipMark
			}
			if err := s.give(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// work gives a film or a series: as a viewing, for the watchlist, or as one that is only
// marked.
func (s *simkl) work(m viewing.Media, id looseNumber, status, watched string) error {
	if m.Type == viewing.Movie {
		m.IDs.TVDB = 0 // nobody can be asked for a film by it
	}
	at, ambiguous, ok := s.days.instant(watched)
	row := Row{Key: s.keys.next(string(m.Type), strconv.Itoa(int(id)), m.Title, status, watched), Event: viewed(m, at), Ambiguous: ambiguous}
	switch {
	case status == "plantowatch":
		row.Event = desired(m)
	case m.Type != viewing.Movie || status != "completed" || !ok:
		row.Skip = SkipMark
	}
	return s.give(row)
}

// table reads the form without episodes.
func (s *simkl) table(p *Part, o Options) (err error) {
	if s.days, err = calendarOf(p, o, "watcheddate"); err != nil {
		return err
	}
	return p.each(func(line Line) error {
		m := viewing.Media{Type: viewing.TV, Title: clean(line.Get("title")), Year: number(line.Get("year")), IDs: viewing.IDs{
			TMDB: int64(number(line.Get("tmdb"))), TVDB: int64(number(line.Get("tvdb", "tvdb_id"))), IMDB: line.Get("imdb", "imdb_id"),
		}}
		if line.Get("type") == "movie" {
			m.Type = viewing.Movie
		}
		status := strings.ReplaceAll(strings.ToLower(line.Get("watchlist")), " ", "")
		return s.work(m, looseNumber(number(line.Get("simkl_id"))), status, line.Get("watcheddate"))
	})
}
