package extension

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed source source/_locales
var source embed.FS

// Pack returns the archive for a family of browsers, "chromium" (with Edge, Brave, Vivaldi and
// Opera) or "firefox". It holds the files of the source without a time and not compressed, since
// compressors differ from one version to the next. The rules of the sites are one module in it,
// and the guides for contributors are left out.
func Pack(family string) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	add := func(name string, content []byte) error {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = file.Write(content)
		}
		return err
	}
	rules := map[string]json.RawMessage{}
	err := fs.WalkDir(source, "source", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) == "README.md" || name == "source/sites/rules.js" {
			return err
		}
		content, err := source.ReadFile(name)
		name = strings.TrimPrefix(name, "source/")
		if site, ok := strings.CutSuffix(name, ".json"); ok && path.Dir(name) == "sites" {
			rules[path.Base(site)] = content
			return err
		}
		if err == nil && name == "manifest.json" {
			content, err = manifest(family, content)
		}
		return errors.Join(err, add(name, content))
	})
	module, wrong := json.Marshal(rules)
	err = errors.Join(err, wrong, add("sites/rules.js", []byte("export const files = "+string(module)+";\n")), archive.Close())
	if err != nil {
		return nil, fmt.Errorf("pack for %s: %w", family, err)
	}
	return out.Bytes(), nil
}

// manifest returns the manifest without what only the other family reads. The source has
// both, so that it can be loaded as it stands in either.
func manifest(family string, text []byte) ([]byte, error) {
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	background, _ := keys["background"].(map[string]any)
	if family == "firefox" {
		delete(background, "service_worker")
		delete(keys, "minimum_chrome_version")
		delete(keys, "key")
	} else {
		delete(background, "scripts")
		delete(keys, "browser_specific_settings")
	}
	return json.MarshalIndent(keys, "", "  ")
}
