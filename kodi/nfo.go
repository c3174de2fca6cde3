package kodi

import (
	"context"
	"errors"

	"github.com/filmspool/filmspool/kodi/library"
	"github.com/filmspool/filmspool/kodi/nfo"
	"github.com/filmspool/filmspool/kodi/rule"
	"github.com/filmspool/filmspool/queue/viewing"
)

// NewNFO makes an importer of the NFO files below a folder, or of a videodb.xml, in
// the place of [Options].Userdata. It is for one [Importer.Preview] or
// [Importer.Import], and keeps nothing: the same play has the same event id each time.
func NewNFO(o Options) *Importer {
	i := New(o)
	i.library, i.o.Sink, i.known = &nfoReader{path: i.path}, stateless{o.Sink}, rule.NewMemory("nfo")
	return i
}

// nfoReader reads NFO files as if they were a library.
type nfoReader struct {
	path string
	read nfo.Result
}

// Read implements [reader]. All of it is in full.
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

// stateless takes viewings and keeps nothing else.
type stateless struct{ Sink }

// Commit implements [Sink].
func (s stateless) Commit(ctx context.Context, b viewing.Batch) ([]viewing.Outcome, error) {
	if b.State = nil; len(b.Events) == 0 {
		return nil, nil
	}
	return s.Sink.Commit(ctx, b)
}
