package page

import (
	"errors"
	"fmt"
	"strings"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
)

// settingsData is what the page shows.
type settingsData struct {
	control.Settings
	Groups   []settingsGroup
	Accounts []control.Account
}

// settingsGroup are settings that belong together: those whose keys begin alike.
type settingsGroup struct {
	Name string // the first word of the keys; "" for those that stand alone
	List []config.Setting
}

func showSettings(v *view) (any, error) {
	all, err := v.api().Settings(v.ctx())
	if err != nil {
		return nil, err
	}
	status, err := v.api().Status(v.ctx())
	d := &settingsData{Settings: all, Accounts: status.Accounts}
	for _, s := range all.Settings {
		name, _, nested := strings.Cut(s.Key, ".")
		if !nested {
			name = ""
		}
		if last := len(d.Groups) - 1; last < 0 || d.Groups[last].Name != name {
			d.Groups = append(d.Groups, settingsGroup{Name: name})
		}
		g := &d.Groups[len(d.Groups)-1]
		g.List = append(g.List, s)
	}
	return d, err
}

// Name is a setting as a person calls it.
func (v *view) Name(s config.Setting) string { return v.Say("settings.key." + s.Key) }

// About says what a setting does.
func (v *view) About(s config.Setting) string { return v.Say("settings.about." + s.Key) }

// Allowed returns the text of one of a setting's words.
func (v *view) Allowed(word string) string { return v.Word("settings.word.", word) }

// From says where the value of a setting comes from.
func (v *view) From(s config.Setting) string {
	switch {
	case s.Fixed:
		return v.Say("settings.from.fixed", "where", config.Origin{From: s.From, Line: s.Line}.String())
	case s.From == "default":
		return v.Say("settings.from.default")
	default:
		return v.Say("settings.from.here")
	}
}

// changeSetting gives a setting a value, or without one its default, and puts it to use.
func changeSetting(v *view) error {
	change := control.Set{Key: v.PostFormValue("key")}
	if v.PostForm.Has("value") {
		change.Value = v.PostFormValue("value")
	}
	done, err := v.api().Set(v.ctx(), change)
	switch {
	case err != nil:
		return err
	case !done.Changed:
		v.flash("settings.same")
	default:
		v.flash("settings.changed", "name", v.Name(done.Setting), "value", v.Allowed(fmt.Sprint(done.Setting.Value)))
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
