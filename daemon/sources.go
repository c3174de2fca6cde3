package daemon

import (
	"context"
	"strings"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/kodi"
)

// source is an origin of viewings with a life of its own. Browsers and programs
// are none: they come to the connector.
type source interface {
	// Name is the name by which the queue knows it, which begins with its kind.
	Name() string
	// Run tells the queue what is new until ctx ends.
	Run(ctx context.Context) error
	// Status is how it stands.
	Status() control.Source
}

// openSources makes every source of the configuration: a line for each package
// of sources.
func (d *Daemon) openSources() error {
	return d.openKodi()
}

// sourceStatus is how the paired browsers, the programs and the sources stand.
func (d *Daemon) sourceStatus(ctx context.Context) []control.Source {
	list := []control.Source{}
	if d.pairing != nil {
		for _, k := range d.pairing.List() {
			list = append(list, browserSource(k))
		}
	}
	for _, s := range d.sources {
		list = append(list, s.Status())
	}
	return append(list, d.identifier.status(ctx)...)
}

// kodiLibrary is a Kodi library as a source.
type kodiLibrary struct{ *kodi.Importer }

// Name implements source.
func (l kodiLibrary) Name() string { return l.Source() }

// Status implements source.
func (l kodiLibrary) Status() control.Source { return kodiSource(l.Importer.Status()) }

// kodis are the Kodi libraries among the sources.
func (d *Daemon) kodis() (all []*kodi.Importer) {
	for _, s := range d.sources {
		if l, ok := s.(kodiLibrary); ok {
			all = append(all, l.Importer)
		}
	}
	return all
}

// labelOf is the name that a person gave a browser or a program; "" for others.
func (d *Daemon) labelOf(source string) string {
	if d.pairing == nil {
		return ""
	}
	_, id, _ := strings.Cut(source, ":")
	return d.pairing.Label(id)
}
