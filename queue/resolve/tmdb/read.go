package tmdb

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/filmspool/filmspool/queue/resolve/identity"
	"github.com/filmspool/filmspool/queue/viewing"
)

// work is a film or series, as a hit or by itself.
type work struct {
	ID            int64  `json:"id"`
	Title         string `json:"title"`
	Name          string `json:"name"`
	OriginalTitle string `json:"original_title"`
	OriginalName  string `json:"original_name"`
	Released      string `json:"release_date"`
	Aired         string `json:"first_air_date"`
	Translations  struct {
		All []struct {
			Data struct {
				Title string `json:"title"`
				Name  string `json:"name"`
			} `json:"data"`
		} `json:"translations"`
	} `json:"translations"`
}

// Bounds on what is kept of one answer.
const (
	maxName  = 300  // letters of a name
	maxNames = 200  // translations of one work
	maxList  = 2000 // works or episodes
)

// cut bounds a name.
func cut(name string) string {
	if letters := []rune(name); len(letters) > maxName {
		return string(letters[:maxName])
	}
	return name
}

// read is the work in our words. A date may be an empty text, and a translation
// that equals the original is one, too.
func (w work) read(kind viewing.MediaType) identity.Work {
	out := identity.Work{Kind: kind, TMDB: w.ID, Title: cut(either(w.Title, w.Name))}
	names := []string{either(w.OriginalTitle, w.OriginalName)}
	for _, t := range w.Translations.All[:min(len(w.Translations.All), maxNames)] {
		names = append(names, either(t.Data.Title, t.Data.Name))
	}
	for _, name := range names {
		if name = cut(name); name != "" && name != out.Title {
			out.Names = append(out.Names, name)
		}
	}
	if date := either(w.Released, w.Aired); len(date) >= 4 {
		if year, err := strconv.Atoi(date[:4]); err == nil && year > 0 {
			out.Year = year
		}
	}
	return out
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func works(kind viewing.MediaType, all []work) (out []identity.Work) {
	for _, w := range all[:min(len(all), maxList)] {
		if w.ID > 0 {
			out = append(out, w.read(kind))
		}
	}
	return out
}

// part is an episode.
type part struct {
	ID     int64  `json:"id"`
	Show   int64  `json:"show_id"`
	Season int    `json:"season_number"`
	Number int    `json:"episode_number"`
	Name   string `json:"name"`
}

func parts(all []part) (out []identity.Part) {
	for _, p := range all[:min(len(all), maxList)] {
		if p.ID > 0 && p.Show > 0 && p.Season >= 0 && p.Number > 0 {
			out = append(out, identity.Part{TMDB: p.ID, Show: p.Show, Season: p.Season, Number: p.Number, Name: cut(p.Name)})
		}
	}
	return out
}

// series is one with the seasons that came with it, under names like "season/1".
type series struct {
	work
	seasons map[string]json.RawMessage
}

func (s *series) UnmarshalJSON(body []byte) error {
	if err := json.Unmarshal(body, &s.work); err != nil {
		return fmt.Errorf("read series: %w", err)
	}
	if err := json.Unmarshal(body, &s.seasons); err != nil {
		return fmt.Errorf("read seasons: %w", err)
	}
	return nil
}

// season is the list of one season; none where the series has no such season.
func (s series) season(show int64, n int) (out []identity.Part) {
	var list struct {
		Episodes []part `json:"episodes"`
	}
	if json.Unmarshal(s.seasons[fmt.Sprintf("season/%d", n)], &list) != nil {
		return nil
	}
	for _, p := range list.Episodes {
		p.Show, p.Season = show, n
		out = append(out, parts([]part{p})...)
	}
	return out
}
