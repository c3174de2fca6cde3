package page

import (
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/viewing"
)

// watchlistData is the data of the page Watchlist.
type watchlistData struct {
	Wishes []item // the watchlist
	Lists  []shelf
}

// shelf is a list with the items that were added to it here.
type shelf struct {
	item
	Items []item
}

// maxListed is how many entries of one kind are shown.
const maxListed = 200

func showWatchlist(v *view) (any, error) {
	d := &watchlistData{}
	var all [3][]entry.Entry
	for i, kind := range []viewing.Kind{viewing.KindWatchlist, viewing.KindList, viewing.KindListItem} {
		var err error
		if all[i], err = v.api().List(v.ctx(), entry.Filter{Kind: kind, Kept: true, Limit: maxListed}); err != nil {
			return nil, err
		}
	}
	d.Wishes = v.items(all[0])
	for _, l := range all[1] {
		one := shelf{item: v.Item(l)}
		for _, e := range all[2] {
			if e.After == l.ID || e.List != nil && e.List.Name == l.List.Name {
				one.Items = append(one.Items, v.Item(e))
			}
		}
		d.Lists = append(d.Lists, one)
	}
	return d, nil
}

// watchedWish adds a viewing of a film on the watchlist, at the current time.
func watchedWish(v *view) error {
	x, err := v.explain()
	if err != nil {
		return err
	}
	if x.Media == nil || x.Media.Type != viewing.Movie {
		return v.refuse("lists.needsEpisode")
	}
	at := viewing.At(time.Now().Truncate(time.Second))
	return v.add(viewing.Event{Kind: viewing.KindViewing, Count: 1, Media: []viewing.Media{*x.Media}, WatchedAt: at})
}

// createList creates a list at the service.
func createList(v *view) error {
	l := &viewing.List{Name: strings.TrimSpace(v.PostFormValue("name")), Description: v.PostFormValue("description"), Visibility: v.PostFormValue("visibility")}
	return v.add(viewing.Event{Kind: viewing.KindList, List: l})
}
