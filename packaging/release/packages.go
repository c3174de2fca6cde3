package main

import (
	"archive/tar"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
)

// nfpm makes the Linux packages. It has some 900 modules, which do not belong into
// the program's go.mod.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"

// linux makes the packages of every distribution, and the container image.
func (r *release) linux(ctx context.Context) error {
	if !slices.ContainsFunc(append(formats(), "image"), func(kind string) bool { return len(r.of(kind)) > 0 }) {
		return nil
	}
	_, err := r.tool(ctx, r.work, []string{"GOBIN=" + r.work}, "go", "install", "-trimpath", nfpm)
	if err != nil {
		return err
	}
	for _, format := range formats() {
		err := each(r.of(format), func(p platform) error {
			env := []string{"VERSION=" + r.version, "ARCH=" + p.arch + p.arm, "PLATFORM=" + p.name}
			_, err := r.tool(ctx, r.stage(), env, filepath.Join(r.work, "nfpm"), "package", "-f", "packaging/nfpm/nfpm.yaml", "-p", format, "-t", r.into)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return r.image(ctx)
}

// image makes one archive with a container image for every processor, in the
// form "oci-archive". buildah takes them one after the other: of several at once
// it would list them in the order in which they end.
func (r *release) image(ctx context.Context) error {
	name, folder := "filmspool-"+r.version+"-oci.tar", filepath.Join(r.work, "image")
	if len(r.of("image")) == 0 || r.lacks(name, "buildah") {
		return nil
	}
	buildah := func(args ...string) error {
		store := []string{"--storage-driver", "vfs", "--root", filepath.Join(folder, "store"), "--runroot", filepath.Join(folder, "run")}
		_, err := r.tool(ctx, r.root, nil, "buildah", append(store, args...)...)
		return err
	}
	for _, p := range r.of("image") {
		if err := r.rootfs(ctx, p, filepath.Join(folder, p.name, "rootfs.tar")); err != nil {
			return fmt.Errorf("file system for %s: %w", p, err)
		}
		processor := strings.TrimSuffix("linux/"+p.arch+"/v"+p.arm, "/v")
		err := buildah("build", "--isolation", "chroot", "--platform", processor, "--timestamp", fmt.Sprint(r.when.Unix()), "--identity-label=false",
			"--build-arg", "VERSION="+r.version, "--manifest", "filmspool", "-f", "packaging/container/Containerfile", filepath.Join(folder, p.name))
		if err != nil {
			return fmt.Errorf("image for %s: %w", p, err)
		}
	}
	layout := filepath.Join(folder, "layout")
	if err := buildah("manifest", "push", "--all", "filmspool", "oci:"+layout+":"+r.version); err != nil {
		return err
	}
	files, err := r.gather("", layout)
	if err != nil {
		return err
	}
	return tarball(filepath.Join(r.into, name), files)
}

// rootfs writes the file system of an image as a tar: the program, the certificate
// authorities it trusts, and empty folders. An image has no user database of its
// own: the number of the state's owner is the one in the Containerfile.
func (r *release) rootfs(ctx context.Context, p platform, into string) error {
	authorities, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		return fmt.Errorf("install ca-certificates: %w", err)
	}
	program, err := os.ReadFile(r.stage("bin", p.name, p.program()))
	if err != nil {
		return err
	}
	files := fstest.MapFS{
		"etc/ssl/certs/ca-certificates.crt": r.file(0o644, authorities),
		"filmspool":                         r.file(0o755, program),
		"state":                             r.file(fs.ModeDir|0o700, nil),
		"tmp":                               r.file(fs.ModeDir|fs.ModeSticky|0o777, nil),
	}
	for _, name := range []string{"config", "etc", "etc/ssl", "etc/ssl/certs"} {
		files[name] = r.file(fs.ModeDir|0o755, nil)
	}
	files["state"].Sys = &tar.Header{Uid: 65532, Gid: 65532}
	return tarball(into, files)
}
