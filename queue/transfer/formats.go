package transfer

import (
	"slices"
)

// Formats are all forms of file, in the order in which a file is tried.
func Formats() []Format {
	return []Format{}
}

// Recognize finds the form of a file that can be read; ok is false for none.
func Recognize(f *File) (form Format, ok bool) {
	all := Formats()
	i := slices.IndexFunc(all, func(form Format) bool { return form.Read != nil && form.Is(f) })
	if i < 0 {
		return form, false
	}
	return all[i], true
}
