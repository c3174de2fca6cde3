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

// Places are the main userdata folders that Kodi uses on a system, as GOOS has it, for a
// user with a home, "" for none, and an environment; most of them do not exist. What Kodi
// keeps on Android no other program may read.
func Places(goos, home string, getenv func(string) string) []string {
	var all []string
	add := func(base string, parts ...string) {
		if base != "" {
			all = append(all, filepath.Join(append([]string{base}, parts...)...))
		}
	}
	env := func(name, below string) string { // without it, the usual folder below the home
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
		add(getenv("KODI_DATA"), "userdata") // in the place of ~/.kodi
		for _, home := range []string{home, "/storage", "/home/osmc", "/var/lib/kodi"} {
			add(home, ".kodi", "userdata") // LibreELEC and CoreELEC, OSMC, a Kodi of its own
		}
		add(home, ".var", "app", "tv.kodi.Kodi", "data", "userdata") // Flatpak, without ".kodi"
		add(home, "snap", "kodi", "common", ".kodi", "userdata")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Homes are the homes of all users of this machine that lie where homes usually do: a
// service has none of its own.
func Homes(goos string) []string {
	pattern := cmp.Or(map[string]string{"windows": `C:\Users\*`, "darwin": "/Users/*"}[goos], "/home/*")
	homes, _ := filepath.Glob(pattern) // only a bad pattern fails
	return homes
}

// Installed is one library that Kodi keeps here.
type Installed struct {
	Profile
	Database Database // zero when it was not found
	Err      error    // why it cannot be read now, of this package's kinds
}

// Look finds the library of a profile, and tells whether its file can be read now. A
// server is not asked.
func Look(p Profile) Installed {
	at := Installed{Profile: p}
	if at.Database, at.Err = Find(p.Userdata); at.Err == nil && at.Database.Server == nil {
		at.Err = at.Database.Check(context.Background())
	}
	return at
}

// Discover lists the libraries at these main userdata folders: the main
// profile's and those of profiles with one of their own. Folders that are not
// there are left out, and one that has two names is listed once. Of several
// that lead to the same server all but the first are [ErrShared].
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
			at := Look(p)
			if n := slices.IndexFunc(all, at.shares); n >= 0 {
				at.Err = fmt.Errorf("%w: %s", ErrShared, all[n].Userdata)
			}
			if p.Userdata == place || !errors.Is(at.Err, ErrNotFound) { // a profile that was never used has no folder
				all = append(all, at)
			}
		}
	}
	return all
}

// shares reports whether another folder leads to the same server.
func (at Installed) shares(other Installed) bool {
	return at.Database.Server != nil && other.Database.Server != nil && at.Database.String() == other.Database.String()
}
