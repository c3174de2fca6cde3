package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// platform is a system and processor that the program is built for.
type platform struct {
	os, arch string
	arm      string // the version of a 32-bit ARM processor
}

// platforms are all there are. The SQLite translated to Go decides what is
// not among them, such as MIPS.
func platforms() []platform {
	return []platform{
		{os: "linux", arch: "amd64"},
		{os: "linux", arch: "arm64"},
		{os: "linux", arch: "arm", arm: "7"},
		{os: "linux", arch: "arm", arm: "6"},
		{os: "linux", arch: "386"},
		{os: "linux", arch: "riscv64"},
		{os: "linux", arch: "loong64"},
		{os: "windows", arch: "amd64"},
		{os: "windows", arch: "arm64"},
		{os: "darwin", arch: "amd64"},
		{os: "darwin", arch: "arm64"},
		{os: "freebsd", arch: "amd64"},
	}
}

// String is the platform's name in files, such as linux-armv7.
func (p platform) String() string {
	if p.arm != "" {
		return p.os + "-" + p.arch + "v" + p.arm
	}
	return p.os + "-" + p.arch
}

// recipeArch is the processor's name in the recipe of the Linux packages.
func (p platform) recipeArch() string { return p.arch + p.arm }

// imageArch is the processor's name in a container image.
func (p platform) imageArch() string {
	if p.arm != "" {
		return p.arch + "/v" + p.arm
	}
	return p.arch
}

// program is the name of the program's file.
func (p platform) program() string {
	if p.os == "windows" {
		return "filmspool.exe"
	}
	return "filmspool"
}

func choosePlatforms(list string) ([]platform, error) {
	var names []string
	byName := map[string]platform{}
	for _, p := range platforms() {
		names = append(names, p.String())
		byName[p.String()] = p
	}
	chosen, err := choose(list, names)
	if err != nil {
		return nil, err
	}
	var found []platform
	for _, name := range chosen {
		found = append(found, byName[name])
	}
	return found, nil
}

// build is the program for one platform.
type build struct {
	platform
	path    string // of the program
	modules []module
}

// manual has the program write its man pages and completions, and, where the
// caller named no version, say its own.
func (r *release) manual(ctx context.Context) error {
	program := filepath.Join(r.work, "manual-writer")
	// The host's own, whatever the caller's environment would build for.
	host := []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}
	args := append([]string{"build"}, r.buildFlags(program, "manual")...)
	if _, err := r.tool(ctx, r.root, append(plainGo(), host...), "go", append(args, "./cmd/filmspool")...); err != nil {
		return fmt.Errorf("build the manual's writer: %w", err)
	}
	said, err := r.tool(ctx, r.work, nil, program, "version", "--json")
	if err != nil {
		return fmt.Errorf("ask for the version: %w", err)
	}
	var own struct{ Version string }
	if err := json.Unmarshal([]byte(said), &own); err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	r.version = own.Version
	if _, err := r.tool(ctx, r.work, nil, program, "manual", filepath.Join(r.work, "manual")); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	return nil
}

// buildFlags are the same for every program: nothing of the machine it is made
// on goes in, no symbols, no HTTP/2, which we never speak (half a megabyte),
// and the version if the caller named one.
func (r *release) buildFlags(into string, tags ...string) []string {
	link := "-s -w -buildid="
	if r.version != "" {
		link += " -X main.version=" + r.version
	}
	return []string{"-trimpath", "-buildvcs=false", "-ldflags=" + link, "-tags=" + strings.Join(append(tags, "nethttpomithttp2"), ","), "-o", into}
}

// buildAll builds one platform after the other: each takes all processors.
func (r *release) buildAll(ctx context.Context) error {
	for _, p := range r.platforms {
		b := build{platform: p, path: filepath.Join(r.work, "stage", "bin", p.String(), p.program())}
		if p.os == "linux" {
			b.path = filepath.Join(r.work, "stage", "bin", p.recipeArch(), p.program())
		}
		env := append(plainGo(), "GOOS="+p.os, "GOARCH="+p.arch, "GOARM="+p.arm, "GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0", "GORISCV64=rva20u64")
		args := append([]string{"build"}, r.buildFlags(b.path)...)
		if _, err := r.tool(ctx, r.root, env, "go", append(args, "./cmd/filmspool")...); err != nil {
			return fmt.Errorf("build for %s: %w", p, err)
		}
		if err := r.signProgram(ctx, b); err != nil {
			return err
		}
		if err := r.checkProgram(b); err != nil {
			return err
		}
		var err error
		if b.modules, err = r.linked(ctx, b.path); err != nil {
			return fmt.Errorf("list what is linked for %s: %w", p, err)
		}
		r.built = append(r.built, b)
	}
	return nil
}

func (r *release) checkProgram(b build) error {
	if err := r.settle(b.path, 0o755); err != nil {
		return err
	}
	info, err := os.Stat(b.path)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.out, "built %10d  %s\n", info.Size(), b.platform)
	if info.Size() > maxProgram {
		return fmt.Errorf("the program for %s has %d bytes, at most %d", b.platform, info.Size(), maxProgram)
	}
	return nil
}

// of returns the builds for one system.
func (r *release) of(system string) (found []build) {
	for _, b := range r.built {
		if b.os == system {
			found = append(found, b)
		}
	}
	return found
}

// fileName is how a file of this release is called.
func (r *release) fileName(p platform, ending string) string {
	return strings.Join([]string{"filmspool", r.version, p.String()}, "-") + ending
}
