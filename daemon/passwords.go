package daemon

import (
	"cmp"
	"fmt"

	"github.com/filmspool/filmspool/kodi/library"
)

// login gives a library's server the user of the configuration, if it names
// one, and the password that is kept for that user; else those that Kodi has.
func (d *Daemon) login(user string, s library.Server) (*library.Server, error) {
	user = cmp.Or(user, s.User)
	password, err := d.keys.Password(user)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", library.ErrMySQL, err)
	}
	if password.IsZero() && user == s.User {
		return &s, nil
	}
	return s.As(user, password.Reveal()), nil
}
