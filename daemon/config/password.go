package config

import (
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
	password, _, err := k.find(name, filepath.Join(k.Dir, "keys", name))
	return password, err
}

// plain allows names that are safe as part of a file's.
func plain(name string) bool {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	return name != "" && len(name) <= 80 && strings.Trim(name, safe) == ""
}
