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

// Library is a Kodi library on this machine or in the configuration.
type Library struct {
	Userdata   string          `json:"userdata"`
	Profile    string          `json:"profile,omitempty"`  // name of the Kodi profile
	Database   string          `json:"database,omitempty"` // file path or server address
	Version    int             `json:"version,omitempty"`  // schema number of a file
	Problem    viewing.Message `json:"problem,omitzero"`   // why it cannot be read now
	Configured bool            `json:"configured"`         // whether it is watched
}

// Discover lists the configured libraries, given by clean paths, and those in Kodi's default
// folders of every user, if this user may read them. It does not connect to servers.
func Discover(configured []string, getenv func(string) string) []Library {
	home, _ := os.UserHomeDir() // "" for a service
	places := append(slices.Clone(configured), library.UserdataFolders(runtime.GOOS, home, getenv)...)
	for _, home := range library.HomeFolders(runtime.GOOS) {
		places = append(places, library.UserdataFolders(runtime.GOOS, home, func(string) string { return "" })...)
	}
	all := []Library{}
	for _, found := range library.Discover(places) {
		all = append(all, newLibrary(found, slices.Contains(configured, found.Userdata)))
	}
	for _, userdata := range configured {
		if !slices.ContainsFunc(all, func(l Library) bool { return l.Userdata == userdata }) {
			all = append(all, Library{Userdata: userdata, Problem: viewing.Say("library.waitingAppear"), Configured: true})
		}
	}
	return all
}

// newLibrary describes a library that was found.
func newLibrary(found library.Installed, configured bool) Library {
	l := Library{
		Userdata: found.Userdata, Profile: found.Name, Configured: configured,
		Database: found.Database.String(), Version: found.Database.Version,
	}
	if found.Err != nil {
		_, l.Problem, _ = describeError(found.Err)
	}
	return l
}

// ErrNotWatchable is wrapped by the errors of [CheckFolder], except for a missing folder, which
// is an [fs.ErrNotExist].
var ErrNotWatchable = errors.New("no library to watch")

// CheckFolder returns the library of a userdata folder, or an error if it cannot be watched. A
// temporary obstacle, such as a write by Kodi, is not an error but sets Problem.
func CheckFolder(path string) (found Library, err error) {
	say := func(code string) viewing.Message { return viewing.Say(code, "path", path) }
	refuse := func(problem viewing.Message, hint string) (Library, error) {
		return found, &viewing.Refusal{Kind: ErrNotWatchable, Message: problem, Hint: viewing.Say(hint)}
	}
	info, err := os.Stat(path)
	switch {
	case !utf8.ValidString(path): // a settings file cannot contain it
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
	at := library.Inspect(library.Profile{Userdata: filepath.Clean(path)})
	found = newLibrary(at, false)
	switch is := func(kind error) bool { return errors.Is(at.Err, kind) }; {
	case is(library.ErrPermission), is(library.ErrReadOnlyDir):
		return refuse(say("fault.pathDenied"), "hint.letRead")
	case is(library.ErrNotFound), is(library.ErrEmpty):
		if below := filepath.Join(path, "userdata"); len(library.Discover([]string{below})) > 0 {
			hint := viewing.Say("hint.didYouMean", "name", "filmspool sources kodi add "+below)
			return found, &viewing.Refusal{Kind: ErrNotWatchable, Message: say("fault.noUserdata"), Hint: hint}
		}
		return refuse(say("fault.noLibrary"), "hint.findFolders")
	case is(library.ErrNotDatabase), is(library.ErrUnsupported):
		return refuse(say("fault.cannotWatch").Because(found.Problem), "hint.findFolders")
	}
	return found, nil
}
