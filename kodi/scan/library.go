package scan

import "github.com/filmspool/filmspool/queue/viewing"

// Library is a library of a Kodi, on this machine or in the configuration.
type Library struct {
	Userdata   string          `json:"userdata"`
	Profile    string          `json:"profile,omitempty"`  // Kodi's name for it
	Database   string          `json:"database,omitempty"` // the file, or the server's address
	Version    int             `json:"version,omitempty"`  // schema number of a file
	Problem    viewing.Message `json:"problem,omitzero"`   // why it cannot be read now
	Configured bool            `json:"configured"`         // it is watched
}
