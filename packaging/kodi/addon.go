package kodi

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"embed"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// ID is the add-on's name in Kodi, and that of its folder.
const ID = "service.filmspool"

const (
	program  = "program/filmspool"
	licences = "LICENSE.txt"
	manifest = "addon.xml"
)

// firstDay is 1980-01-01, the first day an archive can name.
const firstDay = 1<<5 | 1

//go:embed addon
var source embed.FS

// ErrStray is wrapped by errors about files that do not belong into the
// add-on, such as an editor's leftovers.
var ErrStray = errors.New("does not belong into the add-on")

// Architecture is a family of machines that one archive is for.
type Architecture struct {
	// Name is what LibreELEC calls it.
	Name string
	// Program is the platform whose program it holds, as a release calls it.
	Program string
	// Platform is what its Kodi has to be. Kodi refuses the archive otherwise.
	Platform string
	// Machines are what uname -m says on them, as a pattern of a shell.
	Machines string
}

// Architectures are those that LibreELEC and CoreELEC are made for. A Kodi of
// 32 bits calls itself linux-armv7 only if it was built for nothing newer
// (AddonInfoBuilder.cpp), so there the archive is for any Linux; it runs on
// machines of 64 bits, too, whose kernel is one of 64 bits more often than not.
func Architectures() []Architecture {
	return []Architecture{
		{Name: "x86_64", Program: "linux-amd64", Platform: "linux-x86_64", Machines: "x86_64"},
		{Name: "aarch64", Program: "linux-arm64", Platform: "linux-aarch64", Machines: "aarch64"},
		{Name: "arm", Program: "linux-armv7", Platform: "linux", Machines: "armv7* | armv8* | aarch64"},
	}
}

// Version is the version in addon.xml, by which Kodi knows an update.
func Version() (string, error) {
	text, err := fs.ReadFile(source, "addon/"+manifest)
	if err != nil {
		return "", fmt.Errorf("read add-on: %w", err)
	}
	var addon struct {
		Version string `xml:"version,attr"`
	}
	if err := xml.Unmarshal(text, &addon); err != nil {
		return "", fmt.Errorf("read add-on: %w", err)
	}
	if addon.Version == "" {
		return "", errors.New("read add-on: it has no version")
	}
	return addon.Version, nil
}

// Name is the file name of an archive, such as
// service.filmspool-1.2.0-aarch64.zip.
func Name(version string, a Architecture) string {
	return fmt.Sprintf("%s-%s-%s.zip", ID, version, a.Name)
}

// Pack writes the archive for an architecture: the add-on with its program
// and the licences of all that is in it, in the order of their names, of one
// time, their modes by their place. It fails with [ErrStray] for a file that
// an add-on of ours does not have.
func Pack(w io.Writer, a Architecture, executable, licence []byte) error {
	files, err := contents(source, a)
	if err != nil {
		return fmt.Errorf("pack for %s: %w", a.Name, err)
	}
	files[program], files[licences] = executable, licence
	archive := zip.NewWriter(w)
	for _, name := range withFolders(files) {
		if err := add(archive, name, files[name]); err != nil {
			return fmt.Errorf("pack for %s: add %s: %w", a.Name, name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("pack for %s: %w", a.Name, err)
	}
	return nil
}

// contents are the files of the folder addon by name, with the words for an
// architecture in their place.
func contents(source fs.FS, a Architecture) (map[string][]byte, error) {
	files := map[string][]byte{}
	words := strings.NewReplacer("@PLATFORM@", a.Platform, "@MACHINES@", a.Machines, "@ARCHITECTURE@", a.Name)
	top, err := fs.Sub(source, "addon")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(top, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() || !belongs(name) {
			return fmt.Errorf("%s %w", name, ErrStray)
		}
		text, err := fs.ReadFile(top, name)
		if err == nil && path.Ext(name) != ".png" {
			text = []byte(words.Replace(string(text)))
		}
		files[name] = text
		return err
	})
	return files, err
}

// belongs tells the add-on's files, apart from the program, by place and kind.
func belongs(name string) bool {
	switch path.Dir(name) {
	case ".":
		return name == manifest || name == "default.py"
	case "bin":
		return name == "bin/filmspool"
	case "system.d":
		return name == "system.d/"+ID+".service"
	case "resources":
		return name == "resources/icon.png" || name == "resources/config.toml"
	}
	return false
}

// withFolders are the names of files and of the folders they are in, each
// folder before what is in it. Folders end in a slash, and the top one is "".
func withFolders(files map[string][]byte) []string {
	names := map[string]bool{"": true}
	for name := range files {
		names[name] = true
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			names[dir+"/"] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// add writes one file or folder into the top folder. Its sizes stand before
// it, as readers that do not look ahead want it.
func add(archive *zip.Writer, name string, content []byte) error {
	header := &zip.FileHeader{Name: ID + "/" + name}
	header.ModifiedDate = firstDay //nolint:staticcheck // a raw header is written as it stands, and Modified is not part of it
	if strings.HasSuffix(header.Name, "/") {
		header.SetMode(fs.ModeDir | 0o755)
		_, err := archive.CreateRaw(header)
		return err
	}
	packed, err := deflate(content)
	if err != nil {
		return err
	}
	header.Method = zip.Deflate
	header.CRC32 = crc32.ChecksumIEEE(content)
	header.CompressedSize64, header.UncompressedSize64 = uint64(len(packed)), uint64(len(content))
	header.SetMode(mode(name))
	file, err := archive.CreateRaw(header)
	if err != nil {
		return err
	}
	_, err = file.Write(packed)
	return err
}

// mode is what an unpacker other than Kodi's gives to a file.
func mode(name string) fs.FileMode {
	if name == program || path.Dir(name) == "bin" {
		return 0o755
	}
	return 0o644
}

func deflate(content []byte) ([]byte, error) {
	var packed bytes.Buffer
	to, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := to.Write(content); err != nil {
		return nil, err
	}
	err = to.Close()
	return packed.Bytes(), err
}
