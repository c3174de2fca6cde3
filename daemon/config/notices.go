package config

import (
	"github.com/filmspool/filmspool/queue/resolve"
)

// Notices says how a person is told of problems.
type Notices struct {
	// Desktop has the desktop show the two worst: that the service refuses the key, and
	// that nothing was delivered for a week while something waits.
	Desktop bool `toml:"desktop" json:"desktop"`
	// Webhook is sent every problem that needs the person.
	Webhook Webhook `toml:"webhook" json:"webhook"`
}

// Webhook is where notices are posted to.
type Webhook struct {
	// URL takes what ntfy takes. Empty is none. [Keys.Webhook] has its token.
	URL string `toml:"url" json:"url"`
}

func (n Notices) validate() error {
	if n.Webhook.URL == "" {
		return nil
	}
	if err := resolve.CheckAddress(n.Webhook.URL, "https://ntfy.example/topic"); err != nil {
		return because("notices.webhook.url", err)
	}
	return nil
}
