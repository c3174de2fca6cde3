package daemon

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/kodi/library"
)

// KodiLibrary is a library of a Kodi, on this machine or in the configuration.
type KodiLibrary struct {
	Userdata   string `json:"userdata"`
	Profile    string `json:"profile,omitempty"`  // Kodi's name for it
	Database   string `json:"database,omitempty"` // the file, or the server's address
	Version    int    `json:"version,omitempty"`  // schema number of a file
	Problem    string `json:"problem,omitempty"`  // why it cannot be read now
	Configured bool   `json:"configured"`         // it is watched
}

// KodiLibraries lists the libraries of the configuration and those that Kodi
// keeps where it usually does, for every user whose folders this one may see.
// It asks no server.
func KodiLibraries(c config.Config, getenv func(string) string) []KodiLibrary {
	var configured []string
	for _, l := range c.Kodi.Libraries {
		configured = append(configured, filepath.Clean(l.Userdata))
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // as a service has it
	}
	places := append(slices.Clone(configured), library.Places(library.System{OS: runtime.GOOS, Home: home, Getenv: getenv})...)
	for _, s := range library.Homes(runtime.GOOS) {
		places = append(places, library.Places(s)...)
	}
	all := []KodiLibrary{}
	for _, found := range library.Discover(places) {
		all = append(all, describe(found, slices.Contains(configured, found.Userdata)))
	}
	for _, userdata := range configured {
		if !slices.ContainsFunc(all, func(l KodiLibrary) bool { return l.Userdata == userdata }) {
			all = append(all, KodiLibrary{Userdata: userdata, Problem: library.ErrNotFound.Error(), Configured: true})
		}
	}
	return all
}

// KodiFolders are the userdata folders that Kodi may use in somebody's home,
// whether they are there or not.
func KodiFolders(home string) []string {
	none := func(string) string { return "" }
	all := library.Places(library.System{OS: runtime.GOOS, Home: home, Getenv: none})
	return slices.DeleteFunc(all, func(folder string) bool {
		below, err := filepath.Rel(home, folder)
		return err != nil || !filepath.IsLocal(below)
	})
}

func describe(found library.Installed, configured bool) KodiLibrary {
	l := KodiLibrary{
		Userdata: found.Userdata, Profile: found.Name, Configured: configured,
		Database: found.Database.Path, Version: found.Database.Version,
	}
	switch {
	case found.Err != nil:
		l.Problem = found.Err.Error()
	case found.Database.Server != nil:
		l.Database = found.Database.Server.String()
	}
	return l
}
