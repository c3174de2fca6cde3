//go:build !linux && !darwin && !windows

package notify

import (
	"context"
	"errors"
)

// Desktop shows notices on the desktop of the person who runs this process. The error
// says why that cannot work here.
func Desktop(func(string) string) (func(context.Context, Notice) error, error) {
	return nil, errors.New("Filmspool knows no desktop on this system")
}
