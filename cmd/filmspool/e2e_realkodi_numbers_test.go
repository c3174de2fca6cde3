//go:build kodi

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/internal/realkodi"
)

// Two episodes and a film without a TMDB number, in a real Kodi's media folder.
const (
	fight  = "movies/Fight Club (1999)/Fight Club (1999).mkv"
	bad102 = "tv/Breaking Bad/Season 01/Breaking Bad S01E02.mkv"
	got101 = "tv/Game of Thrones/Season 01/Game of Thrones S01E01.mkv"
)

// otherNumbers are their NFOs: IMDb's and TVDB's numbers alone.
func otherNumbers(k *realkodi.Kodi) {
	k.AddMedia(fight, map[string]string{aside(fight): `<movie><title>Fight Club</title><year>1999</year>
		<uniqueid type="imdb" default="true">tt0137523</uniqueid></movie>`})
	k.AddMedia(bad102, map[string]string{
		"tv/Breaking Bad/tvshow.nfo": `<tvshow><title>Breaking Bad</title><year>2008</year><uniqueid type="imdb" default="true">tt0903747</uniqueid></tvshow>`,
		aside(bad102):                `<episodedetails><title>Cat's in the Bag...</title><season>1</season><episode>2</episode></episodedetails>`,
	})
	k.AddMedia(got101, map[string]string{
		"tv/Game of Thrones/tvshow.nfo": `<tvshow><title>Game of Thrones</title><year>2011</year><uniqueid type="tvdb" default="true">121361</uniqueid></tvshow>`,
		aside(got101):                   `<episodedetails><title>Winter Is Coming</title><season>1</season><episode>1</episode></episodedetails>`,
	})
	k.Scan(fight)
	k.Await("episodes", func() bool { return k.Episodes()[bad102] != 0 && k.Episodes()[got101] != 0 })
}

// smallTMDB answers as TMDB does, and knows two series.
func smallTMDB(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/3/authentication":
		fmt.Fprint(w, `{"success":true,"status_code":1}`)
	case r.URL.Path == "/3/find/121361" && r.URL.Query().Get("external_source") == "tvdb_id":
		fmt.Fprint(w, `{"movie_results":[],"tv_episode_results":[],"tv_results":[{"id":1399,"name":"Game of Thrones","first_air_date":"2011-04-17"}]}`)
	case r.URL.Path == "/3/tv/1399":
		fmt.Fprint(w, `{"id":1399,"name":"Game of Thrones","first_air_date":"2011-04-17","season/1":{"episodes":[
			{"id":63056,"season_number":1,"episode_number":1,"name":"Winter Is Coming"}]}}`)
	case r.URL.Path == "/3/find/tt0903747":
		fmt.Fprint(w, `{"movie_results":[],"tv_episode_results":[],"tv_results":[{"id":1396,"name":"Breaking Bad","first_air_date":"2008-01-20"}]}`)
	case r.URL.Path == "/3/tv/1396":
		fmt.Fprint(w, `{"id":1396,"name":"Breaking Bad","first_air_date":"2008-01-20","season/1":{"episodes":[
			{"id":62086,"season_number":1,"episode_number":2,"name":"Cat's in the Bag..."}]}}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"success":false,"status_code":34,"status_message":"The resource you requested could not be found."}`)
	}
}

// TestRealKodiWithOtherNumbers: what has IMDb's or TVDB's number alone in a real
// Kodi arrives as the right item. Nobody types anything.
func TestRealKodiWithOtherNumbers(t *testing.T) {
	tmdb := httptest.NewServer(http.HandlerFunc(smallTMDB))
	defer tmdb.Close()
	alive(t, 1, func(kodis ...*realkodi.Kodi) {
		k := kodis[0]
		k.Start()
		otherNumbers(k)
		w := newWatcher(t, k)
		defer w.end()
		config := filepath.Join(w.dir, "config", "filmspool", "config.toml")
		text, err := os.ReadFile(config)
		if err == nil {
			text = fmt.Appendf(text, "[resolve.tmdb]\nenabled = true\nbase_url = %q\n", tmdb.URL+"/3")
			err = os.WriteFile(config, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.do("eyJ.a-token", "login", "--tmdb", "--key-stdin")
		w.watch(false)
		w.expect("the first scan", nil)

		for _, item := range []map[string]any{
			{"movieid": k.Films()[fight]}, {"episodeid": k.Episodes()[bad102]}, {"episodeid": k.Episodes()[got101]},
		} {
			w.act(k, deed{"play", func(k *realkodi.Kodi) { k.Play(item, 97, false) }, nil})
		}
		var arrived []string
		w.soon("arrival", func() bool {
			arrived = nil
			for _, r := range w.records(w.box.address).History {
				if r.Type == "movie" {
					arrived = append(arrived, fmt.Sprint("film ", r.ID))
				} else {
					arrived = append(arrived, fmt.Sprint("series ", r.TVShowID, " ", *r.SeasonNumber, "x", r.EpisodeNumber))
				}
			}
			return len(arrived) == 3
		})
		slices.Sort(arrived)
		if diff := cmp.Diff([]string{"film 550", "series 1396 1x2", "series 1399 1x1"}, arrived); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
