package extension

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

//go:embed source source/_locales
var source embed.FS

// Targets are the families of browsers. Edge, Brave, Vivaldi and Opera are Chromium.
func Targets() []string { return []string{"chromium", "firefox"} }

// Name is the file name of an archive, such as filmspool-1.2.0-firefox.zip.
func Name(version, target string) string {
	return fmt.Sprintf("filmspool-%s-%s.zip", version, target)
}

// Version is the version in the manifest, which is the only place for it.
func Version() (string, error) {
	keys, err := manifest()
	version, _ := keys["version"].(string)
	return version, err
}

func manifest() (keys map[string]any, err error) {
	text, err := source.ReadFile("source/manifest.json")
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	return keys, nil
}

// manifestFor is the manifest without what only the other family reads. The
// source has both, so that it can be loaded as it stands in either.
func manifestFor(target string) ([]byte, error) {
	keys, err := manifest()
	if err != nil {
		return nil, err
	}
	background, _ := keys["background"].(map[string]any)
	if target == "firefox" {
		delete(background, "service_worker")
		delete(keys, "minimum_chrome_version")
		delete(keys, "key")
	} else {
		delete(background, "scripts")
		delete(keys, "browser_specific_settings")
	}
	return json.MarshalIndent(keys, "", "  ")
}

// rules is the module sites/rules.js: the rules of the sites as one object, by name.
// Chromium does not start a background again that imports JSON.
func rules() ([]byte, error) {
	files, err := fs.Glob(source, "source/sites/*.json")
	all := map[string]json.RawMessage{}
	for _, file := range files {
		if all[strings.TrimSuffix(path.Base(file), ".json")], err = source.ReadFile(file); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	return fmt.Appendf(nil, "export const files = %s;\n", text), err
}

// Pack is the archive for a target: the files in the order of their names, without a time,
// and not compressed, since compressors differ from one version to the next. The rules of
// the sites are in one module, and the guides for contributors are left out.
func Pack(target string) ([]byte, error) {
	files, err := contents(target)
	if err != nil {
		return nil, fmt.Errorf("pack for %s: %w", target, err)
	}
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = file.Write(files[name])
		}
		if err != nil {
			return nil, fmt.Errorf("pack for %s: %w", target, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("pack for %s: %w", target, err)
	}
	return out.Bytes(), nil
}

// contents are the files of an archive, by name.
func contents(target string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(source, "source", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) == "README.md" || path.Dir(name) == "source/sites" && path.Ext(name) == ".json" {
			return err
		}
		files[strings.TrimPrefix(name, "source/")], err = source.ReadFile(name)
		return err
	})
	if err == nil {
		files["manifest.json"], err = manifestFor(target)
	}
	if err == nil {
		files["sites/rules.js"], err = rules()
	}
	return files, err
}
