package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// installers makes the installers for Windows: an MSI for the whole machine, and
// a program for one person.
func (r *release) installers(ctx context.Context) error {
	return errors.Join(
		each(r.of("msi"), func(p platform) error { return r.msi(ctx, p, r.fileName(p, ".msi")) }),
		each(r.of("nsis"), func(p platform) error { return r.nsis(ctx, p, r.fileName(p, "-setup.exe")) }),
	)
}

func (r *release) msi(ctx context.Context, p platform, name string) error {
	if r.lacks(name, "wixl", "msiinfo", "msibuild") {
		return nil
	}
	into := filepath.Join(r.into, name)
	// A code for each version, the same whenever it is made. wixl looks for
	// files only below where it runs.
	code := strings.ToUpper(uuid("Filmspool " + r.version + " " + p.name))
	_, err := r.tool(ctx, r.stage(), nil, "wixl", "-a", "x64", "-o", into, "-D", "Version="+numbers(r.version), "-D", "Code="+code,
		"packaging/windows/filmspool.wxs")
	if err != nil {
		return err
	}
	made, err := r.tool(ctx, r.stage(), nil, "msiinfo", "export", into, "_SummaryInformation")
	if err != nil {
		return err
	}
	if err := write(r.stage("summary.idt"), []byte(r.summary(made, code))); err != nil {
		return err
	}
	_, err = r.tool(ctx, r.stage(), nil, "msibuild", into, "-i", "summary.idt", "-i", "packaging/windows/environment.idt",
		"-i", "packaging/windows/shortcut.idt")
	if err != nil {
		return err
	}
	return r.sign(ctx, into)
}

// summary replaces the two things in a package's summary that differ from one
// run of wixl to the next: a random code, and the time of day (the MSI
// documentation, "Summary Information Stream Property Set").
func (r *release) summary(text, code string) string {
	text = regexp.MustCompile(`(?m)^9\t[^\r]*`).ReplaceAllString(text, "9\t{"+strings.ToUpper(uuid("package "+code))+"}")
	return regexp.MustCompile(`(?m)^(12|13)\t[^\r]*`).ReplaceAllString(text, "${1}\t"+r.when.Format("2006/01/02 15:04:05"))
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
