package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue/viewing"
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
	usual, noPlace := usualState(choice.System, getenv)
	state := cmp.Or(choice.StateDir, getenv("FILMSPOOL_STATE_DIR"), listed(getenv("STATE_DIRECTORY")), usual)
	if state == "" {
		return p, noPlace
	}
	var err error
	if p.State, err = filepath.Abs(state); err != nil {
		return p, fmt.Errorf("find the state folder: %w", err)
	}
	p.Named = choice.StateDir != "" && filepath.Clean(usual) != p.State
	file := cmp.Or(choice.Config, getenv("FILMSPOOL_CONFIG"))
	p.Explicit = file != ""
	if !p.Explicit {
		dir, err := configDir(choice.System, getenv)
		if err != nil {
			return p, err
		}
		file = filepath.Join(dir, "config.toml")
	}
	if p.File, err = filepath.Abs(file); err != nil {
		return p, fmt.Errorf("find the configuration: %w", err)
	}
	runtimeDir := listed(getenv("RUNTIME_DIRECTORY"))
	if runtimeDir == "" && choice.System && runtime.GOOS == "linux" {
		runtimeDir = "/run/filmspool"
	}
	p.Control = filepath.Join(cmp.Or(runtimeDir, p.State), "control.sock")
	return p, nil
}

// Database is the queue's file.
func (p Paths) Database() string { return filepath.Join(p.State, "filmspool.db") }

// Settings is the file of what the page and "filmspool config set" have changed.
func (p Paths) Settings() string { return filepath.Join(p.State, "settings.toml") }

// usualState is the folder for state when nobody names one.
func usualState(system bool, getenv func(string) string) (string, error) {
	if system {
		return systemPlace("/var/lib/filmspool", getenv), nil
	}
	place := os.UserCacheDir // %LocalAppData%
	if runtime.GOOS == "darwin" {
		place = os.UserConfigDir // ~/Library/Application Support
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := place()
		if err != nil {
			return "", viewing.Say("fault.noState").Because(viewing.Verbatim(err.Error()))
		}
		return filepath.Join(dir, "Filmspool"), nil
	}
	home, dir := getenv("HOME"), getenv("XDG_STATE_HOME")
	switch {
	case dir != "" && !filepath.IsAbs(dir): // it would be another folder in each folder that somebody types in
		return "", viewing.Say("fault.noState").Because(viewing.Say("fault.relativeXDG", "value", strconv.Quote(dir)))
	case dir == "" && home == "":
		return "", viewing.Say("fault.noState").Because(viewing.Say("fault.noHome"))
	case dir == "":
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "filmspool"), nil
}

// configDir is the folder of the configuration when nobody names its file.
func configDir(system bool, getenv func(string) string) (string, error) {
	if dir := listed(getenv("CONFIGURATION_DIRECTORY")); dir != "" {
		return dir, nil
	}
	if system {
		return systemPlace("/etc/filmspool", getenv), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", viewing.Say("fault.noConfigDir").Because(viewing.Verbatim(err.Error()))
	}
	return filepath.Join(dir, "filmspool"), nil
}

// systemPlace is the system-wide folder; unix names Linux's.
func systemPlace(unix string, getenv func(string) string) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(cmp.Or(getenv("ProgramData"), `C:\ProgramData`), "Filmspool")
	case "darwin":
		return "/Library/Application Support/Filmspool"
	default:
		return unix
	}
}

// MakeState makes the state folder, for its owner alone. It refuses one that belongs to
// somebody else or that others can change, by an [fs.ErrPermission]: they could read and
// change the queue, and take commands in the daemon's place.
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
	link, noLink := os.Lstat(p.State)
	info, err := os.Stat(p.State)
	switch {
	case noLink != nil, err != nil:
		return fmt.Errorf("look at the state folder: %w", errors.Join(noLink, err))
	case !ours(p.State, info), !ours(p.State, link):
		return &viewing.Refusal{Kind: fs.ErrPermission, Message: viewing.Say("fault.othersFolder", "path", p.State), Hint: viewing.Say("hint.ownFolder")}
	case changeable(info):
		return &viewing.Refusal{Kind: fs.ErrPermission, Message: viewing.Say("fault.openFolder", "path", p.State), Hint: viewing.Say("hint.closeFolder", "path", p.State)}
	default:
		return nil
	}
}

// listed is the first of systemd's colon-separated folders.
func listed(value string) string {
	dir, _, _ := strings.Cut(value, ":")
	return dir
}
