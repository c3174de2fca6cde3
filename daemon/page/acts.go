package page

import (
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// entryActs are what a person can do about one entry, on its page and in the review.
func entryActs() map[string]act {
	acts := map[string]act{"settle": settle, "undo": undo, "time": setTime, "search": searchItem, "choose": choose}
	for _, verb := range []string{control.Retry, control.Hold, control.Release, control.Drop} {
		acts[verb] = func(v *visit) error { return operate(v, verb, "") }
	}
	return acts
}

// asSeen is the entry that a form is about. It is refused where it stands otherwise
// than on the page that the form comes from: the person decided about something else.
func asSeen(v *visit) (entry.Entry, error) {
	x, err := named(v)
	if err == nil && v.PostFormValue("stand") != stands(x.Entry) {
		err = v.refuse("diary.changed")
	}
	return x.Entry, err
}

// operate does a verb with one entry.
func operate(v *visit, verb string, as viewing.State) error {
	e, err := asSeen(v)
	if err != nil {
		return err
	}
	_, err = v.api().Operate(v.ctx(), control.Order{Verb: verb, As: as, Selection: entry.Selection{IDs: []int64{e.ID}}})
	return v.done(err, "diary.did."+verb, "title", v.Label(e))
}

// settle says what became of an entry in doubt.
func settle(v *visit) error {
	return operate(v, control.Settle, viewing.State(v.PostFormValue("as")))
}

// undo takes an entry back from the service. First it finds out what that would do.
func undo(v *visit) error {
	e, err := asSeen(v)
	if err != nil {
		return err
	}
	sure := v.PostFormValue("sure") != ""
	done, err := v.api().Undo(v.ctx(), control.Undo{ID: e.ID, DryRun: !sure})
	if err != nil {
		return err
	}
	if !sure {
		v.Shown, v.preview = &done, true
		return nil
	}
	v.tell("diary.did.undo", "title", v.Label(e))
	return nil
}

// setTime says when it was watched.
func setTime(v *visit) error {
	e, err := asSeen(v)
	if err != nil {
		return err
	}
	if v.PostFormValue("at") == "" {
		return v.refuse("diary.badTime")
	}
	at, err := v.ended()
	if err != nil {
		return err
	}
	_, err = v.api().Edit(v.ctx(), control.Edit{ID: e.ID, Edit: entry.Edit{WatchedAt: at}})
	return v.done(err, "diary.did.time", "title", v.Label(e), "at", at.Time())
}

// searchItem looks for what an entry may be. Only here a stranger is asked.
func searchItem(v *visit) error {
	e, err := asSeen(v)
	if err != nil {
		return err
	}
	f := control.Fix{ID: e.ID, What: strings.TrimSpace(strings.ToValidUTF8(v.PostFormValue("what"), ""))}
	if f.What == "" || len(f.What) > maxSearched {
		return v.refuse("diary.badWords")
	}
	if err := place(v, &f); err != nil {
		return err
	}
	found, err := v.api().Fix(v.ctx(), f)
	if err != nil {
		return err
	}
	v.Shown, v.preview = &found, true
	return nil
}

// place reads the season and the number of an episode, where they are typed.
func place(v *visit, f *control.Fix) error {
	for name, into := range map[string]**int{"season": &f.Season, "episode": &f.Episode} {
		typed := strings.TrimSpace(v.PostFormValue(name))
		if typed == "" {
			continue
		}
		n, err := strconv.Atoi(typed)
		if err != nil || n < 0 {
			return v.refuse("diary.badPlace")
		}
		*into = &n
	}
	return nil
}

// choose says what film or series an entry is: for this one alone, or for all that is
// told alike.
func choose(v *visit) error {
	e, err := asSeen(v)
	if err != nil {
		return err
	}
	is, ok := choiceOf(v.PostFormValue("choice"))
	if !ok || e.Media == nil {
		return v.refuse("diary.badChoice")
	}
	is.Type = resolve.ClueOf(*e.Media).Kind
	fix := control.Fix{ID: e.ID, Is: &is}
	if err := place(v, &fix); err != nil {
		return err
	}
	if v.PostFormValue("remember") == "" {
		m := itemOf(*e.Media, fix)
		_, err = v.api().Edit(v.ctx(), control.Edit{ID: e.ID, Edit: entry.Edit{Media: &m}})
		return v.done(err, "diary.did.choose", "title", is.Title)
	}
	done, err := v.api().Fix(v.ctx(), fix)
	if err != nil {
		return err
	}
	v.tell("diary.did.choose", "title", is.Title)
	if done.AlsoChanged > 0 {
		v.tell("diary.did.also", "n", done.AlsoChanged)
	}
	return nil
}

// choiceOf is what the button of a candidate says: number, year and title.
func choiceOf(text string) (c resolve.Candidate, ok bool) {
	number, rest, _ := strings.Cut(strings.ToValidUTF8(text, ""), " ")
	year, title, _ := strings.Cut(rest, " ")
	var err, unknown error
	c.TMDB, err = strconv.ParseInt(number, 10, 64)
	c.Year, unknown = strconv.Atoi(year)
	c.Title = title
	return c, err == nil && unknown == nil && c.TMDB > 0 && c.Year >= 0
}

// itemOf is an item with the identity that was chosen.
func itemOf(told viewing.Media, f control.Fix) viewing.Media {
	ids := viewing.IDs{TMDB: f.Is.TMDB}
	if told.Type == viewing.Episode {
		return viewing.Media{Type: told.Type, Show: &viewing.Show{IDs: ids, Title: f.Is.Title, Year: f.Is.Year}, Season: f.Season, Episode: f.Episode}
	}
	return viewing.Media{Type: told.Type, IDs: ids, Title: f.Is.Title, Year: f.Is.Year}
}
