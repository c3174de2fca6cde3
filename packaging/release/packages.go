package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// served reports whether a distribution has packages for a processor. Debian
// calls two processors armhf; the older one's program runs on both, and on a
// Raspberry Pi Zero.
func served(format string, p platform) bool { return format != "deb" || p.arm != "7" }

// tools builds what the module .packages has for Linux: nfpm, and the program that
// prints the certificate authorities for the image. Their dependencies are many, and stand neither in the
// program's go.mod nor among the linter's.
func (r *release) tools(ctx context.Context) error {
	if len(r.of("linux")) == 0 {
		return nil
	}
	_, err := r.tool(ctx, filepath.Join(r.root, ".packages"), nil, "go", "build", "-trimpath", "-buildvcs=false", "-o", r.work, "tool", ".")
	return err
}

// linuxPackages makes the packages of every distribution.
func (r *release) linuxPackages(ctx context.Context) error {
	return each(r.of("linux"), func(p platform) error {
		for _, format := range formats() {
			if !r.wants(format) || !served(format, p) {
				continue
			}
			env := []string{"VERSION=" + r.version, "ARCH=" + p.arch + p.arm, "PLATFORM=" + p.name}
			_, err := r.tool(ctx, r.stage(), env, filepath.Join(r.work, "nfpm"), "package",
				"-f", "packaging/nfpm/nfpm.yaml", "-p", format, "-t", r.into)
			if err != nil {
				return fmt.Errorf("%s: %w", format, err)
			}
		}
		return nil
	})
}

// image makes one archive with a container image for every processor, in the
// form "oci-archive".
func (r *release) image(ctx context.Context) error {
	name, folder := "filmspool-"+r.version+"-oci.tar", filepath.Join(r.work, "image")
	if !r.wants("image") || len(r.of("linux")) == 0 || r.lacks(name, "buildah") {
		return nil
	}
	buildah := func(args ...string) error {
		store := []string{"--storage-driver", "vfs", "--root", filepath.Join(folder, "store"), "--runroot", filepath.Join(folder, "run")}
		_, err := r.tool(ctx, r.root, nil, "buildah", append(store, args...)...)
		return err
	}
	for _, p := range r.of("linux") {
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
	entries, err := gather(layout)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := tarball(&out, "", entries, r.when); err != nil {
		return err
	}
	return write(filepath.Join(r.into, name), out.Bytes())
}

// rootfs writes the file system of an image as a tar: the program, the certificate
// authorities it trusts, and empty folders. An image has no user database of its
// own: the number of the state's owner is the one in the Containerfile.
func (r *release) rootfs(ctx context.Context, p platform, into string) error {
	authorities, err := r.tool(ctx, r.work, nil, filepath.Join(r.work, "packages"))
	if err != nil {
		return err
	}
	program, err := os.ReadFile(r.stage("bin", p.name, p.program()))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = tarball(&out, "", []entry{
		{name: "config/", mode: 0o755},
		{name: "etc/", mode: 0o755},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, content: []byte(authorities)},
		{name: "filmspool", mode: 0o755, content: program},
		{name: "state/", mode: 0o700, owner: 65532},
		{name: "tmp/", mode: 0o1777},
	}, r.when)
	if err != nil {
		return err
	}
	return write(into, out.Bytes())
}

// addons packs what browsers and Kodi load. Their packers name what they make by
// the version that the add-on itself says.
func (r *release) addons(ctx context.Context) error {
	if !r.wants("addons") {
		return nil
	}
	folder := filepath.Join(r.work, "addons")
	for _, packer := range []string{"./connector/extension/pack", "./packaging/kodi/pack"} {
		if _, err := r.tool(ctx, r.root, nil, "go", "run", packer, folder); err != nil {
			return err
		}
	}
	return r.addonsIn(folder)
}

// addonsIn hands out the archives of a folder that are of this version.
func (r *release) addonsIn(folder string) error {
	made, err := gather(folder)
	for _, a := range made {
		if strings.Contains(a.name, "-"+r.version+"-") {
			err = errors.Join(err, write(filepath.Join(r.into, a.name), a.content))
		} else {
			fmt.Fprintf(r.out, "skipped  %s: this is version %s, and the add-on's is its own\n", a.name, r.version)
		}
	}
	return err
}
