package locale

import (
	"testing"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestAMessageIsToldWithItsCause(t *testing.T) {
	m := viewing.Say("unreachable").Because(viewing.Say("noName", "name", "films.example"))
	for tag, want := range map[string]string{
		"en": "The service cannot be reached: the name films.example cannot be looked up",
		"de": "Der Dienst ist nicht erreichbar: der Name films.example lässt sich nicht nachschlagen",
	} {
		if got := In(tag).Message(m); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	if got := In("en").Message(viewing.Message{}); got != "" {
		t.Errorf("no message says %q", got)
	}
}

// A ranked series or film goes by its title, else by its number in words of the language.
func TestRankedWorks(t *testing.T) {
	series := viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}}
	named := series
	named.Show = &viewing.Show{IDs: series.Show.IDs, Title: "Show Red"}
	for want, m := range map[string]viewing.Media{"Serie 1396": series, "Show Red": named} {
		if got := In("de").Work(entry.Ranked{Name: "show 1396", Media: &m}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
