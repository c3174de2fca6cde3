package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// entryActs are what a person can do about one entry, on its page and in the review.
var entryActs = map[string]act{
	"retry":   operate(entry.VerbRetry),
	"hold":    operate(entry.VerbHold),
	"release": operate(entry.VerbRelease),
	"drop":    operate(entry.VerbDrop),
	"recheck": operate(entry.VerbRecheck),
	"settle":  operate(entry.VerbSettle),
	"ignore":  onEntry(ignoreUntitled),
	"undo":    onEntry(undo),
	"time":    onEntry(setTime),
	"search":  onEntry(searchItem),
	"choose":  onEntry(chooseItem),
}

// onEntry returns the act for the entry of the form. It refuses the form of an outdated page,
// because the person saw the entry in another state.
func onEntry(act func(*view, entry.Entry) error) act {
	return func(v *view) error {
		x, err := v.explain()
		if err != nil {
			return err
		}
		if v.PostFormValue("version") != version(x.Entry) {
			return v.refuse("diary.changed")
		}
		return act(v, x.Entry)
	}
}

// operate returns the act that applies a verb.
func operate(verb entry.Verb) act {
	return onEntry(func(v *view, e entry.Entry) error {
		o := entry.Order{Verb: verb, Selection: entry.Selection{IDs: []int64{e.ID}}, As: viewing.State(v.PostFormValue("as"))}
		_, err := v.api().Operate(v.ctx(), o)
		return v.done(err, "diary.did."+string(verb), "title", v.Label(e))
	})
}

// ignoreUntitled drops a video without a title, and ignores further ones of its site.
func ignoreUntitled(v *view, e entry.Entry) error {
	o := entry.Order{Verb: entry.VerbDrop, Selection: entry.Selection{IDs: []int64{e.ID}}}
	if _, err := v.api().Operate(v.ctx(), o); err != nil {
		return err
	}
	site := v.PostFormValue("site")
	return v.done(v.api().IgnoreUntitled(v.ctx(), control.UntitledSite{Site: site, Ignored: true}), "diary.did.ignore", "site", site)
}

// undo removes an entry from the service. Without confirmation it only previews that.
func undo(v *view, e entry.Entry) error {
	sure := v.PostFormValue("sure") != ""
	done, err := v.api().Undo(v.ctx(), control.Undo{ID: e.ID, DryRun: !sure})
	if !sure {
		return v.result(&done, err)
	}
	return v.done(err, "diary.did.undo", "title", v.Label(e))
}

// setTime changes when an entry was watched. Without a time of day only the day is stored.
func setTime(v *view, e entry.Entry) error {
	text := strings.TrimSpace(v.PostFormValue("day") + " " + v.PostFormValue("clock"))
	if text == "" {
		return v.refuse("diary.badTime")
	}
	at, err := v.watchedAt(text)
	if err != nil {
		return err
	}
	if e, err = v.api().Edit(v.ctx(), control.Edit{ID: e.ID, Edit: entry.Edit{WatchedAt: at}}); err == nil {
		v.flash("diary.did.time", "title", v.Label(e), "at", v.Item(e).Watched().Text)
	}
	return err
}

// watchedAt reads a time that was typed; now for none.
func (v *view) watchedAt(text string) (viewing.Instant, error) {
	now := time.Now()
	if text == "" {
		return viewing.At(now.Truncate(time.Second)), nil
	}
	t, err := typed.ParseTime(text, now)
	if err != nil {
		return viewing.Instant{}, v.unread(err)
	}
	return t.Instant(now), nil
}

// searchItem searches candidates for an entry.
func searchItem(v *view, e entry.Entry) error {
	f := control.Fix{ID: e.ID, What: strings.TrimSpace(strings.ToValidUTF8(v.PostFormValue("what"), ""))}
	if f.What == "" || len(f.What) > maxSearched {
		return v.refuse("diary.badWords")
	}
	var err error
	if f.Season, f.Episode, err = v.place(); err != nil {
		return err
	}
	found, err := v.api().Fix(v.ctx(), f)
	return v.result(&found, err)
}

// place returns the season and the number of an episode in the form; nil for none.
func (v *view) place() (season, number *int, err error) {
	read := func(field string) *int {
		text := strings.TrimSpace(v.PostFormValue(field))
		n, wrong := strconv.Atoi(text)
		switch {
		case text == "":
			return nil
		case wrong != nil || n < 0:
			err = v.refuse("diary.badPlace")
		}
		return &n
	}
	season, number = read("season"), read("episode")
	return season, number, err
}

// chooseItem says what film or series an entry is: for this one alone, or for all that
// are reported alike.
func chooseItem(v *view, e entry.Entry) error {
	is, ok := choiceOf(v.PostFormValue("choice"))
	if !ok || is.TMDB == 0 || e.Media == nil {
		return v.refuse("diary.badChoice")
	}
	is.Type = resolve.ClueOf(*e.Media).Kind
	fix := control.Fix{ID: e.ID, Is: &is}
	var err error
	if fix.Season, fix.Episode, err = v.place(); err != nil {
		return err
	}
	if v.PostFormValue("remember") == "" {
		m := is.Apply(viewing.Media{Type: e.Media.Type, Season: fix.Season, Episode: fix.Episode})
		e, err = v.api().Edit(v.ctx(), control.Edit{ID: e.ID, Edit: entry.Edit{Media: &m}})
		return v.done(err, "diary.did.choose", "title", v.Label(e))
	}
	done, err := v.api().Fix(v.ctx(), fix)
	if err != nil {
		return err
	}
	v.flash("diary.did.choose", "title", v.Label(done.Entry))
	if done.AlsoChanged > 0 {
		v.flash("diary.did.also", "n", done.AlsoChanged)
	}
	return nil
}

// choiceOf reads the value of a candidate's button: number, year and title. The number is 0 for
// what could not be looked up.
func choiceOf(text string) (c resolve.Candidate, ok bool) {
	_, err := fmt.Sscanf(text, "%d %d", &c.TMDB, &c.Year)
	parts := strings.SplitN(strings.ToValidUTF8(text, ""), " ", 3)
	c.Title = strings.Join(parts[min(2, len(parts)):], "")
	return c, err == nil && c.TMDB >= 0 && c.Year >= 0 && (c.TMDB > 0 || c.Title != "")
}
