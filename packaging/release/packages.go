package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// recipe is the folder of what all Linux packages are made by.
const recipe = "packaging/nfpm"

// containerfile says how the container image is run.
const containerfile = "packaging/container/Containerfile"

// formats are the kinds of Linux packages, as nfpm calls them.
func formats() []string { return []string{"deb", "rpm", "apk", "archlinux"} }

// served reports whether a distribution has packages for a processor. Debian
// calls two processors armhf; the older one's program runs on both, and on a
// Raspberry Pi Zero.
func served(format string, p platform) bool {
	return p.os == "linux" && (format != "deb" || p.arm != "7")
}

// packager builds the program that knows the formats. It is in a module of its
// own, .packages, as a library's user and not a tool of .tools: so nfpm's many
// dependencies stand neither in the program's go.mod nor among the linter's.
func (r *release) packager(ctx context.Context) (string, error) {
	into := filepath.Join(r.work, "packager")
	if _, err := r.goTool(ctx, filepath.Join(r.root, ".packages"), "build", "-trimpath", "-buildvcs=false", "-o", into, "."); err != nil {
		return "", fmt.Errorf("build the packager: %w", err)
	}
	return into, nil
}

// linuxPackages makes the packages of every distribution.
func (r *release) linuxPackages(ctx context.Context) error {
	wanted := slices.DeleteFunc(formats(), func(f string) bool { return !r.wants(f) })
	if len(wanted) == 0 || len(r.of("linux")) == 0 {
		return nil
	}
	packager, err := r.packager(ctx)
	if err != nil {
		return err
	}
	if err := r.layOutRecipe(); err != nil {
		return fmt.Errorf("lay out the recipe: %w", err)
	}
	for _, b := range r.of("linux") {
		args := []string{"nfpm", "-recipe", recipe + "/nfpm.yaml", "-arch", b.recipeArch(), "-into", r.into}
		for _, format := range wanted {
			if served(format, b.platform) {
				args = append(args, format)
			}
		}
		said, err := r.tool(ctx, r.stage(), []string{"VERSION=" + r.version}, packager, args...)
		if err != nil {
			return fmt.Errorf("make packages for %s: %w", b.platform, err)
		}
		for _, name := range strings.Fields(said) {
			if err := r.add(name, maxPackage); err != nil {
				return err
			}
		}
	}
	return nil
}

// layOutRecipe copies the recipe with its scripts to where nfpm runs: some
// formats keep a script's time and mode, which a checkout may have changed.
func (r *release) layOutRecipe() error {
	return filepath.WalkDir(filepath.Join(r.root, recipe), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(r.root, path)
		if err != nil {
			return err
		}
		return r.copy(path, r.stage(name), 0o755)
	})
}

// image makes one archive with a container image for every processor. Its
// programs are not compressed twice, so it has no bound of its own.
func (r *release) image(ctx context.Context) error {
	if !r.wants(kindImage) || len(r.of("linux")) == 0 {
		return nil
	}
	packager, err := r.packager(ctx)
	if err != nil {
		return err
	}
	name := "filmspool-" + r.version + "-oci.tar"
	args := []string{"image", "-recipe", containerfile, "-version", r.version, "-into", filepath.Join(r.into, name)}
	for _, b := range r.of("linux") {
		args = append(args, b.imageArch()+"="+b.path)
	}
	if _, err := r.tool(ctx, r.root, nil, packager, args...); err != nil {
		return fmt.Errorf("make image: %w", err)
	}
	return r.add(name, 0)
}
