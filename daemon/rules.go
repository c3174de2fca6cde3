package daemon

import (
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/rules"
	"github.com/filmspool/filmspool/queue/viewing"
)

// settingsOf is the configuration in the words of the rules.
func settingsOf(c config.Config) rules.Settings {
	s := rules.Settings{
		Routes: c.SourceRoutes(), Grace: c.Replay.Grace.Duration, Classes: map[viewing.Class]rules.Action{},
	}
	for name, action := range c.Kodi.Classes.ByName() {
		s.Classes[viewing.Class(name)] = rules.Action(action)
	}
	for _, f := range c.Filters {
		m := rules.Match{
			Path: f.Path, Folder: f.Folder, Source: f.Source, Site: f.Site,
			Kind: viewing.MediaType(f.Kind), Genre: f.Genre, Tag: f.Tag,
		}
		if f.ShorterThan != nil {
			m.ShorterThan = f.ShorterThan.Duration
		}
		s.Filters = append(s.Filters, rules.NewFilter(m, rules.Action(f.Action)))
	}
	return s
}
