package control

import (
	"github.com/filmspool/filmspool/daemon/setting"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Settings are those that are safe to change while the program runs.
type Settings struct {
	File string `json:"file"` // where they are kept, which may not exist yet
	// Problem is why a change of the file was refused. The settings of before count on.
	Problem  []viewing.Message `json:"problem,omitempty"`
	Settings []setting.Setting `json:"settings"`
}

// Set asks for a change of one setting in the file.
type Set struct {
	Key string `json:"key"`
	// Value is text, a number, or true or false. A number may be sent as text, too.
	// Null takes the setting out of the file.
	Value  any  `json:"value"`
	DryRun bool `json:"dryRun"` // only tells what it would be
}

// SetDone is a setting before and after its change.
type SetDone struct {
	Setting setting.Setting `json:"setting"` // as it is now
	Was     any             `json:"was"`     // its value before
	Changed bool            `json:"changed"` // the file was changed, or would be
}

// Reloaded is what became of the wish to read the configuration again.
type Reloaded struct {
	// Changed says that the configuration is another one, and is being taken in.
	// The next connection is answered when that is done.
	Changed bool `json:"changed"`
}

// KodiPath names a userdata folder of Kodi's.
type KodiPath struct {
	Path   string `json:"path"`
	DryRun bool   `json:"dryRun"` // only tells what it would be
}
