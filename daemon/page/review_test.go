package page

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// TestButtonsNameTheirEntry: who hears one button of many hears what it is about.
func TestButtonsNameTheirEntry(t *testing.T) {
	titles := []string{"The Long Take", "A <Short> Take"}
	api := fakeAPI()
	api.Status = func(context.Context) (control.Status, error) {
		return control.Status{Waves: []entry.Wave{{Source: "browser", Held: 12}}}, nil
	}
	api.List = func(_ context.Context, f entry.Filter) (list []entry.Entry, err error) {
		for i, title := range titles {
			if state := []viewing.State{viewing.StateHeld, viewing.StateInDoubt}[i]; state == f.State {
				list = append(list, entry.Entry{ID: int64(i + 1), State: state, Kind: viewing.KindViewing, Media: &viewing.Media{Type: viewing.Movie, Title: title}})
			}
		}
		return list, nil
	}
	s, server := newSite(t, api)
	named := regexp.MustCompile(`(?s)<(?:button|summary|label)\b[^>]*>(.*?)</(?:button|summary|label)>`)
	for _, language := range []string{"en", "de"} {
		_, body := do(t, "GET", server.URL+"/review", "", "Cookie", signIn(t, s, server), "Accept-Language", language)
		_, main, _ := strings.Cut(body, "<main")
		found := 0
		for _, card := range strings.Split(main, `class="card"`)[1:] {
			_, heading, _ := strings.Cut(card, "<h2>")
			heading, _, _ = strings.Cut(heading, "</h2>")
			heading = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(heading, "")
			for _, c := range named.FindAllStringSubmatch(card, -1) {
				found++
				if !strings.HasSuffix(c[1], `<span class="unseen"> – `+heading+`</span>`) || strings.HasPrefix(c[1], "<") {
					t.Errorf("%s: of %q a button says %q", language, heading, c[1])
				}
			}
		}
		if found != 12 {
			t.Errorf("%s: %d buttons and fields:\n%s", language, found, main)
		}
	}
}
