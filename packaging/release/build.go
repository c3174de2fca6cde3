package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/filmspool/filmspool/packaging/kodi"
)

// maxProgram is the most that a program may take, in bytes. The templates of the pages
// and the figures for Prometheus take 5 MB: they keep the linker from leaving out code.
const maxProgram = 24 << 20

// tags leave out HTTP/2, which we never speak (half a megabyte).
const tags = "nethttpomithttp2"

// platform is a system and processor that the program is built for.
type platform struct {
	name     string // in files
	os, arch string // as Go calls them
	arm      string // the version of a 32-bit ARM processor
}

// platforms are all there are. The SQLite translated to Go decides what is
// not among them, such as MIPS.
func platforms() (all []platform) {
	for _, name := range []string{
		"linux-amd64", "linux-arm64", "linux-armv7", "linux-armv6", "linux-386", "linux-riscv64", "linux-loong64",
		"windows-amd64", "windows-arm64", "darwin-amd64", "darwin-arm64", "freebsd-amd64",
	} {
		p := platform{name: name}
		p.os, p.arch, _ = strings.Cut(name, "-")
		if arm, ok := strings.CutPrefix(p.arch, "armv"); ok {
			p.arch, p.arm = "arm", arm
		}
		all = append(all, p)
	}
	return all
}

// String is the platform's name in files, such as linux-armv7.
func (p platform) String() string { return p.name }

// program is the name of the program's file.
func (p platform) program() string {
	if p.os == "windows" {
		return "filmspool.exe"
	}
	return "filmspool"
}

// env has the go command build for the least processor of the kind.
func (p platform) env() []string {
	return []string{"GOOS=" + p.os, "GOARCH=" + p.arch, "GOARM=" + p.arm, "GOAMD64=v1", "GO386=sse2", "GOARM64=v8.0", "GORISCV64=rva20u64"}
}

// serves reports whether a kind is made for a platform. Debian calls two
// processors armhf: the older one's program runs on both, and on a Raspberry Pi
// Zero.
func serves(kind string, p platform) bool {
	switch kind {
	case "archive":
		return true
	case "deb":
		return p.os == "linux" && p.arm != "7"
	case "rpm", "apk", "archlinux", "image":
		return p.os == "linux"
	case "nsis":
		return p.os == "windows"
	case "kodi":
		return slices.ContainsFunc(kodi.Architectures(), func(a kodi.Architecture) bool { return a.Program == p.name })
	}
	return false // what holds no program
}

// of returns the chosen platforms that a kind is made for: none if nobody wants it.
func (r *release) of(kind string) []platform {
	return slices.DeleteFunc(slices.Clone(r.platforms), func(p platform) bool { return !r.wants(kind) || !serves(kind, p) })
}

// compile builds the program with nothing of this machine in it, and no symbols.
func (r *release) compile(ctx context.Context, into, tags string, env []string) error {
	_, err := r.tool(ctx, r.root, env, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= -X main.version="+r.version,
		"-tags="+tags, "-o", into, "./cmd/filmspool")
	return err
}

// each does something for platforms, for as many at once as there are processors.
func each(platforms []platform, do func(platform) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.NumCPU())
	for _, p := range platforms {
		g.Go(func() error {
			if err := do(p); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// build builds for every platform. The lists of what is linked go beside each
// program and into the folder.
func (r *release) build(ctx context.Context) error {
	err := each(r.platforms, func(p platform) error {
		return r.compile(ctx, r.stage("bin", p.name, p.program()), tags, p.env())
	})
	if err != nil {
		return err
	}
	for _, p := range r.platforms {
		program := r.stage("bin", p.name, p.program())
		if p.os == "windows" {
			if err := r.sign(ctx, program); err != nil {
				return err
			}
		}
		content, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.out, "built %10d  %s\n", len(content), p)
		if len(content) > maxProgram {
			return fmt.Errorf("the program for %s has %d bytes, at most %d", p, len(content), maxProgram)
		}
		modules, err := r.linked(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := r.bill(p, content, modules); err != nil {
			return err
		}
	}
	return nil
}

// bill lists a program's parts: for people with the licences whole, and for
// programs in the form of CycloneDX (https://cyclonedx.org/docs/1.6/json/). Its
// serial number is made from the program: the same program has the same list.
func (r *release) bill(p platform, program []byte, modules []module) error {
	values := map[string]any{
		"Program": module{Path: "github.com/filmspool/filmspool", Version: r.version, Tag: "v" + r.version, Licence: "MIT"},
		"Modules": modules, "Sum": fmt.Sprintf("%x", sha256.Sum256(program)), "Serial": uuid(string(program)), "Time": r.when.Format(time.RFC3339),
	}
	if err := r.fill("parts/bill.cdx.json", filepath.Join(r.into, r.fileName(p, ".cdx.json")), values); err != nil {
		return err
	}
	return r.fill("parts/third-party.txt", r.stage("bin", p.name, "third-party.txt"), values)
}

// uuid makes a UUID of version 8 of something (RFC 9562: its bits are the
// maker's own).
func uuid(of string) string {
	sum := sha256.Sum256([]byte(of))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
