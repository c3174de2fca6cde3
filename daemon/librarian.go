package daemon

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/kodi/library"
)

// librarian lets libraries be read: those on servers as the right user, and
// each for one userdata folder alone. Two folders that lead to the same one
// would tell of every playback twice. It is the first of the configuration that
// has it, whichever asks first after a start.
type librarian struct {
	keys    config.Keys
	folders []string          // in the order of the configuration
	users   map[string]string // of servers, by folder; "" is Kodi's

	mu    sync.Mutex
	taken map[string]string // userdata folder → its library
}

func newLibrarian(keys config.Keys) *librarian {
	return &librarian{keys: keys, users: map[string]string{}, taken: map[string]string{}}
}

// add adds a folder of the configuration.
func (l *librarian) add(userdata, user string) {
	l.folders = append(l.folders, userdata)
	l.users[userdata] = user
}

// Login implements [kodi.Access]: it gives a server the user of the
// configuration, or Kodi's when that is "", and the password that is kept for
// it; else Kodi's. The error wraps [library.ErrMySQL].
func (l *librarian) Login(userdata string, s library.Server) (*library.Server, error) {
	user := cmp.Or(l.users[userdata], s.User)
	password, err := l.keys.Password(user)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", library.ErrMySQL, err)
	}
	if password.IsZero() && user == s.User {
		return &s, nil
	}
	return s.As(user, password.Reveal()), nil
}

// Claim implements [kodi.Access]: it gives a library to a folder, unless one
// before it in the configuration has it. The error wraps [library.ErrShared]
// then. A folder has the one that it led to last.
func (l *librarian) Claim(userdata, origin string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken[userdata] = origin
	for _, folder := range l.folders {
		switch {
		case folder == userdata:
			return nil
		case l.taken[folder] == origin:
			return fmt.Errorf("%w: %s", library.ErrShared, folder)
		}
	}
	return nil
}
