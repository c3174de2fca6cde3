//go:build !linux

package nudge

import "errors"

// listen is for systems whose news we cannot hear.
func listen() (*ear, error) { return nil, errors.New("this system tells nothing") }
