package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/filmspool/filmspool/daemon/setting"
	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Why a file is not changed. A value that is refused is an [ErrInvalid].
var (
	// ErrUnknown: no setting that is safe to change has this name.
	ErrUnknown = errors.New("that setting cannot be changed here")
	// ErrFixed: a stronger source than the file has the value.
	ErrFixed = errors.New("a stronger source than the file sets this")
	// ErrMeanwhile: another program has changed the file just now.
	ErrMeanwhile = errors.New("the file was changed by another program just now")
)

// refused is why the file is not changed, with what to do.
type refused struct {
	kind    error
	message viewing.Message
	hint    viewing.Message
}

// Error is the message for a log.
func (r *refused) Error() string { return r.message.Error() }

// Unwrap is what kind of error it is, and the message.
func (r *refused) Unwrap() []error { return []error{r.kind, r.message} }

// Hint is what to do.
func (r *refused) Hint() viewing.Message { return r.hint }

// command is a hint that is a command line.
func command(line string) viewing.Message { return viewing.Say("hint.command", "command", line) }

// Source is where a configuration comes from, so that it can be read again and
// changed.
type Source struct {
	File     string
	Explicit bool // the user named File
	Getenv   func(string) string
	Flags    Overrides
}

// Load is [Load] of this source.
func (s Source) Load() (Config, error) { return Load(s.File, s.Explicit, s.Getenv, s.Flags) }

// Change is a change of the file that is good, and not yet made.
type Change struct {
	Before, After Config
	file          string // with no link in it
	old, text     []byte
	info          os.FileInfo // nil where there is no file yet
}

// Set is the change of one setting of [Config.Settings]; a nil value takes it out of
// the file. Text may stand for every type. The errors are [ErrUnknown], [ErrFixed],
// [ErrInvalid], [setting.ErrByHand] and those of reading the file.
func (s Source) Set(key string, value any) (Change, error) {
	return s.change(func(c Config, text []byte) ([]byte, error) {
		all := c.Settings()
		i := slices.IndexFunc(all, func(s setting.Setting) bool { return s.Key == key })
		switch {
		case i < 0:
			return nil, &refused{ErrUnknown, viewing.Say("fault.unknownSetting", "setting", key), s.meant(key, all)}
		case all[i].Fixed:
			return nil, &refused{ErrFixed, viewing.Say("fault.fixedSetting", "setting", key, "where", all[i].From), viewing.Say("hint.changeThere")}
		case value == nil:
			return setting.Drop(text, key)
		}
		written, err := written(all[i], value)
		if err != nil {
			return nil, err
		}
		return setting.Put(text, key, written)
	})
}

// meant is what to do instead of changing a setting that there is not.
func (s Source) meant(key string, all []setting.Setting) viewing.Message {
	var names []string
	for _, one := range all {
		if strings.HasSuffix(one.Key, "."+key) {
			return viewing.Say("hint.didYouMean", "name", one.Key)
		}
		names = append(names, one.Key)
	}
	if near := typed.Nearest(key, names); near != "" {
		return viewing.Say("hint.didYouMean", "name", near)
	}
	return viewing.Say("hint.canChange", "file", s.File, "names", strings.Join(names, ", "))
}

// written is a value as TOML has it. What words and bounds there are is said by
// Validate.
func written(s setting.Setting, value any) (string, error) {
	text := strings.TrimSpace(fmt.Sprint(value))
	if number, ok := value.(float64); ok { // as JSON has it
		text = strconv.FormatFloat(number, 'f', -1, 64)
	}
	switch s.Type {
	case setting.Number:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fault(s.Key, "fault.noWhole", "value", strconv.Quote(text))
		}
		return strconv.FormatInt(n, 10), nil
	case setting.Decimal:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n-n != 0 { // no number, or one without end
			return "", fault(s.Key, "fault.noNumber", "value", strconv.Quote(text))
		}
		return strconv.FormatFloat(n, 'f', -1, 64), nil
	case setting.Switch:
		if text != "true" && text != "false" {
			return "", fault(s.Key, "fault.noSwitch", "value", strconv.Quote(text))
		}
		return text, nil
	default:
		return quoted(text), nil
	}
}

// quoted is text as TOML has it.
func quoted(text string) string {
	if strings.ContainsRune(text, '\\') && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\'' || r == 0x7f }) {
		return "'" + text + "'" // as people write Windows' paths
	}
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			out.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	return `"` + out.String() + `"`
}

// AddLibrary is the change that has a userdata folder of Kodi's watched.
func (s Source) AddLibrary(userdata string) (Change, error) {
	return s.change(func(c Config, text []byte) ([]byte, error) {
		if slices.Contains(c.Folders(), userdata) {
			return nil, &refused{ErrInvalid, viewing.Say("fault.watchedAlready", "path", userdata), command("filmspool kodi libraries")}
		}
		return setting.Append(text, "kodi.libraries", "userdata", quoted(userdata))
	})
}

// RemoveLibrary is the change that ends that. The error is [fs.ErrNotExist] where the
// folder is not watched.
func (s Source) RemoveLibrary(userdata string) (Change, error) {
	return s.change(func(c Config, text []byte) ([]byte, error) {
		i := slices.Index(c.Folders(), filepath.Clean(userdata))
		if i < 0 {
			return nil, &refused{fs.ErrNotExist, viewing.Say("fault.notWatched", "path", userdata), command("filmspool kodi libraries")}
		}
		return setting.Remove(text, "kodi.libraries", i)
	})
}

// opening is how a file begins that is made.
const opening = "# Filmspool's settings. This shows all of them: filmspool config example\n"

// change is an edit of the file whose outcome is loaded and validated.
func (s Source) change(edit func(c Config, text []byte) ([]byte, error)) (ch Change, err error) {
	ch.file = s.File
	if real, err := filepath.EvalSymlinks(s.File); err == nil {
		ch.file = real
	}
	ch.old, err = os.ReadFile(ch.file)
	if err == nil {
		ch.info, err = os.Stat(ch.file)
	}
	text := ch.old
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte(opening), nil
	}
	if err != nil {
		return ch, unread(s.File, err)
	}
	if ch.Before, err = parse(s.File, ch.old, s.Getenv, s.Flags); err != nil {
		return ch, err
	}
	if ch.text, err = edit(ch.Before, text); err != nil {
		if errors.Is(err, setting.ErrByHand) {
			err = &refused{err, viewing.Say("fault.byHand"), viewing.Say("hint.thenReload", "file", s.File)}
		}
		return ch, err
	}
	if ch.info == nil && bytes.Equal(text, ch.text) {
		ch.text = ch.old // an empty file is not made
	}
	ch.After, err = parse(s.File, ch.text, s.Getenv, s.Flags)
	return ch, unplaced(err)
}

// unplaced takes the lines out of refusals: they are those of a text that is not written.
func unplaced(err error) error {
	for _, r := range (Config{}).placed(err) {
		r.line = 0
	}
	return err
}

// Changes reports whether the file would be another one.
func (ch Change) Changes() bool { return !bytes.Equal(ch.old, ch.text) }

// Write replaces the file, whole or not at all; its mode and owner stay. The error is
// [ErrMeanwhile] where the file is no longer what was read.
func (ch Change) Write() error {
	if !ch.Changes() {
		return nil
	}
	now, err := os.ReadFile(ch.file)
	if fresh := errors.Is(err, fs.ErrNotExist); fresh && ch.info == nil {
		err = nil
	} else if err == nil && ch.info == nil || fresh || !bytes.Equal(now, ch.old) {
		return &refused{ErrMeanwhile, viewing.Say("fault.fileChanged", "file", ch.file), viewing.Say("hint.lookAtFile")}
	}
	if err == nil {
		err = ch.write()
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &refused{err, viewing.Say("fault.fileLocked", "file", ch.file), viewing.Say("hint.inTerminal", "command", "filmspool config set, filmspool kodi add")}
	}
	return err
}

func (ch Change) write() error {
	if ch.info != nil {
		return replaceFile(ch.file, ch.text, ch.info.Mode().Perm(), func(f *os.File) error { return handOver(f, ch.info) })
	}
	if err := os.MkdirAll(filepath.Dir(ch.file), 0o755); err != nil {
		return fmt.Errorf("make the folder for settings: %w", err)
	}
	return WriteFile(ch.file, ch.text, 0o644)
}
