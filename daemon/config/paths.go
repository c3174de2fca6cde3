package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Paths are the files of one instance.
type Paths struct {
	State    string // folder: database, keys, lock
	Named    bool   // the user typed State, and it is not the usual place
	File     string // the configuration
	Explicit bool   // the user named File
	Control  string // the socket at which the running daemon takes commands
	System   bool   // of the machine's instance, which runs as somebody else
}

// Choice is what the user said about places; empty fields follow the
// environment and the operating system.
type Choice struct {
	StateDir string // --state-dir
	Config   string // --config
	System   bool   // --system: the system-wide instance
}

// FindPaths decides where everything lies: flags, then FILMSPOOL_STATE_DIR and
// FILMSPOOL_CONFIG, then the folders that systemd hands a service, then the
// operating system's per-user (or, with System, system-wide) places.
func FindPaths(choice Choice, getenv func(string) string) (Paths, error) {
	p := Paths{System: choice.System}
	state, err := stateDir(choice, getenv)
	if err != nil {
		return p, err
	}
	if p.State, err = filepath.Abs(state); err != nil {
		return p, fmt.Errorf("find the state folder: %w", err)
	}
	if choice.StateDir != "" {
		usual, err := usualPlace(choice, getenv)
		p.Named = err != nil || filepath.Clean(usual) != p.State
	}
	file := first(choice.Config, getenv("FILMSPOOL_CONFIG"))
	p.Explicit = file != ""
	if file == "" {
		if file, err = configFile(choice, getenv); err != nil {
			return p, err
		}
	}
	if p.File, err = filepath.Abs(file); err != nil {
		return p, fmt.Errorf("find the configuration: %w", err)
	}
	p.Control = filepath.Join(p.State, "control.sock")
	if dir := listed(getenv("RUNTIME_DIRECTORY")); dir != "" {
		p.Control = filepath.Join(dir, "control.sock")
	} else if choice.System && runtime.GOOS == "linux" {
		p.Control = "/run/filmspool/control.sock"
	}
	return p, nil
}

// Database is the queue's file.
func (p Paths) Database() string { return filepath.Join(p.State, "filmspool.db") }

// Settings is the file of what the page and "filmspool config set" have changed.
func (p Paths) Settings() string { return filepath.Join(p.State, "settings.toml") }

// stateDir decides the folder for state.
func stateDir(choice Choice, getenv func(string) string) (string, error) {
	if dir := first(choice.StateDir, getenv("FILMSPOOL_STATE_DIR"), listed(getenv("STATE_DIRECTORY"))); dir != "" {
		return dir, nil
	}
	return usualPlace(choice, getenv)
}

// usualPlace is the folder for state when nobody names one.
func usualPlace(choice Choice, getenv func(string) string) (string, error) {
	if choice.System {
		return systemPlace("/var/lib/filmspool", getenv), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserCacheDir() // %LocalAppData%
		if runtime.GOOS == "darwin" {
			dir, err = os.UserConfigDir() // ~/Library/Application Support
		}
		return filepath.Join(dir, "Filmspool"), wrap("find the state folder", err)
	}
	if dir := getenv("XDG_STATE_HOME"); dir != "" {
		if !filepath.IsAbs(dir) { // it would be another folder in each folder that somebody types in
			return "", fmt.Errorf("find the state folder: XDG_STATE_HOME is %q, which is not an absolute path; mend it, or use --state-dir", dir)
		}
		return filepath.Join(dir, "filmspool"), nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", errors.New("find the state folder: HOME is not set; use --state-dir")
	}
	return filepath.Join(home, ".local", "state", "filmspool"), nil
}

// configFile decides which file is read when the user names none.
func configFile(choice Choice, getenv func(string) string) (string, error) {
	if dir := listed(getenv("CONFIGURATION_DIRECTORY")); dir != "" {
		return filepath.Join(dir, "config.toml"), nil
	}
	if choice.System {
		return filepath.Join(systemPlace("/etc/filmspool", getenv), "config.toml"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration: %w; use --config", err)
	}
	return filepath.Join(dir, "filmspool", "config.toml"), nil
}

// systemPlace is the system-wide folder; unix names Linux's.
func systemPlace(unix string, getenv func(string) string) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(first(getenv("ProgramData"), `C:\ProgramData`), "Filmspool")
	case "darwin":
		return "/Library/Application Support/Filmspool"
	default:
		return unix
	}
}

// MakeState makes the state folder, for its owner alone. It refuses one that
// belongs to somebody else or that others can change, by a [FolderError]: they
// could read and change the queue, and take commands in the daemon's place.
func (p Paths) MakeState() error {
	_, err := os.Stat(p.State)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	if fresh {
		if err := shield(p.State); err != nil {
			return err
		}
	}
	info, err := os.Stat(p.State)
	if err != nil {
		return fmt.Errorf("look at the state folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", p.State)
	}
	switch {
	case !ours(p.State, info):
		return &FolderError{p.State, "belongs to another user", "name a folder of your own with --state-dir, or type this as its owner"}
	case changeable(info):
		return &FolderError{p.State, "can be changed by other users", "look whether what is in it is yours, then: chmod go-w " + p.State}
	}
	return nil
}

// FolderError says that the state folder could be another person's doing. Nothing was read
// from it or written to it.
type FolderError struct {
	Path string
	Why  string // what is wrong with it, after its name
	Fix  string // what to do about it
}

// Error says what is wrong.
func (e *FolderError) Error() string { return e.Path + " " + e.Why }

// Hint is what to do about it.
func (e *FolderError) Hint() string { return e.Fix }

// listed is the first of systemd's colon-separated folders.
func listed(value string) string {
	dir, _, _ := strings.Cut(value, ":")
	return dir
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
