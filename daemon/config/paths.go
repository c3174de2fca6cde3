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

// Paths are the files of an instance.
type Paths struct {
	State    string // folder: database, keys, lock
	Named    bool   // State was given by a flag and is not the default
	File     string // the configuration
	Explicit bool   // File was given by a flag or the environment
	Control  string // the socket of the running daemon
	System   bool   // the machine-wide instance, which runs as another user
}

// Choice contains the user's flags for paths. Empty fields use the environment and the operating
// system's defaults.
type Choice struct {
	StateDir string // --state-dir
	Config   string // --config
	System   bool   // --system: the system-wide instance
}

// FindPaths returns the paths from flags, else from FILMSPOOL_STATE_DIR and FILMSPOOL_CONFIG,
// else from the folders that systemd gives a service, else from the defaults of the operating
// system for users or, with System, for the machine.
func FindPaths(choice Choice, getenv func(string) string) (Paths, error) {
	p := Paths{System: choice.System}
	defaultDir, noDefault := defaultState(choice.System, getenv)
	state := cmp.Or(choice.StateDir, getenv("FILMSPOOL_STATE_DIR"), firstListed(getenv("STATE_DIRECTORY")), defaultDir)
	if state == "" {
		return p, noDefault
	}
	var err error
	if p.State, err = filepath.Abs(state); err != nil {
		return p, fmt.Errorf("find the state folder: %w", err)
	}
	p.Named = choice.StateDir != "" && filepath.Clean(defaultDir) != p.State
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
	runtimeDir := firstListed(getenv("RUNTIME_DIRECTORY"))
	if runtimeDir == "" && choice.System && runtime.GOOS == "linux" {
		runtimeDir = "/run/filmspool"
	}
	p.Control = filepath.Join(cmp.Or(runtimeDir, p.State), "control.sock")
	return p, nil
}

// Database returns the file of the queue.
func (p Paths) Database() string { return filepath.Join(p.State, "filmspool.db") }

// Settings returns the file with the settings changed on the page or by "filmspool config set".
func (p Paths) Settings() string { return filepath.Join(p.State, "settings.toml") }

// defaultState returns the default state folder.
func defaultState(system bool, getenv func(string) string) (string, error) {
	if system {
		return systemFolder("/var/lib/filmspool", getenv), nil
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
	case dir != "" && !filepath.IsAbs(dir): // it would depend on the current folder
		return "", viewing.Say("fault.noState").Because(viewing.Say("fault.relativeXDG", "value", strconv.Quote(dir)))
	case dir == "" && home == "":
		return "", viewing.Say("fault.noState").Because(viewing.Say("fault.noHome"))
	case dir == "":
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "filmspool"), nil
}

// configDir returns the default folder of the configuration.
func configDir(system bool, getenv func(string) string) (string, error) {
	if dir := firstListed(getenv("CONFIGURATION_DIRECTORY")); dir != "" {
		return dir, nil
	}
	if system {
		return systemFolder("/etc/filmspool", getenv), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", viewing.Say("fault.noConfigDir").Because(viewing.Verbatim(err.Error()))
	}
	return filepath.Join(dir, "filmspool"), nil
}

// systemFolder returns a machine-wide folder; unix is the one on Linux and similar systems.
func systemFolder(unix string, getenv func(string) string) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(cmp.Or(getenv("ProgramData"), `C:\ProgramData`), "Filmspool")
	case "darwin":
		return "/Library/Application Support/Filmspool"
	default:
		return unix
	}
}

// MakeState creates the state folder for its owner only. It returns an [fs.ErrPermission] if the
// folder belongs to another user or others can change it: they could change the queue and answer
// commands in place of the daemon.
func (p Paths) MakeState() error {
	_, err := os.Stat(p.State)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	if fresh {
		if err := restrictAccess(p.State); err != nil {
			return err
		}
	}
	link, noLink := os.Lstat(p.State)
	info, err := os.Stat(p.State)
	switch {
	case noLink != nil, err != nil:
		return fmt.Errorf("look at the state folder: %w", errors.Join(noLink, err))
	case !ownedByUser(p.State, info), !ownedByUser(p.State, link):
		return &viewing.Refusal{Kind: fs.ErrPermission, Message: viewing.Say("fault.othersFolder", "path", p.State), Hint: viewing.Say("hint.ownFolder")}
	case writableByOthers(info):
		return &viewing.Refusal{Kind: fs.ErrPermission, Message: viewing.Say("fault.openFolder", "path", p.State), Hint: viewing.Say("hint.closeFolder", "path", p.State)}
	default:
		return nil
	}
}

// firstListed returns the first of systemd's colon-separated folders.
func firstListed(value string) string {
	dir, _, _ := strings.Cut(value, ":")
	return dir
}
