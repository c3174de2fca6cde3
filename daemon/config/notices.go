package config

import (
	"errors"

	"github.com/filmspool/filmspool/queue/resolve"
)

// Notices says how a person is told of problems.
type Notices struct {
	// Desktop has the desktop show the two worst: that the service refuses the key, and
	// that nothing was delivered for a week while something waits.
	Desktop bool `toml:"desktop" json:"desktop"`
	// Severity is the lowest that is sent to the webhook: needs you, soon or note.
	Severity string  `toml:"severity" json:"severity"`
	Webhook  Webhook `toml:"webhook" json:"webhook"`
}

// Webhook is where notices are posted to.
type Webhook struct {
	// URL takes what ntfy takes. Empty is none. [Keys.Webhook] has its token.
	URL string `toml:"url" json:"url"`
}

func (n Notices) validate() error {
	faults := []error{checkWord("notices.severity", n.Severity, "needs you", "soon", "note")}
	if n.Webhook.URL != "" {
		if err := resolve.CheckAddress(n.Webhook.URL, "https://ntfy.example/topic"); err != nil {
			faults = append(faults, because("notices.webhook.url", err))
		}
	}
	return errors.Join(faults...)
}
