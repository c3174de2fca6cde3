//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether the folder belongs to whoever runs this program.
func ours(_ string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// private reports whether others may read or write the file.
func private(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// shield does nothing: a file's mode says it all.
func shield(string) error { return nil }

// howToShield is the command that makes a file private.
func howToShield(name string) string { return "chmod 600 " + name }
