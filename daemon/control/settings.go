package control

import (
	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Settings are those that are safe to change while the program runs.
type Settings struct {
	File string `json:"file"` // config.toml, which may not exist
	// Problem is why a change of the file was refused. The settings of before count on.
	Problem  []viewing.Message `json:"problem,omitempty"`
	Settings []config.Setting  `json:"settings"`
}

// Set asks for a change of one setting.
type Set struct {
	Key string `json:"key"`
	// Value is text, a number, or true or false. A number may be sent as text, too.
	// Null gives the setting back its default.
	Value any `json:"value"`
}

// SetDone is a setting before and after its change.
type SetDone struct {
	Setting config.Setting `json:"setting"` // as it is now
	Was     any            `json:"was"`     // its value before
	Changed bool           `json:"changed"`
}

// Reloaded is what became of the wish to read the configuration again.
type Reloaded struct {
	// Changed says that the configuration is another one, and is being taken in.
	// The next connection is answered when that is done.
	Changed bool `json:"changed"`
}

// UntitledSite is a site, and whether its videos without a title are ignored.
type UntitledSite struct {
	Site    string `json:"site"`
	Ignored bool   `json:"ignored"`
}

// KodiPath names a userdata folder of Kodi's.
type KodiPath struct {
	Path string `json:"path"`
}
