package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
)

// settingsData is what the page shows.
type settingsData struct {
	control.Settings
	Groups   []*settingsGroup
	Accounts []control.Account
	Wrong    map[string]string // what is wrong with a value that was sent, by key
}

// settingsGroup are settings that are saved together.
type settingsGroup struct {
	Name string
	List []config.Setting
}

// settingsGroups are the groups in order. Those from "sending" on are rarely used.
var settingsGroups = []struct{ name, keys string }{
	{"general", "hold notices.desktop notices.webhook.url"},
	{"resolve", "resolve.tmdb.enabled resolve.wikidata.enabled"},
	{"sending", "replay.grace wave in_doubt replay.rate replay.backfill_rate"},
	{"kodi", "kodi."},
	{"program", ""}, // all the rest
}

// Rare reports whether the group is folded.
func (g *settingsGroup) Rare() bool { return g.Name != "general" && g.Name != "resolve" }

func showSettings(v *view) (any, error) {
	all, err := v.api().Settings(v.ctx())
	if err != nil {
		return nil, err
	}
	status, err := v.status()
	d := &settingsData{Settings: all, Accounts: status.Accounts}
	d.Wrong, _ = v.Result.(map[string]string)
	for _, g := range settingsGroups {
		d.Groups = append(d.Groups, &settingsGroup{Name: g.name})
	}
	for _, s := range all.Settings {
		i := slices.IndexFunc(settingsGroups, func(g struct{ name, keys string }) bool {
			family, _, _ := strings.Cut(s.Key, ".")
			return g.keys == "" || slices.Contains(strings.Fields(g.keys), s.Key) || g.keys == family+"."
		})
		d.Groups[i].List = append(d.Groups[i].List, s)
	}
	return d, err
}

// ValueOf returns the value that a field shows: what was typed and refused, else what is.
func (v *view) ValueOf(s config.Setting) string {
	if field := "value." + s.Key; v.PostForm.Has(field) {
		return v.PostFormValue(field)
	}
	return fmt.Sprint(s.Value)
}

// inGroup is a group for its template.
type inGroup struct {
	View  *view
	Group *settingsGroup
}

// In returns a group for its template.
func (v *view) In(g *settingsGroup) inGroup { return inGroup{v, g} }

// Name is a setting as a person calls it.
func (v *view) Name(s config.Setting) string { return v.Say("settings.key." + s.Key) }

// About says what a setting does.
func (v *view) About(s config.Setting) string { return v.Say("settings.about." + s.Key) }

// Allowed returns the text of one of a setting's words.
func (v *view) Allowed(word string) string { return v.Word("settings.word.", word) }

// From says where the value of a fixed setting comes from.
func (v *view) From(s config.Setting) string {
	return v.Say("settings.from.fixed", "where", config.Origin{From: s.From, Line: s.Line}.String())
}

// changeSettings saves a group: those of its settings that were changed. What is wrong with
// a value stands at its field, and nothing that was typed is lost.
func changeSettings(v *view) error {
	all, err := v.api().Settings(v.ctx())
	if err != nil {
		return err
	}
	wrong := map[string]string{}
	for _, s := range all.Settings {
		if !slices.Contains(v.PostForm["in"], s.Key) {
			continue
		}
		change := control.Set{Key: s.Key, Value: v.PostFormValue("value." + s.Key)}
		switch reset := v.PostFormValue("reset") == s.Key; {
		case reset:
			change.Value = nil
		case s.Type == config.Switch:
			change.Value = fmt.Sprint(change.Value != "")
		}
		if change.Value == fmt.Sprint(s.Value) {
			continue
		}
		done, err := v.api().Set(v.ctx(), change)
		switch {
		case err != nil && control.FaultOf(err).Code == control.CodeInternal:
			return err
		case err != nil:
			wrong[s.Key] = v.Error(control.FaultOf(err))
		case done.Changed:
			v.flash("settings.changed", "name", v.Name(done.Setting), "value", v.Allowed(fmt.Sprint(done.Setting.Value)))
		}
	}
	if len(wrong) > 0 {
		v.fail(v.refuse("settings.wrong", "n", len(wrong)))
		fault := v.Fault
		err := v.result(wrong, nil)
		v.Fault = fault
		return err
	}
	return nil
}

// tryNotices has each way of notices tell that it works.
func tryNotices(v *view) error {
	list, err := v.api().TestNotices(v.ctx())
	for _, t := range list {
		if way := v.Say("settings.way." + t.Way); t.State == control.NoticeSent {
			v.flash("settings.tried.sent", "way", way)
		} else {
			err = errors.Join(err, v.refuse("settings.tried."+t.State, "way", way, "why", v.Message(t.Detail)))
		}
	}
	if err == nil && len(list) == 0 {
		return v.refuse("settings.triedNone")
	}
	return err
}

// signOut ends the sessions of all browsers, this one's too.
func signOut(v *view) error {
	defer v.site.notify()
	return v.site.sessions.endAll()
}
