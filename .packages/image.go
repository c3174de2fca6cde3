package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// recipe is what an image is made by, beside its programs.
type recipe struct {
	config  v1.Config // as the Containerfile has it
	version string
	created time.Time
}

// nobody owns the state, and runs the program: an image brings no user database
// of its own.
const nobody = 65532

// image writes one archive in the form "oci-archive", with an image for each
// architecture.
func image(r recipe, into string, programs []string) error {
	index := v1.ImageIndex(mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
	for _, program := range programs {
		arch, path, ok := strings.Cut(program, "=")
		if !ok {
			return fmt.Errorf("not ARCH=PROGRAM: %s", program)
		}
		one, err := imageOf(r, arch, path)
		if err != nil {
			return fmt.Errorf("make image for %s: %w", arch, err)
		}
		platform, err := v1.ParsePlatform("linux/" + arch)
		if err != nil {
			return fmt.Errorf("read architecture: %w", err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one, Descriptor: v1.Descriptor{Platform: platform}})
	}
	folder, err := os.MkdirTemp("", "image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := writeLayout(folder, r.version, index); err != nil {
		return err
	}
	return archive(folder, into, r.created)
}

// writeLayout names the index as a registry would, by its version.
func writeLayout(folder, version string, index v1.ImageIndex) error {
	p, err := layout.Write(folder, empty.Index)
	if err != nil {
		return fmt.Errorf("write layout: %w", err)
	}
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})
	if err := p.AppendIndex(index, named); err != nil {
		return fmt.Errorf("write images: %w", err)
	}
	return nil
}

// imageOf is the file system of [layer], and how it is run when nobody says
// otherwise.
func imageOf(r recipe, arch, path string) (v1.Image, error) {
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	files, err := layer(program, r.created)
	if err != nil {
		return nil, err
	}
	content, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	made, err := mutate.Append(base, mutate.Addendum{
		Layer: content, History: v1.History{Created: v1.Time{Time: r.created}, CreatedBy: "packaging/release", Comment: "ADD " + rootfs},
	})
	if err != nil {
		return nil, err
	}
	c, err := made.ConfigFile()
	if err != nil {
		return nil, err
	}
	c = c.DeepCopy()
	arch, c.Variant, _ = strings.Cut(arch, "/")
	c.OS, c.Architecture, c.Created, c.Config = "linux", arch, v1.Time{Time: r.created}, r.config
	return mutate.ConfigFile(made, c)
}

// layer is the file system as a tar: the program, the certificate authorities it
// trusts, and empty folders.
func layer(program []byte, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range []struct {
		name    string
		mode    int64
		owner   int
		content []byte
	}{
		{"config/", 0o755, 0, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities()},
		{"filmspool", 0o755, 0, program},
		{"state/", 0o700, nobody, nil},
		{"tmp/", 0o1777, 0, nil},
	} {
		h := tar.Header{
			Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.content)),
			ModTime: when, Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), w.Close()
}

// authorities are Mozilla's, as this module's go.sum pins them. Those that are
// trusted only with conditions are left out: a file cannot state conditions.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return out.Bytes()
}

// archive packs a folder as a tar, in the order of the names.
func archive(folder, into string, when time.Time) error {
	var names []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	out, err := os.Create(into)
	if err != nil {
		return err
	}
	defer out.Close()
	w := tar.NewWriter(out)
	for _, path := range names {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		h := tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(content)), ModTime: when, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		if _, err := w.Write(content); err != nil {
			return err
		}
	}
	return w.Close()
}
