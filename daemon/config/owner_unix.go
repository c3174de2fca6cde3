//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether the folder belongs to whoever runs this program. A link to it may be
// root's: systemd makes one for a service that has a user of its own only while it runs.
func ours(_ string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == os.Geteuid() || stat.Uid == 0 && info.Mode().Type() == fs.ModeSymlink)
}

// changeable reports whether others may change what is in the folder. Where
// each person has a group, a folder is often open to that.
func changeable(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	mine := ok && int(stat.Gid) == os.Getegid()
	return info.Mode().Perm()&0o002 != 0 || info.Mode().Perm()&0o020 != 0 && !mine
}

// private reports whether others may read or write the file.
func private(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// shield does nothing: a file's mode says it all.
func shield(string) error { return nil }

// howToShield is the command that makes a file private.
func howToShield(name string) string { return "chmod 600 " + name }
