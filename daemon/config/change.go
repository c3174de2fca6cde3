package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/filmspool/filmspool/queue/viewing"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// Why a setting is not changed. A value that is refused is an [ErrInvalid].
var (
	// ErrUnknown: no setting of this name can be changed while the program runs.
	ErrUnknown = errors.New("that setting cannot be changed here")
	// ErrFixed: config.toml, the environment or a flag has the value.
	ErrFixed = errors.New("that setting is set elsewhere")
)

// Change is a change of settings.toml that is good, and not yet made.
type Change struct {
	Before, After Config
	Changed       bool // the file becomes another one
	file          string
	text          []byte
}

// opening is how settings.toml begins.
const opening = "# Filmspool writes this file: use the page Settings or \"filmspool config set\". What config.toml sets wins.\n"

// Write replaces settings.toml.
func (ch Change) Write() error {
	return WriteFile(ch.file, append([]byte(opening), ch.text...))
}

// Set is the change of one setting of [Config.Settings]; a nil value gives it back its
// default. The errors are [ErrUnknown], [ErrFixed], [ErrInvalid] and those of reading.
func (s Source) Set(key string, value any) (Change, error) {
	return s.change(func(before Config, tree map[string]any) error {
		i := slices.Index(keys(), key)
		if i < 0 {
			return &viewing.Refusal{Kind: ErrUnknown, Message: viewing.Say("fault.unknownSetting", "setting", key), Hint: s.meant(key)}
		}
		if o := before.origins[key]; o.Fixed {
			return fixed(key, o)
		}
		if value == nil {
			put(tree, key, nil)
			return nil
		}
		var c Config
		if wrong := table[i].set(&c, value); wrong.Code != "" {
			return invalid(key, 0, wrong)
		}
		put(tree, key, table[i].valueIn(&c))
		return nil
	})
}

// fixed refuses to change what is set elsewhere.
func fixed(key string, o Origin) error {
	return &viewing.Refusal{Kind: ErrFixed, Message: viewing.Say("fault.fixedSetting", "setting", key, "where", o.String()), Hint: viewing.Say("hint.changeThere")}
}

// meant is what to do instead of changing a setting that there is not.
func (s Source) meant(key string) viewing.Message {
	near := typed.Nearest(key, keys())
	if i := slices.IndexFunc(table, func(one Setting) bool { return strings.HasSuffix(one.Key, "."+key) }); i >= 0 {
		near = table[i].Key
	}
	if near != "" {
		return viewing.Say("hint.didYouMean", "name", near)
	}
	return viewing.Say("hint.canChange", "file", s.Paths.File, "names", strings.Join(keys(), ", "))
}

// AddLibrary is the change that has a userdata folder of Kodi's watched.
func (s Source) AddLibrary(userdata string) (Change, error) {
	return s.change(func(before Config, tree map[string]any) error {
		if slices.Contains(before.Folders(), filepath.Clean(userdata)) {
			return &viewing.Refusal{Kind: ErrInvalid, Message: viewing.Say("fault.watchedAlready", "path", userdata), Hint: librariesHint()}
		}
		put(tree, "kodi.libraries", append(libraries(tree), map[string]any{"userdata": userdata}))
		return nil
	})
}

// RemoveLibrary is the change that ends that. The error is [fs.ErrNotExist] where the
// folder is not watched.
func (s Source) RemoveLibrary(userdata string) (Change, error) {
	return s.changeLibrary(userdata, func(list []any, i int) []any { return slices.Delete(list, i, i+1) })
}

// NameLibrary is the change that gives a library another name. The error is [fs.ErrNotExist]
// where the folder is not watched.
func (s Source) NameLibrary(userdata, name string) (Change, error) {
	return s.changeLibrary(userdata, func(list []any, i int) []any {
		list[i].(map[string]any)["name"] = name
		return list
	})
}

// changeLibrary is a change of the libraries of settings.toml at the place of one.
func (s Source) changeLibrary(userdata string, edit func(list []any, i int) []any) (Change, error) {
	userdata = filepath.Clean(userdata)
	return s.change(func(before Config, tree map[string]any) error {
		switch i := slices.Index(before.Folders(), userdata); {
		case i < 0:
			return &viewing.Refusal{Kind: fs.ErrNotExist, Message: viewing.Say("fault.notWatched", "path", userdata), Hint: librariesHint()}
		case i < before.personal:
			return fixed(userdata, Origin{From: s.Paths.File, Line: before.lineOf(fmt.Sprintf("kodi.libraries[%d].userdata", i))})
		}
		list := libraries(tree)
		i := slices.IndexFunc(list, func(one any) bool { return filepath.Clean(fmt.Sprint(lookup(one, "userdata"))) == userdata })
		put(tree, "kodi.libraries", edit(list, i))
		return nil
	})
}

// untitled is the setting that [Source.IgnoreUntitled] changes.
const untitled = "ignore_untitled"

// IgnoreUntitled is the change that has videos without a title ignored on a site, or no more.
func (s Source) IgnoreUntitled(site string, ignore bool) (Change, error) {
	site = strings.ToLower(strings.TrimSpace(site))
	return s.change(func(before Config, tree map[string]any) error {
		list, _ := tree[untitled].([]any)
		i := slices.Index(list, any(site))
		switch o := before.origins[untitled]; {
		case o.Fixed:
			return fixed(untitled, o)
		case ignore && site != "" && i < 0:
			list = append(list, site)
		case !ignore && i >= 0:
			list = slices.Delete(list, i, i+1)
		}
		put(tree, untitled, list)
		return nil
	})
}

func librariesHint() viewing.Message {
	return viewing.Say("hint.command", "command", "filmspool sources kodi")
}

// libraries are those of settings.toml.
func libraries(tree map[string]any) []any {
	list, _ := lookup(tree, "kodi.libraries").([]any)
	return list
}

// change is an edit of settings.toml whose outcome is loaded and validated.
func (s Source) change(edit func(before Config, tree map[string]any) error) (ch Change, err error) {
	ch.file = s.Paths.Settings()
	old, err := s.readSettings()
	if err != nil {
		return ch, err
	}
	if ch.Before, err = s.load(old); err != nil {
		return ch, err
	}
	tree := map[string]any{}
	if err := toml.Unmarshal(old, &tree); err != nil {
		return ch, err
	}
	if err := edit(ch.Before, tree); err != nil {
		return ch, err
	}
	if ch.text, err = toml.Marshal(tree); err != nil {
		return ch, err
	}
	ch.Changed = string(ch.text) != strings.TrimPrefix(string(old), opening)
	ch.After, err = s.load(ch.text)
	return ch, err
}

// lookup finds a setting in what TOML was read into; nil is none.
func lookup(tree any, key string) any {
	for name := range strings.SplitSeq(key, ".") {
		table, _ := tree.(map[string]any)
		tree = table[name]
	}
	return tree
}

// put gives a setting a value in what is written as TOML; nil and an empty list take it out.
func put(tree map[string]any, key string, value any) {
	name, rest, nested := strings.Cut(key, ".")
	if nested {
		below, _ := tree[name].(map[string]any)
		if below == nil {
			below = map[string]any{}
		}
		put(below, rest, value)
		value = below
	}
	tree[name] = value
	if list, ok := value.([]any); value == nil || ok && len(list) == 0 || nested && len(value.(map[string]any)) == 0 {
		delete(tree, name)
	}
}
