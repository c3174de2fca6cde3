package kodi

import (
	"context"
	"errors"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/nfo"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// NewNFO returns an importer of the NFO files below a folder, or of a videodb.xml, whose path is in
// [Options].Userdata. Use it for one [Importer.Preview] or [Importer.Import]. It stores no
// state: the same play has the same event id each time.
func NewNFO(o Options) *Importer {
	i := New(o)
	i.library, i.options.Sink, i.memory = &nfoReader{path: i.path}, stateless{o.Sink}, rule.NewMemory("nfo")
	return i
}

// nfoReader implements [reader] for NFO files.
type nfoReader struct {
	path string
	read nfo.Result
}

// Read implements [reader]. It always returns all details.
func (n *nfoReader) Read(ctx context.Context, _ func(library.File) bool) (snap library.Snapshot, err error) {
	n.read, err = nfo.Read(ctx, n.path)
	return library.Snapshot{Path: n.path, Origin: n.path, Files: n.read.Files}, err
}

// Stamp implements [reader].
func (n *nfoReader) Stamp(context.Context) (string, error) { return "", errors.ErrUnsupported }

// ReadTagged implements [reader].
func (n *nfoReader) ReadTagged(context.Context, []string) ([]library.Tagged, error) {
	return nil, library.ErrUnsupported
}

// stateless is a [Sink] that stores viewings but no state.
type stateless struct{ Sink }

// Commit implements [Sink].
func (s stateless) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	if b.State = nil; len(b.Events) == 0 {
		return nil, nil
	}
	return s.Sink.Commit(ctx, b)
}
