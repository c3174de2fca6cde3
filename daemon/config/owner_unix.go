//go:build unix

package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ours reports whether the folder belongs to whoever runs this program.
func ours(_ string, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// entrusted reports whether root has put the folder there, for whoever owns it:
// nobody else can change what is in the folder above.
func entrusted(folder string, _ fs.FileInfo) bool {
	above, err := os.Stat(filepath.Dir(folder))
	if err != nil {
		return false
	}
	stat, ok := above.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0 && above.Mode().Perm()&0o022 == 0
}

// ofFolder reports whether the file belongs to root, or to whom its folder
// belongs.
func ofFolder(file string, info fs.FileInfo) bool {
	folder, err := os.Stat(filepath.Dir(file))
	if err != nil {
		return false
	}
	of, ok := folder.Sys().(*syscall.Stat_t)
	stat, known := info.Sys().(*syscall.Stat_t)
	return ok && known && (stat.Uid == 0 || stat.Uid == of.Uid)
}

// changeable reports whether others may change what is in the folder. Where
// each person has a group, a folder is often open to that.
func changeable(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	mine := ok && int(stat.Gid) == os.Getegid()
	return info.Mode().Perm()&0o002 != 0 || info.Mode().Perm()&0o020 != 0 && !mine
}

// readable reports whether others may write or read the file; group says
// whether its group may read it.
func readable(info fs.FileInfo, group bool) bool {
	open := fs.FileMode(0o077)
	if group {
		open = 0o037
	}
	return info.Mode().Perm()&open != 0
}

// private reports whether others may read or write the file.
func private(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// shield does nothing: a file's mode says it all.
func shield(string) error { return nil }

// howToShield is the command that makes a file private.
func howToShield(name string) string { return "chmod 600 " + name }

// handOver gives an open file to whom another one belongs.
func handOver(file *os.File, other fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	mine, known := info.Sys().(*syscall.Stat_t)
	stat, ok := other.Sys().(*syscall.Stat_t)
	if !ok || known && mine.Uid == stat.Uid && mine.Gid == stat.Gid {
		return nil
	}
	return file.Chown(int(stat.Uid), int(stat.Gid))
}
