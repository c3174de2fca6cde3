package service

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// Person is somebody as whom a service of the whole machine can run.
type Person struct {
	Name, Home string
}

// FindPerson looks somebody up by name. Root is refused: the service talks to
// the world, and needs no rights.
func FindPerson(ctx context.Context, name string) (Person, error) {
	u, err := user.Lookup(name)
	if err != nil {
		u, err = lookupElsewhere(ctx, name)
	}
	if err != nil {
		return Person{}, &Error{
			What:   fmt.Sprintf("there is no user %q on this machine", name),
			Cause:  err,
			Advice: "getent passwd lists those there are",
		}
	}
	if u.Uid == "0" {
		return Person{}, &Error{
			What:   "the service does not run as root; it needs no rights",
			Cause:  errors.ErrUnsupported,
			Advice: "name the person whose Kodi it is to read, or leave --user out",
		}
	}
	return Person{Name: u.Username, Home: u.HomeDir}, nil
}

// lookupElsewhere asks the system's own tool: a program without cgo reads
// /etc/passwd alone, and people may be kept on a server.
func lookupElsewhere(ctx context.Context, name string) (*user.User, error) {
	out, err := exec.CommandContext(ctx, "getent", "passwd", "--", name).Output()
	field := strings.Split(strings.TrimSpace(string(out)), ":")
	if err != nil || len(field) < 6 || field[0] != name {
		return nil, user.UnknownUserError(name)
	}
	return &user.User{Username: field[0], Uid: field[2], Gid: field[3], HomeDir: field[5]}, nil
}

// personUnit makes the machine's unit one that runs as a person and sees some
// of the folders that the unit hides. It refuses a text that does not have
// what it changes.
func personUnit(text, name string, visible []string) (string, error) {
	for _, word := range append([]string{name}, visible...) {
		if err := checkWord(word); err != nil {
			return "", err
		}
	}
	lines := strings.Split(text, "\n")
	dynamic := slices.Index(lines, "DynamicUser=yes")
	if dynamic < 0 {
		return "", errors.New("the unit has no DynamicUser=yes")
	}
	about := dynamic // the comment above it is about a user that is not there
	for about > 0 && strings.HasPrefix(lines[about-1], "#") {
		about--
	}
	lines = slices.Replace(lines, about, dynamic+1,
		"# It runs as the person whose library it reads; the group is the lasting one of", "# sysusers.d/filmspool.conf, whose members may speak to it.")
	binds := []string{"ProtectHome=tmpfs"}
	for _, folder := range visible {
		binds = append(binds, "BindReadOnlyPaths="+bindWord(folder))
	}
	for _, change := range []struct {
		line string
		by   []string
	}{
		{"User=filmspool-daemon", []string{"User=" + strings.ReplaceAll(name, "%", "%%")}},
		{"ProtectHome=tmpfs", binds},
		{"RemoveIPC=yes", nil}, // it would take the person's other programs their shared memory
	} {
		i := slices.Index(lines, change.line)
		if i < 0 {
			return "", fmt.Errorf("the unit has no %s", change.line)
		}
		lines = slices.Replace(lines, i, i+1, change.by...)
	}
	return strings.Join(lines, "\n"), nil
}

// bindWord writes a folder as BindReadOnlyPaths= reads it: a colon parts
// source and target, a blank two folders; "-" lets it be missing.
func bindWord(folder string) string {
	escaped := strings.NewReplacer(`\`, `\\`, `:`, `\:`, `%`, `%%`, `"`, `\"`, `'`, `\'`, ` `, `\ `).Replace(filepath.Clean(folder))
	return "-" + escaped
}
