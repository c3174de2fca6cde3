package daemon

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/kodi/library"
)

// librarian lets libraries on servers be read: with the right user, and each
// by one userdata folder alone. Two that read the same would tell of every
// playback twice.
type librarian struct {
	keys config.Keys

	mu    sync.Mutex
	taken map[string]string // userdata folder → its server
}

func newLibrarian(keys config.Keys) *librarian {
	return &librarian{keys: keys, taken: map[string]string{}}
}

// login gives the server of a userdata folder the user of the configuration,
// if it names one, and the password that is kept for that user; else those
// that Kodi has. The error wraps [library.ErrShared] or [library.ErrMySQL].
func (l *librarian) login(c config.Library, s library.Server) (*library.Server, error) {
	if other := l.take(c.Userdata, s.String()); other != "" {
		return nil, fmt.Errorf("%w: by %s", library.ErrShared, other)
	}
	user := cmp.Or(c.MySQLUser, s.User)
	password, err := l.keys.Password(user)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", library.ErrMySQL, err)
	}
	if password.IsZero() && user == s.User {
		return &s, nil
	}
	return s.As(user, password.Reveal()), nil
}

// take notes which server a folder has, unless another folder has it: then it
// names that one.
func (l *librarian) take(userdata, server string) (other string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for folder, taken := range l.taken {
		if taken == server && folder != userdata {
			return folder
		}
	}
	l.taken[userdata] = server
	return ""
}
