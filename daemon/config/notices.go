package config

import (
	"errors"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/resolve/web"
)

// Notices says how a person is told of problems.
type Notices struct {
	// Desktop has the desktop show the two worst: that the service refuses the key, and
	// that nothing was delivered for a week while something waits.
	Desktop bool `toml:"desktop" json:"desktop"`
	// Severity is the least that webhook and command tell of: needs you, soon or note.
	Severity string `toml:"severity" json:"severity"`
	// Quiet are the hours in which nothing is told.
	Quiet Hours `toml:"quiet" json:"quiet"`
	// Command is a program, absolute, and its words. Without one there is none.
	Command []string `toml:"command" json:"command,omitempty"`
	Webhook Webhook  `toml:"webhook" json:"webhook"`
}

// Webhook is where notices are posted to.
type Webhook struct {
	// URL takes what ntfy takes. Empty is none. [Keys.Webhook] has its token.
	URL string `toml:"url" json:"url"`
}

func (n Notices) validate() error {
	faults := []error{checkWord("notices.severity", n.Severity, "needs you", "soon", "note")}
	if n.Quiet.wrong {
		faults = append(faults, fault("notices.quiet", `%q are no hours such as "22:00-08:00"`, n.Quiet.text))
	}
	if len(n.Command) > 0 {
		faults = append(faults, absolute("notices.command", "path of a program", n.Command[0]))
	}
	if strings.ContainsRune(strings.Join(n.Command, ""), 0) {
		faults = append(faults, fault("notices.command", "has a character that no word of a command has"))
	}
	if n.Webhook.URL != "" {
		if err := web.CheckAddress(n.Webhook.URL, "https://ntfy.example/topic"); err != nil {
			faults = append(faults, fault("notices.webhook.url", "%v", err))
		}
	}
	return errors.Join(faults...)
}

// Hours are hours of each day by the clock on the wall, written as "22:00-08:00".
// They may go over midnight. The zero value is none.
type Hours struct {
	text     string
	from, to int // minutes after midnight
	wrong    bool
}

// UnmarshalText implements [encoding.TextUnmarshaler]. What is wrong is said by
// [Config.Validate], which knows the setting.
func (h *Hours) UnmarshalText(text []byte) error {
	*h = Hours{text: string(text)}
	if h.text == "" {
		return nil
	}
	first, last, _ := strings.Cut(h.text, "-")
	from, err := time.Parse("15:04", strings.TrimSpace(first))
	to, wrong := time.Parse("15:04", strings.TrimSpace(last))
	h.from, h.to = minutes(from), minutes(to)
	h.wrong = err != nil || wrong != nil || h.from == h.to
	return nil
}

// MarshalText implements [encoding.TextMarshaler].
func (h Hours) MarshalText() ([]byte, error) { return []byte(h.text), nil }

// Left is how long these hours go on at a time, in the zone of that time; 0 outside
// of them. Where the clock is put forward or back until then, it is an hour off.
func (h Hours) Left(at time.Time) time.Duration {
	const day = 24 * 60
	now := minutes(at)
	if h.from == h.to || (now-h.from+day)%day >= (h.to-h.from+day)%day {
		return 0
	}
	seconds := time.Duration(at.Second())*time.Second + time.Duration(at.Nanosecond())
	return time.Duration((h.to-now+day)%day)*time.Minute - seconds
}

// minutes are those since midnight.
func minutes(t time.Time) int { return 60*t.Hour() + t.Minute() }
