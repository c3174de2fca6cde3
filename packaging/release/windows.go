package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// installers makes the installer for Windows, for one person.
func (r *release) installers(ctx context.Context) error {
	return each(r.of("nsis"), func(p platform) error { return r.nsis(ctx, p, r.fileName(p, "-setup.exe")) })
}

func (r *release) nsis(ctx context.Context, p platform, name string) error {
	if r.lacks(name, "makensis") {
		return nil
	}
	into, documents := filepath.Join(r.into, name), r.stage("bin", p.name)
	_, err := r.tool(ctx, r.stage(), nil, "makensis", "-V2", "-NOCD", "-INPUTCHARSET", "UTF8",
		"-DVERSION="+r.version, "-DNUMBERS="+numbers(r.version)+".0", "-DINTO="+into, "-DPROGRAM="+filepath.Join(documents, p.program()),
		"-DDOCUMENTS="+documents, "-DLICENCE="+r.stage("all", "LICENSE"), "packaging/windows/filmspool.nsi")
	if err != nil {
		return err
	}
	return r.sign(ctx, into)
}

// numbers is a version without what stands after a "-": Windows takes numbers
// alone.
func numbers(version string) string {
	head, _, _ := strings.Cut(version, "-")
	return head
}

// sign replaces a file for Windows with its signed form, if there is a
// certificate. The signature's time is the release's.
func (r *release) sign(ctx context.Context, path string) error {
	if r.certificate == "" {
		return nil
	}
	_, err := r.tool(ctx, r.root, nil, "osslsigncode", "sign", "-certs", r.certificate, "-key", r.certificateKey, "-h", "sha256",
		"-n", "Filmspool", "-i", home, "-time", fmt.Sprint(r.when.Unix()), "-in", path, "-out", path+".signed")
	if err != nil {
		return fmt.Errorf("sign %s: %w", filepath.Base(path), err)
	}
	return os.Rename(path+".signed", path)
}
