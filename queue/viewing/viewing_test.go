package viewing

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// film returns a valid viewing of a film, modified by change.
func film(change func(*Event)) Event {
	v := Event{
		Kind: KindViewing, EventID: "e1", Count: 1,
		Media:     []Media{{Type: Movie, IDs: IDs{TMDB: 603}, Title: "Alpha One", Year: 1999}},
		WatchedAt: At(time.Date(2026, 3, 1, 19, 0, 0, 0, time.UTC)),
	}
	if change != nil {
		change(&v)
	}
	return v
}

func TestValidateReturnsEachFault(t *testing.T) {
	minusOne, zero := -1, 0
	cases := []struct {
		name   string
		change func(*Event)
		fields []string
	}{
		{"good", nil, nil},
		{"no identifier is held later, not refused", func(v *Event) { v.Media[0].IDs = IDs{} }, nil},
		{"specials", func(v *Event) { v.Media[0] = Media{Type: Episode, Season: &zero} }, nil},
		{"no event id", func(v *Event) { v.EventID = "" }, []string{"id"}},
		{"event id too long", func(v *Event) { v.EventID = strings.Repeat("x", 201) }, []string{"id"}},
		{"unknown kind", func(v *Event) { v.Kind = "rating" }, []string{"kind"}},
		{"a series is not watched", func(v *Event) { v.Media[0].Type = TV }, []string{"media.type"}},
		{"no media", func(v *Event) { v.Media = nil }, []string{"media"}},
		{"no time", func(v *Event) { v.WatchedAt = Instant{} }, []string{"watchedAt"}},
		{"count 0", func(v *Event) { v.Count = 0 }, []string{"count"}},
		{"count 101", func(v *Event) { v.Count = 101 }, []string{"count"}},
		{"negative ids, all named", func(v *Event) {
			v.Media[0].IDs = IDs{TMDB: -1, TVDB: -1, IMDB: "0133093"}
		}, []string{"media.ids.tmdb", "media.ids.tvdb", "media.ids.imdb"}},
		{"imdb with letters", func(v *Event) { v.Media[0].IDs.IMDB = "tt01x" }, []string{"media.ids.imdb"}},
		{"season and episode below", func(v *Event) {
			v.Media[0] = Media{Type: Episode, Season: &minusOne, Episode: &zero}
		}, []string{"media.season", "media.episode"}},
		{"a site's numbers", func(v *Event) { v.Media[0].Site = &Site{Name: "bbc-iplayer", Title: "b00!~", Numbering: "site"} }, nil},
		{"a site's broken words", func(v *Event) {
			v.Media[0].Site = &Site{Title: "a b", Series: strings.Repeat("9", 129), Numbering: "tmdb"}
		}, []string{"media.site.name", "media.site.title", "media.site.series", "media.site.numbering"}},
		{"site of a wish for a series", func(v *Event) {
			v.Kind, v.Media[0].Type, v.Media[0].Site = KindWatchlist, TV, &Site{Name: "netflix"}
		}, []string{"media.site"}},
		{"show of a film", func(v *Event) { v.Media[0].Show = &Show{} }, []string{"media.show"}},
		{"broken text", func(v *Event) { v.Media[0].Title = "\xff" }, []string{"media.title"}},
		{"list in a viewing", func(v *Event) { v.List = &List{Name: "x"} }, []string{"list"}},
		{"watchlist", func(v *Event) { v.Kind = KindWatchlist }, nil},
		{"watchlist takes no episode", func(v *Event) { v.Kind, v.Media[0].Type = KindWatchlist, Episode }, []string{"media.type"}},
		{"viewing on a list", func(v *Event) { v.InList = "l" }, []string{"inList"}},
		{"item of no list", func(v *Event) { v.Kind = KindListItem }, []string{"inList"}},
		{"list without a name", func(v *Event) { *v = Event{Kind: KindList, EventID: "l", List: &List{Name: "  "}} }, []string{"name"}},
		{"list of unknown visibility", func(v *Event) {
			*v = Event{Kind: KindList, EventID: "l", List: &List{Name: "Noir", Visibility: "private"}}
		}, []string{"visibility"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := film(c.change).Validate()
			if got := fields(err); cmp.Diff(c.fields, got) != "" {
				t.Errorf("fields at fault (-want +got):\n%s", cmp.Diff(c.fields, got))
			}
			if err != nil && !errors.Is(err, ErrInvalid) {
				t.Errorf("%v does not wrap ErrInvalid", err)
			}
		})
	}
}

// fields returns the fields that err names, in order.
func fields(err error) []string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var names []string
	for _, e := range joined.Unwrap() {
		var f *FieldError
		if errors.As(e, &f) {
			names = append(names, f.Field)
		}
	}
	return names
}

func TestParseInstantKeepsTextOffsetAndMilliseconds(t *testing.T) {
	got, err := ParseInstant("2026-03-01T20:15:00.250+01:00")
	if err != nil {
		t.Fatal(err)
	}
	offset := 3600
	want := Instant{Millis: 1772392500250, Text: "2026-03-01T20:15:00.250+01:00", Offset: &offset, Precision: Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "2026-03-01", "2026-03-01T20:15:00", "2026-02-30T20:15:00Z", "1772392500"} {
		if _, err := ParseInstant(bad); err == nil {
			t.Errorf("%q was taken for an instant", bad)
		}
	}
}

func TestKeyIdentifiesTheItem(t *testing.T) {
	one, two := 1, 2
	red := &Show{IDs: IDs{TMDB: 1396}, Title: "Show Red"}
	cases := []struct {
		media      Media
		key, label string
	}{
		{Media{Type: Movie, IDs: IDs{TMDB: 603}, Title: "Alpha One", Year: 1999}, "movie:603", "Alpha One (1999)"},
		{Media{Type: TV, IDs: IDs{TMDB: 603}}, "tv:603", "tv 603"},
		{Media{Type: Episode, IDs: IDs{TMDB: 62085}, Show: red, Season: &one, Episode: &two}, "episode:1396:1:2", "Show Red S01E02"},
		{Media{Type: Episode, Title: "Pilot", Show: &Show{IDs: IDs{TMDB: 1396}}, Season: &one, Episode: &two}, "episode:1396:1:2", "Pilot S01E02"},
		{Media{Type: Episode, IDs: IDs{TMDB: 62085}}, "episode:62085", "episode 62085"},
		{Media{Type: Episode, Show: red, Season: &one}, "", "Show Red"},
		{Media{Type: Movie, IDs: IDs{IMDB: "tt0133093"}}, "", "movie tt0133093"},
		{Media{Type: Movie, Site: &Site{Name: "netflix", Title: "7", Series: "8"}}, "", "movie netflix 7"},
		{Media{Type: Episode, Site: &Site{Name: "netflix", Title: "7", Series: "8"}, Season: &one, Episode: &two}, "", "show netflix 8 S01E02"},
		{Media{Type: Movie, Site: &Site{Name: "netflix", Series: "8"}}, "", "unknown movie"},
		{Media{Type: Movie}, "", "unknown movie"},
	}
	for _, c := range cases {
		if c.media.Key() != c.key || c.media.Identified() != (c.key != "") || c.media.Label() != c.label {
			t.Errorf("%+v: key %q, identified %v, label %q; want %q, %q",
				c.media, c.media.Key(), c.media.Identified(), c.media.Label(), c.key, c.label)
		}
	}
}
