package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// installers makes the installers for Windows: an MSI for the whole machine
// (wixl knows amd64 alone), and a program for one person.
func (r *release) installers(ctx context.Context) error {
	for _, b := range r.of("windows") {
		if r.wants(kindMSI) && b.arch == "amd64" {
			if err := r.msi(ctx, b); err != nil {
				return fmt.Errorf("make MSI: %w", err)
			}
		}
		if r.wants(kindNSIS) {
			if err := r.nsis(ctx, b); err != nil {
				return fmt.Errorf("make installer for %s: %w", b.platform, err)
			}
		}
	}
	return nil
}

func (r *release) msi(ctx context.Context, b build) error {
	name := r.fileName(b.platform, ".msi")
	if why := missing("wixl", "msibuild"); why != "" {
		r.skip(name, why)
		return nil
	}
	for from, to := range map[string]string{
		b.path: "filmspool.exe", filepath.Join(filepath.Dir(b.path), "third-party.txt"): "third-party.txt",
		r.stage("doc", "LICENSE"): "LICENSE.txt", filepath.Join(r.root, "packaging", "windows", "filmspool.wxs"): "filmspool.wxs",
	} {
		if err := r.copy(from, r.stage("msi", to), 0o644); err != nil {
			return err
		}
	}
	into := filepath.Join(r.into, name)
	// A code for each version, the same whenever it is made. wixl looks for
	// files only below where it runs.
	code := strings.ToUpper(uuid(sha256.Sum256([]byte("Filmspool " + r.version + " " + b.String()))))
	_, err := r.tool(ctx, r.stage("msi"), nil, "wixl", "-a", "x64", "-o", into, "-D", "Version="+numbers(r.version), "-D", "Code="+code, "filmspool.wxs")
	if err != nil {
		return err
	}
	if _, err := r.tool(ctx, r.root, nil, "msibuild", append([]string{into}, pathTable()...)...); err != nil {
		return err
	}
	if err := stampMSI(into, strings.ToUpper(uuid(sha256.Sum256([]byte("package "+code)))), r.when); err != nil {
		return err
	}
	return r.installer(ctx, name)
}

// pathTable are the orders to msibuild that put the program on the machine's
// PATH, and take it off again: wixl knows no environment.
func pathTable() (args []string) {
	for _, order := range []string{
		"CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, " +
			"`Value` CHAR(255) LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)",
		"INSERT INTO `Environment` (`Environment`,`Name`,`Value`,`Component_`) VALUES ('Path','=-*PATH','[~];[INSTALLDIR]','Program')",
		"INSERT INTO `InstallExecuteSequence` (`Action`,`Sequence`) VALUES ('WriteEnvironmentStrings',5200)",
		"INSERT INTO `InstallExecuteSequence` (`Action`,`Sequence`) VALUES ('RemoveEnvironmentStrings',3300)",
	} {
		args = append(args, "-q", order)
	}
	return args
}

func (r *release) nsis(ctx context.Context, b build) error {
	name := r.fileName(b.platform, "-setup.exe")
	if why := missing("makensis"); why != "" {
		r.skip(name, why)
		return nil
	}
	_, err := r.tool(ctx, r.root, nil, "makensis", "-V2", "-NOCD", "-INPUTCHARSET", "UTF8",
		"-DVERSION="+r.version, "-DNUMBERS="+numbers(r.version)+".0", "-DINTO="+filepath.Join(r.into, name),
		"-DPROGRAM="+b.path, "-DDOCUMENTS="+filepath.Dir(b.path), "-DLICENCE="+r.stage("doc", "LICENSE"),
		filepath.Join("packaging", "windows", "filmspool.nsi"))
	if err != nil {
		return err
	}
	return r.installer(ctx, name)
}

// installer signs an installer and takes it in.
func (r *release) installer(ctx context.Context, name string) error {
	if err := r.signWindows(ctx, filepath.Join(r.into, name)); err != nil {
		return err
	}
	return r.add(name, maxPackage)
}

// numbers is a version without what stands after a "-": Windows takes numbers
// alone.
func numbers(version string) string {
	head, _, _ := strings.Cut(version, "-")
	return head
}

// signProgram signs a program for Windows, if there is a certificate.
func (r *release) signProgram(ctx context.Context, b build) error {
	if b.os != "windows" {
		return nil
	}
	return r.signWindows(ctx, b.path)
}

// signWindows replaces a file with its signed form. The signature's time is the
// release's.
func (r *release) signWindows(ctx context.Context, path string) error {
	if r.certificate == "" {
		return nil
	}
	if why := missing("osslsigncode"); why != "" {
		return fmt.Errorf("sign %s: %s", filepath.Base(path), why)
	}
	signed := path + ".signed"
	_, err := r.tool(ctx, r.root, nil, "osslsigncode", "sign", "-certs", r.certificate, "-key", r.certificateKey, "-h", "sha256",
		"-n", "Filmspool", "-i", "https://github.com/filmspool/filmspool", "-time", fmt.Sprint(r.when.Unix()), "-in", path, "-out", signed)
	if err != nil {
		return fmt.Errorf("sign %s: %w", filepath.Base(path), err)
	}
	return os.Rename(signed, path)
}
