package kodi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"unicode/utf8"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/queue/viewing"
)

// Library is a library of a Kodi, on this machine or in the configuration.
type Library struct {
	Userdata   string          `json:"userdata"`
	Profile    string          `json:"profile,omitempty"`  // Kodi's name for it
	Database   string          `json:"database,omitempty"` // the file, or the server's address
	Version    int             `json:"version,omitempty"`  // schema number of a file
	Problem    viewing.Message `json:"problem,omitzero"`   // why it cannot be read now
	Configured bool            `json:"configured"`         // it is watched
}

// Discover lists the configured libraries, by clean paths, and those that Kodi
// keeps where it usually does, for every user whose folders this one may see.
// It asks no server.
func Discover(configured []string, getenv func(string) string) []Library {
	home, _ := os.UserHomeDir() // a service has none
	places := append(slices.Clone(configured), library.Places(runtime.GOOS, home, getenv)...)
	for _, home := range library.Homes(runtime.GOOS) {
		places = append(places, library.Places(runtime.GOOS, home, func(string) string { return "" })...)
	}
	all := []Library{}
	for _, found := range library.Discover(places) {
		all = append(all, describe(found, slices.Contains(configured, found.Userdata)))
	}
	for _, userdata := range configured {
		if !slices.ContainsFunc(all, func(l Library) bool { return l.Userdata == userdata }) {
			all = append(all, Library{Userdata: userdata, Problem: viewing.Say("library.waitingAppear"), Configured: true})
		}
	}
	return all
}

func describe(found library.Installed, configured bool) Library {
	l := Library{
		Userdata: found.Userdata, Profile: found.Name, Configured: configured,
		Database: found.Database.String(), Version: found.Database.Version,
	}
	if found.Err != nil {
		_, l.Problem, _ = complain(found.Err)
	}
	return l
}

// ErrUnfit is wrapped by the reasons for which a folder cannot be watched, but for the one
// that it is not there: that is an [fs.ErrNotExist].
var ErrUnfit = errors.New("no library to watch")

// Fit is the library of a userdata folder that can be watched. What passes by itself,
// as when Kodi writes, is its Problem and no error.
func Fit(path string) (found Library, err error) {
	say := func(code string) viewing.Message { return viewing.Say(code, "path", path) }
	refuse := func(problem viewing.Message, hint string) (Library, error) {
		return found, &viewing.Refusal{Kind: ErrUnfit, Message: problem, Hint: viewing.Say(hint)}
	}
	info, err := os.Stat(path)
	switch {
	case !utf8.ValidString(path): // no settings file can name it
		return refuse(say("fault.pathText"), "hint.renameFolder")
	case !filepath.IsAbs(path):
		return refuse(say("fault.notWhole"), "hint.wholePath")
	case errors.Is(err, fs.ErrPermission):
		return refuse(say("fault.pathDenied"), "hint.letRead")
	case err != nil:
		return found, &viewing.Refusal{Kind: fs.ErrNotExist, Message: say("fault.pathGone"), Hint: viewing.Say("hint.findFolders")}
	case !info.IsDir():
		return refuse(say("fault.noFolder"), "hint.findFolders")
	}
	at := library.Look(library.Profile{Userdata: filepath.Clean(path)})
	found = describe(at, false)
	switch is := func(kind error) bool { return errors.Is(at.Err, kind) }; {
	case is(library.ErrPermission), is(library.ErrReadOnlyDir):
		return refuse(say("fault.pathDenied"), "hint.letRead")
	case is(library.ErrNotFound), is(library.ErrEmpty):
		if below := filepath.Join(path, "userdata"); len(library.Discover([]string{below})) > 0 {
			return found, &viewing.Refusal{Kind: ErrUnfit, Message: say("fault.noUserdata"), Hint: viewing.Say("hint.didYouMean", "name", "filmspool sources kodi add "+below)}
		}
		return refuse(say("fault.noLibrary"), "hint.findFolders")
	case is(library.ErrNotDatabase), is(library.ErrUnsupported):
		return refuse(say("fault.cannotWatch").Because(found.Problem), "hint.findFolders")
	}
	return found, nil
}
