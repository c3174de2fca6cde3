package extension

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Target is a family of browsers.
type Target string

// The targets. Edge, Brave, Vivaldi and Opera are Chromium.
const (
	Chromium Target = "chromium"
	Firefox  Target = "firefox"
)

// Targets are all there are.
func Targets() []Target { return []Target{Chromium, Firefox} }

// ErrStray is wrapped by errors about files that do not belong into an
// extension, such as an editor's leftovers.
var ErrStray = errors.New("does not belong into an extension")

const (
	manifest = "manifest.json"
	readme   = "README.md" // for contributors, and not shipped
)

// firstDay is 1980-01-01, the first day an archive can name.
const firstDay = 1<<5 | 1

//go:embed all:source
var source embed.FS

// Source is the extension as it is loaded, with manifest.json at its top.
func Source() (fs.FS, error) {
	top, err := fs.Sub(source, "source")
	if err != nil {
		return nil, fmt.Errorf("open extension: %w", err)
	}
	return top, nil
}

// Version is the version in the manifest, which is the only place for it.
func Version(source fs.FS) (string, error) {
	keys, err := readManifest(source)
	if err != nil {
		return "", err
	}
	version, ok := keys["version"].(string)
	if !ok || version == "" {
		return "", errors.New("read manifest: it has no version")
	}
	return version, nil
}

// Name is the file name of an archive, such as filmspool-1.2.0-firefox.zip.
func Name(version string, target Target) string {
	return fmt.Sprintf("filmspool-%s-%s.zip", version, target)
}

// Pack writes the archive for a target: the files in the order of their
// names, of one time and mode, not compressed, since compressors differ from
// one version to the next. It fails with [ErrStray] for a file of a kind that
// extensions do not have.
func Pack(w io.Writer, source fs.FS, target Target) error {
	archive := zip.NewWriter(w)
	err := fs.WalkDir(source, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) == readme {
			return err
		}
		content, err := contentOf(source, name, entry, target)
		if err != nil {
			return err
		}
		return add(archive, name, content)
	})
	if err != nil {
		return fmt.Errorf("pack for %s: %w", target, err)
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("pack for %s: %w", target, err)
	}
	return nil
}

// contentOf is a file as the target gets it.
func contentOf(source fs.FS, name string, entry fs.DirEntry, target Target) ([]byte, error) {
	switch {
	case !entry.Type().IsRegular(), strings.HasPrefix(path.Base(name), "."), !known(path.Ext(name)):
		return nil, fmt.Errorf("%s %w", name, ErrStray)
	case name == manifest:
		return manifestFor(source, target)
	}
	return fs.ReadFile(source, name)
}

// known are the kinds of files that an extension of ours has.
func known(ext string) bool {
	switch ext {
	case ".js", ".json", ".html", ".css", ".png", ".svg":
		return true
	}
	return false
}

// add writes one file whose sizes stand before it, as readers that do not
// look ahead want it.
func add(archive *zip.Writer, name string, content []byte) error {
	header := &zip.FileHeader{
		Name: name, Method: zip.Store,
		CRC32: crc32.ChecksumIEEE(content), CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
	}
	header.ModifiedDate = firstDay //nolint:staticcheck // a raw header is written as it stands, and Modified is not part of it
	header.SetMode(0o644)
	file, err := archive.CreateRaw(header)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return err
}

// manifestFor is the manifest without what only the other family reads. The
// source has both, so that it can be loaded as it stands in either.
func manifestFor(source fs.FS, target Target) ([]byte, error) {
	keys, err := readManifest(source)
	if err != nil {
		return nil, err
	}
	background, ok := keys["background"].(map[string]any)
	if !ok {
		return nil, errors.New("read manifest: it has no background")
	}
	switch target {
	case Chromium:
		delete(background, "scripts")
		delete(keys, "browser_specific_settings")
	case Firefox:
		delete(background, "service_worker")
		delete(keys, "minimum_chrome_version")
		delete(keys, "key")
	default:
		return nil, fmt.Errorf("no such target: %q", target)
	}
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	to.SetIndent("", "  ")
	err = to.Encode(keys)
	return out.Bytes(), err
}

func readManifest(source fs.FS) (map[string]any, error) {
	text, err := fs.ReadFile(source, manifest)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	return keys, nil
}
