package demo

import (
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// The sources of the tour.
const (
	browser = "browser"
	library = "kodi"
	command = "cli"
)

// act is one thing that somebody watched.
type act struct {
	source string
	media  viewing.Media
	ended  time.Time
}

// plan remembers what was done, to be compared with what arrived.
type plan struct {
	watched   []act
	watchlist []viewing.Media
	lists     []string // names
}

// film is a film by its TMDB identifier.
func film(id int64, title string, year int) viewing.Media {
	return viewing.Media{Type: viewing.Movie, IDs: viewing.IDs{TMDB: id}, Title: title, Year: year}
}

// episode is an episode by its series' TMDB identifier.
func episode(show int64, title string, season, number int) viewing.Media {
	return viewing.Media{
		Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: show}, Title: title},
		Season: &season, Episode: &number,
	}
}

// seconds is t without fractions: libraries keep no finer time.
func seconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
