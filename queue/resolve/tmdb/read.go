package tmdb

import (
	"cmp"
	"regexp"
	"strconv"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// work is a film or series in a response.
type work struct {
	ID            int64  `json:"id"`
	Title         string `json:"title"`
	Name          string `json:"name"`
	OriginalTitle string `json:"original_title"`
	OriginalName  string `json:"original_name"`
	Released      string `json:"release_date"`
	Aired         string `json:"first_air_date"`
	Runtime       int    `json:"runtime"` // of a film, in minutes
	Poster        string `json:"poster_path"`
	Seasons       []struct {
		Number int `json:"season_number"`
	} `json:"seasons"` // of a series
	Translations struct {
		All []struct {
			Data struct {
				Title string `json:"title"`
				Name  string `json:"name"`
			} `json:"data"`
		} `json:"translations"`
	} `json:"translations"`
}

// episode is an episode in a response.
type episode struct {
	ID      int64  `json:"id"`
	Show    int64  `json:"show_id"`
	Season  int    `json:"season_number"`
	Number  int    `json:"episode_number"`
	Name    string `json:"name"`
	Runtime int    `json:"runtime"` // in minutes
}

// posterPath matches the paths of posters.
var posterPath = regexp.MustCompile(`^/[A-Za-z0-9_-]{1,80}\.(jpe?g|png|webp)$`)

// toWorks converts films or series. TMDB leaves an unknown date empty, and the title of a
// translation that equals the original.
func toWorks(kind viewing.MediaType, all []work) (out []resolve.Work) {
	for _, w := range all {
		if w.ID <= 0 {
			continue
		}
		one := resolve.Work{Candidate: resolve.Candidate{Type: kind, TMDB: w.ID, Title: cmp.Or(w.Title, w.Name)}, Minutes: w.Runtime}
		names := []string{cmp.Or(w.OriginalTitle, w.OriginalName)}
		for _, t := range w.Translations.All {
			names = append(names, cmp.Or(t.Data.Title, t.Data.Name))
		}
		if posterPath.MatchString(w.Poster) {
			one.Poster = w.Poster
		}
		for _, season := range w.Seasons {
			one.Seasons = append(one.Seasons, season.Number)
		}
		for _, name := range names {
			if name != "" && name != one.Title {
				one.Names = append(one.Names, name)
			}
		}
		if date := cmp.Or(w.Released, w.Aired); len(date) >= 4 {
			year, _ := strconv.Atoi(date[:4]) // 0 if invalid
			one.Year = max(year, 0)
		}
		out = append(out, one)
	}
	return out
}

// toEpisodes converts episodes, without those that have no valid place.
func toEpisodes(all []episode) (out []resolve.Episode) {
	for _, p := range all {
		if p.ID > 0 && p.Show > 0 && p.Season >= 0 && p.Number > 0 {
			out = append(out, resolve.Episode{TMDB: p.ID, Show: p.Show, Season: p.Season, Number: p.Number, Name: p.Name, Minutes: p.Runtime})
		}
	}
	return out
}
