package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// UserdataFolders lists the main userdata folders that Kodi may use on an operating system, for
// a user's home ("" for none) and environment. Most of them do not exist. On Android no other
// program may read them.
func UserdataFolders(goos, home string, getenv func(string) string) []string {
	var all []string
	add := func(base string, parts ...string) {
		if base != "" {
			all = append(all, filepath.Join(append([]string{base}, parts...)...))
		}
	}
	env := func(name, below string) string { // the variable, else the default folder in the home
		usual := filepath.Join(home, "AppData", below)
		if home == "" {
			usual = ""
		}
		return cmp.Or(getenv(name), usual)
	}
	switch goos {
	case "windows":
		add(env("APPDATA", "Roaming"), "Kodi", "userdata")
		add(env("LOCALAPPDATA", "Local"), "Packages", "XBMCFoundation.Kodi_4n2hpmxwrvr6p", "LocalCache", "Roaming", "Kodi", "userdata") // from the Store
		add(getenv("ProgramFiles"), "Kodi", "portable_data", "userdata")
	case "darwin":
		add(home, "Library", "Application Support", "Kodi", "userdata")
	default:
		add(getenv("KODI_DATA"), "userdata") // replaces ~/.kodi
		for _, home := range []string{home, "/storage", "/home/osmc", "/var/lib/kodi"} {
			add(home, ".kodi", "userdata") // LibreELEC and CoreELEC, OSMC, a Kodi with its own user
		}
		add(home, ".var", "app", "tv.kodi.Kodi", "data", "userdata") // Flatpak, without ".kodi"
		add(home, "snap", "kodi", "common", ".kodi", "userdata")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HomeFolders lists the homes of all users in the default folder for homes, for a service that
// has none of its own.
func HomeFolders(goos string) []string {
	pattern := cmp.Or(map[string]string{"windows": `C:\Users\*`, "darwin": "/Users/*"}[goos], "/home/*")
	homes, _ := filepath.Glob(pattern) // only a bad pattern fails
	return homes
}

// Installed is a library found on this machine.
type Installed struct {
	Profile
	Database Database // zero if it was not found
	Err      error    // why it cannot be read now, one of this package's errors
}

// Inspect finds the library of a profile and checks that its file can be read. It does not
// connect to a server.
func Inspect(p Profile) Installed {
	at := Installed{Profile: p}
	if at.Database, at.Err = Find(p.Userdata); at.Err == nil && at.Database.Server == nil {
		at.Err = at.Database.Check(context.Background())
	}
	return at
}

// Discover lists the libraries in these main userdata folders: those of the main profile and of
// profiles with a library of their own. It skips missing folders and lists a folder with two
// names once. Of several folders that lead to the same server, all but the first are
// [ErrShared].
func Discover(places []string) []Installed {
	var all []Installed
	var seen []os.FileInfo
	for _, place := range places {
		info, err := os.Stat(place)
		if err != nil || !info.IsDir() || slices.ContainsFunc(seen, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			continue
		}
		seen = append(seen, info)
		profiles, err := Profiles(place)
		if err != nil {
			all = append(all, Installed{Profile: profiles[0], Err: err})
			continue
		}
		for _, p := range profiles {
			if !p.Own {
				continue
			}
			at := Inspect(p)
			if n := slices.IndexFunc(all, at.sharesServer); n >= 0 {
				at.Err = fmt.Errorf("%w: %s", ErrShared, all[n].Userdata)
			}
			if p.Userdata == place || !errors.Is(at.Err, ErrNotFound) { // a profile that was never used has no folder
				all = append(all, at)
			}
		}
	}
	return all
}

// sharesServer reports whether another folder leads to the same server.
func (at Installed) sharesServer(other Installed) bool {
	return at.Database.Server != nil && other.Database.Server != nil && at.Database.String() == other.Database.String()
}
