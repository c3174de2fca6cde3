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
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // as a service has it
	}
	places := append(slices.Clone(configured), library.Places(library.System{OS: runtime.GOOS, Home: home, Getenv: getenv})...)
	for _, s := range library.Homes(runtime.GOOS) {
		places = append(places, library.Places(s)...)
	}
	all := []Library{}
	for _, found := range discover(library.Discover, places) {
		all = append(all, describe(found, slices.Contains(configured, found.Userdata)))
	}
	for _, userdata := range configured {
		if !slices.ContainsFunc(all, func(l Library) bool { return l.Userdata == userdata }) {
			all = append(all, Library{Userdata: userdata, Problem: complain(library.ErrNotFound).problem(), Configured: true})
		}
	}
	return all
}

// discover contains a fault: then each place is looked at by itself, and the one that
// leads to the fault is listed with it.
func discover(look func(places []string) []library.Installed, places []string) (all []library.Installed) {
	var err error
	func() {
		defer contain(&err)
		all = look(places)
	}()
	switch {
	case err == nil:
		return all
	case len(places) == 1:
		return []library.Installed{{Profile: library.Profile{Userdata: places[0]}, Err: err}}
	}
	for _, place := range places {
		all = append(all, discover(look, []string{place})...)
	}
	return all
}

// Folders are the userdata folders that Kodi may use in somebody's home,
// whether they are there or not.
func Folders(home string) []string {
	none := func(string) string { return "" }
	all := library.Places(library.System{OS: runtime.GOOS, Home: home, Getenv: none})
	return slices.DeleteFunc(all, func(folder string) bool {
		below, err := filepath.Rel(home, folder)
		return err != nil || !filepath.IsLocal(below)
	})
}

func describe(found library.Installed, configured bool) Library {
	l := Library{
		Userdata: found.Userdata, Profile: found.Name, Configured: configured,
		Database: found.Database.Path, Version: found.Database.Version,
	}
	switch {
	case found.Err != nil:
		l.Problem = complain(found.Err).problem()
	case found.Database.Server != nil:
		l.Database = found.Database.Server.String()
	}
	return l
}

// ErrUnfit is wrapped by every reason for which a folder cannot be watched. One that is
// not there is an [fs.ErrNotExist], one that may not be read an [fs.ErrPermission].
var ErrUnfit = errors.New("no library to watch")

// unfit is an ErrUnfit for people.
type unfit struct {
	kinds         []error
	problem, todo viewing.Message
}

// Error is the message for a log.
func (u *unfit) Error() string { return u.problem.Error() }

// Hint is what to do.
func (u *unfit) Hint() viewing.Message { return u.todo }

// Unwrap is what kind of error it is, and the message.
func (u *unfit) Unwrap() []error { return append(u.kinds, ErrUnfit, u.problem) }

// Fit is the library of a userdata folder that can be watched. What passes by itself,
// as when Kodi writes, is its Problem and no error.
func Fit(path string) (found Library, err error) {
	refuse := func(problem, todo viewing.Message, kinds ...error) (Library, error) {
		return found, &unfit{kinds, problem, todo}
	}
	say := func(code string) viewing.Message { return viewing.Say(code, "path", path) }
	which, open := viewing.Say("hint.findFolders"), viewing.Say("hint.letRead")
	info, err := os.Stat(path)
	switch {
	case !utf8.ValidString(path): // no settings file can name it
		return refuse(viewing.Say("fault.pathText"), viewing.Say("hint.renameFolder"))
	case !filepath.IsAbs(path):
		return refuse(say("fault.notWhole"), viewing.Say("hint.wholePath"))
	case errors.Is(err, fs.ErrPermission):
		return refuse(say("fault.pathDenied"), open, fs.ErrPermission)
	case err != nil:
		return refuse(say("fault.pathGone"), which, fs.ErrNotExist)
	case !info.IsDir():
		return refuse(say("fault.noFolder"), which)
	}
	at := library.Installed{Profile: library.Profile{Userdata: filepath.Clean(path)}}
	func() {
		defer contain(&at.Err)
		at.Database, at.Err = library.Find(at.Userdata)
	}()
	found = describe(at, false)
	switch is := func(kind error) bool { return errors.Is(at.Err, kind) }; {
	case is(library.ErrPermission), is(library.ErrReadOnlyDir):
		return refuse(say("fault.pathDenied"), open, fs.ErrPermission)
	case is(library.ErrNotFound), is(library.ErrEmpty):
		if below := filepath.Join(path, "userdata"); len(discover(library.Discover, []string{below})) > 0 {
			return refuse(say("fault.noUserdata"), viewing.Say("hint.didYouMean", "name", "filmspool sources kodi add "+below))
		}
		return refuse(say("fault.noLibrary"), which)
	case is(library.ErrNotDatabase), is(library.ErrUnsupported):
		return refuse(say("fault.cannotWatch").Because(found.Problem), which)
	}
	return found, nil
}
