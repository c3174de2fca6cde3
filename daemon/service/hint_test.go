package service

import "errors"

// hint is what the command line would print after "hint:".
func hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
