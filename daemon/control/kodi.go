package control

import (
	"context"
	"net/http"
	"time"

	"github.com/filmspool/filmspool/kodi"
)

// Librarian is what a person can ask about the past of the Kodi libraries.
type Librarian interface {
	// ImportKodi hands over what was watched before first contact; a dry run
	// tells what that would be. A library that cannot be read is part of the
	// answer. Cut short, it goes on when it is asked again.
	ImportKodi(ctx context.Context, o KodiImport) (KodiImported, error)
	// KodiProgress is how far imports have come that are under way or were cut
	// short.
	KodiProgress(ctx context.Context) ([]KodiProgress, error)
}

// The plays that an import takes of each file.
const (
	PlaysOne = "one" // the last, of which Kodi keeps the time
	PlaysAll = "all" // the others too, held
)

// KodiImport says what to import.
type KodiImport struct {
	DryRun bool      `json:"dryRun"`
	Since  time.Time `json:"since,omitzero"` // leave out what ended before
	Plays  string    `json:"plays"`          // one or all
	// Yes imports though a service cannot be asked what it has already.
	Yes bool `json:"yes"`
}

// KodiImported is what an import has handed over, or would hand over.
type KodiImported struct {
	DryRun    bool           `json:"dryRun"`
	Libraries []kodi.Preview `json:"libraries"`
	Services  []KodiService  `json:"services"`
	// NeedsYes says that something would be sent to a service that cannot be
	// asked what it has already.
	NeedsYes bool `json:"needsYes"`
	// SendSeconds is about how long the sending takes; 0 when nothing slows it.
	SendSeconds int64 `json:"sendSeconds"`
}

// KodiService is whether an account's service tells what it has.
type KodiService struct {
	Account  string `json:"account"`
	Readable bool   `json:"readable"`
	Reason   string `json:"reason,omitempty"` // why not
}

// KodiProgress is how far one import has come.
type KodiProgress struct {
	Userdata  string    `json:"userdata"`
	Running   bool      `json:"running"`
	Done      int       `json:"done"`  // events that are on disk
	Total     int       `json:"total"` // events in all
	StartedAt time.Time `json:"startedAt"`
}

// librarian adds the routes of a [Librarian].
func (h *handler) librarian(mux *http.ServeMux) {
	mux.HandleFunc("POST /v1/control/kodi/import", h.answer(func(r *http.Request) (any, error) {
		var o KodiImport
		if err := decode(r, &o); err != nil {
			return nil, err
		}
		return h.control.ImportKodi(r.Context(), o)
	}))
	mux.HandleFunc("GET /v1/control/kodi/import", h.answer(func(r *http.Request) (any, error) {
		return h.control.KodiProgress(r.Context())
	}))
}

// ImportKodi implements [Librarian].
func (c *Client) ImportKodi(ctx context.Context, o KodiImport) (KodiImported, error) {
	return ask[KodiImported](ctx, c, http.MethodPost, "/v1/control/kodi/import", o)
}

// KodiProgress implements [Librarian].
func (c *Client) KodiProgress(ctx context.Context) ([]KodiProgress, error) {
	return ask[[]KodiProgress](ctx, c, http.MethodGet, "/v1/control/kodi/import", nil)
}
