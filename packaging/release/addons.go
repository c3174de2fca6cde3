package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// addons packs what browsers and Kodi load. Their packers are of their own
// rooms, and name what they make by the version that the add-on itself says.
func (r *release) addons(ctx context.Context) error {
	for _, kind := range []string{kindExtension, kindAddon} {
		if !r.wants(kind) {
			continue
		}
		packer := map[string]string{kindExtension: "./connector/extension/pack", kindAddon: "./packaging/kodi/pack"}[kind]
		from := filepath.Join(r.work, kind)
		if _, err := r.goTool(ctx, r.root, "run", packer, from); err != nil {
			return fmt.Errorf("pack the %s: %w", kind, err)
		}
		if err := r.addonsIn(from); err != nil {
			return fmt.Errorf("hand out the %s: %w", kind, err)
		}
	}
	return nil
}

// addonsIn hands out the archives of a folder that are of this version.
func (r *release) addonsIn(folder string) error {
	archives, err := filepath.Glob(filepath.Join(folder, "*.zip"))
	if err != nil {
		return err
	}
	for _, archive := range archives {
		name := filepath.Base(archive)
		if !strings.Contains(name, "-"+r.version+"-") {
			r.skip(name, "this is version "+r.version+", and the add-on's is its own")
			continue
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			return err
		}
		if err := r.put(filepath.Join(r.into, name), content, 0o644); err != nil {
			return err
		}
		if err := r.add(name, maxPackage); err != nil {
			return err
		}
	}
	return nil
}
