package setting

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// ErrByHand is the error for a text that is written in a way that only a person
// can change without changing more.
var ErrByHand = errors.New("the file writes this in a way that only you can change by hand")

// Put gives a setting a value, which is written as TOML. A setting that is not
// there comes behind the last one of its table, or in a new table at the end.
func Put(text []byte, key, value string) ([]byte, error) {
	names, all := strings.Split(key, "."), walk(text)
	at := slices.IndexFunc(all, func(x expression) bool { return !x.header && slices.Equal(x.path, names) })
	var changed []byte
	if at >= 0 {
		changed = splice(text, all[at].value, all[at].end, value)
	} else {
		changed = add(text, all, names, value)
	}
	return proven(text, changed, func(tree map[string]any) bool {
		var given map[string]any
		if toml.Unmarshal([]byte("v = "+value), &given) != nil {
			return false
		}
		for _, name := range names[:len(names)-1] {
			below, ok := tree[name].(map[string]any)
			if tree[name] == nil {
				below, ok = map[string]any{}, true
			}
			if !ok {
				return false
			}
			tree[name], tree = below, below
		}
		tree[names[len(names)-1]] = given["v"]
		return true
	})
}

// Drop takes a setting out. What is not there is no fault. Comments stay.
func Drop(text []byte, key string) ([]byte, error) {
	names, all := strings.Split(key, "."), walk(text)
	at := slices.IndexFunc(all, func(x expression) bool { return !x.header && slices.Equal(x.path, names) })
	changed := text
	if at >= 0 {
		changed = cut(text, all[at])
	}
	return proven(text, changed, func(tree map[string]any) bool {
		for _, name := range names[:len(names)-1] {
			if tree, _ = tree[name].(map[string]any); tree == nil {
				return true
			}
		}
		delete(tree, names[len(names)-1])
		return true
	})
}

// Append adds a table of one setting to an array of tables, at the end of the text.
func Append(text []byte, array, key, value string) ([]byte, error) {
	changed := atEnd(text, "[["+array+"]]", key+" = "+value)
	return proven(text, changed, func(tree map[string]any) bool {
		list, put, ok := listOf(tree, array)
		var given map[string]any
		if !ok || toml.Unmarshal([]byte(key+" = "+value), &given) != nil {
			return false
		}
		put(append(list, given))
		return true
	})
}

// Remove takes the table of an index, from 0, out of an array of tables. Comments
// stay.
func Remove(text []byte, array string, index int) ([]byte, error) {
	names := strings.Split(array+"["+strconv.Itoa(index)+"]", ".")
	changed := text
	for _, x := range slices.Backward(walk(text)) {
		if slices.Equal(x.table, names) {
			changed = cut(changed, x)
		}
	}
	return proven(text, changed, func(tree map[string]any) bool {
		list, put, ok := listOf(tree, array)
		if !ok || index >= len(list) {
			return false
		}
		put(slices.Delete(list, index, index+1))
		return true
	})
}

// listOf is an array of tables, and what puts another one into its place.
func listOf(tree map[string]any, array string) (list []any, put func([]any), ok bool) {
	names := strings.Split(array, ".")
	last := names[len(names)-1]
	for _, name := range names[:len(names)-1] {
		below, table := tree[name].(map[string]any)
		if tree[name] != nil && !table {
			return nil, nil, false
		}
		if below == nil {
			below = map[string]any{}
		}
		tree[name], tree = below, below
	}
	list, ok = tree[last].([]any)
	return list, func(l []any) { tree[last] = l }, ok || tree[last] == nil
}

// proven is a changed text, when it says what the old one says but for the change.
func proven(text, changed []byte, change func(tree map[string]any) bool) ([]byte, error) {
	var before, after map[string]any
	bom := []byte(BOM)
	if err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &before); err != nil {
		return nil, err
	}
	if before == nil {
		before = map[string]any{}
	}
	if toml.Unmarshal(bytes.TrimPrefix(changed, bom), &after) != nil || !change(before) || !reflect.DeepEqual(pruned(before), pruned(after)) {
		return nil, ErrByHand
	}
	return changed, nil
}

// pruned is a tree without tables that hold nothing, and lists of nothing.
func pruned(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for name, below := range tree {
			if tree[name] = pruned(below); tree[name] == nil {
				delete(tree, name)
			}
		}
		if len(tree) == 0 {
			return nil
		}
	case []any:
		if len(tree) == 0 {
			return nil
		}
	}
	return tree
}
