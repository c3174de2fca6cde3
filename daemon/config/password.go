package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Password finds the password of a user of a library's MySQL server: systemd's
// credential kodi-mysql-USER, else the file of that name beside the keys, which
// others may not read. None is no error, nor is a user whose name could not be
// a file's.
func (k Keys) Password(user string) (Secret, error) {
	if !plain(user) {
		return Secret{}, nil
	}
	name := "kodi-mysql-" + user
	text, err := k.handed(name)
	if err != nil || text != "" {
		return NewSecret(text), err
	}
	file := filepath.Join(k.Dir, "keys", name)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Secret{}, nil
	}
	if err != nil {
		return Secret{}, fmt.Errorf("look at the password: %w", err)
	}
	if !private(file, info) {
		return Secret{}, fmt.Errorf("%w: other users can read %s; make it yours alone: %s", ErrInvalid, file, howToShield(file))
	}
	content, err := os.ReadFile(file)
	return NewSecret(string(content)), wrap("read the password", err)
}

// plain allows names that are safe as part of a file's.
func plain(name string) bool {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return name != "" && len(name) <= 80 && strings.Trim(name, safe) == ""
}
