package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/filmspool/filmspool/connector/extension"
	"github.com/filmspool/filmspool/packaging/kodi"
)

// extension packs what browsers load.
func (r *release) extension(context.Context) error {
	version, err := extension.Version()
	if err != nil || !r.isOfThis("extension", version) {
		return err
	}
	for _, target := range extension.Targets() {
		archive, err := extension.Pack(target)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(r.into, extension.Name(version, target)), archive); err != nil {
			return err
		}
	}
	return nil
}

// kodi packs the programs that Kodi installs on LibreELEC and CoreELEC.
func (r *release) kodi(context.Context) error {
	version, err := kodi.Version()
	if err != nil || !r.isOfThis("kodi", version) {
		return err
	}
	for _, a := range kodi.Architectures() {
		if !slices.ContainsFunc(r.platforms, func(p platform) bool { return p.name == a.Program }) {
			continue
		}
		program, noProgram := os.ReadFile(r.stage("bin", a.Program, "filmspool"))
		ours, notOurs := os.ReadFile(r.stage("all", "LICENSE"))
		others, noOthers := os.ReadFile(r.stage("bin", a.Program, "third-party.txt"))
		var out bytes.Buffer
		err := kodi.Pack(&out, a, program, slices.Concat(ours, []byte("\n"), others))
		if err := errors.Join(noProgram, notOurs, noOthers, err, write(filepath.Join(r.into, kodi.Name(version, a)), out.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// isOfThis reports whether an add-on is wanted. One that calls itself another
// version is not handed out.
func (r *release) isOfThis(kind, version string) bool {
	if r.wants(kind) && version != r.version {
		fmt.Fprintf(r.out, "skipped  %s: this is version %s, and its own is %s\n", kind, r.version, version)
	}
	return r.wants(kind) && version == r.version
}
