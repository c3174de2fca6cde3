package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
)

// settingsData is the data of the page Settings.
type settingsData struct {
	control.Settings
	Groups []settingsGroup
	Wrong  map[string]string // errors of submitted values, by key
}

// settingsGroup is a group of settings that are saved together.
type settingsGroup struct {
	Name string
	keys string
	Rare bool // the group is folded
	List []config.Setting
}

// settingsGroups are the groups in order, each with its keys.
var settingsGroups = []settingsGroup{
	{Name: "general", keys: "hold notices.desktop notices.webhook.url"},
	{Name: "resolve", keys: "resolve.tmdb.enabled resolve.wikidata.enabled"},
	{Name: "sending", keys: "replay.grace burst in_doubt replay.rate replay.backfill_rate", Rare: true},
	{Name: "kodi", keys: "kodi.", Rare: true},
	{Name: "program", Rare: true}, // all the rest
}

func showSettings(v *view) (any, error) {
	all, err := v.api().Settings(v.ctx())
	d := &settingsData{Settings: all, Groups: slices.Clone(settingsGroups)}
	d.Wrong, _ = v.Result.(map[string]string)
	for _, s := range all.Settings {
		i := slices.IndexFunc(d.Groups, func(g settingsGroup) bool {
			family, _, _ := strings.Cut(s.Key, ".")
			return g.keys == "" || slices.Contains(strings.Fields(g.keys), s.Key) || g.keys == family+"."
		})
		d.Groups[i].List = append(d.Groups[i].List, s)
	}
	return d, err
}

// ValueOf returns the value for a field: the one that was typed and refused, else the current one.
func (v *view) ValueOf(s config.Setting) string {
	if field := "value." + s.Key; v.PostForm.Has(field) {
		return v.PostFormValue(field)
	}
	return fmt.Sprint(s.Value)
}

// From returns the text with the origin of a fixed setting.
func (v *view) From(s config.Setting) string {
	return v.Say("settings.from.fixed", "where", config.Origin{From: s.From, Line: s.Line}.String())
}

// changeSettings saves the changed settings of a group. Errors are shown at their fields, which keep
// what was typed.
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
			v.flash("settings.changed", "name", v.Say("settings.key."+s.Key), "value", v.Word("settings.word.", done.Setting.Value))
		}
	}
	if len(wrong) > 0 {
		v.Result = wrong
		return v.refuse("settings.wrong", "n", len(wrong))
	}
	return nil
}

// tryNotices sends a test notice on each configured way.
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

// signOut ends the sessions of all browsers, including this one.
func signOut(v *view) error {
	defer v.site.notify()
	return v.site.sessions.endAll()
}
