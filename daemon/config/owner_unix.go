//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether the folder belongs to the current user. A symbolic link to it may belong
// to root: systemd creates one for a service with a dynamic user.
func ownedByUser(_ string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == os.Geteuid() || stat.Uid == 0 && info.Mode().Type() == fs.ModeSymlink)
}

// writableByOthers reports whether others may change the folder's content. A folder may be writable for
// the current group, because many systems give each user a group.
func writableByOthers(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	mine := ok && int(stat.Gid) == os.Getegid()
	return info.Mode().Perm()&0o002 != 0 || info.Mode().Perm()&0o020 != 0 && !mine
}

// isPrivate reports whether others may read or write the file.
func isPrivate(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// restrictAccess does nothing: the mode of the file is sufficient.
func restrictAccess(string) error { return nil }

// restrictCommand returns the command that makes a file private.
func restrictCommand(name string) string { return "chmod 600 " + name }
