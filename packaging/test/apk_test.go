package test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestApkOnPaper reads the package for Alpine Linux as apk does (version 2 of
// the format, wiki.alpinelinux.org/wiki/Apk_spec), which no Debian has: a part
// for control and one for data, each checked by what stands in the one before.
func TestApkOnPaper(t *testing.T) {
	name := os.Getenv("FILMSPOOL_APK")
	if name == "" {
		t.Skip("FILMSPOOL_APK is not set; see the package comment")
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	members := gzipMembers(t, whole)
	if len(members) != 2 {
		t.Fatalf("%d parts, want control and data: it is not signed", len(members))
	}
	control := apkFiles(t, members[0], false)
	info := string(control[".PKGINFO"])
	sum := sha256.Sum256(members[1])
	for _, want := range []string{
		`^pkgname = filmspool$`, `^pkgver = [0-9][0-9.]*-r[0-9]+$`, `^arch = (x86_64|aarch64|armv7|armhf|x86|riscv64|loongarch64|ppc64le|s390x)$`,
		`^license = MIT$`, `^depend = ca-certificates-bundle$`, `^datahash = ` + hex.EncodeToString(sum[:]) + `$`,
	} {
		if !regexp.MustCompile("(?m)" + want).MatchString(info) {
			t.Errorf(".PKGINFO has no %s:\n%s", want, info)
		}
	}
	delete(control, ".PKGINFO")
	for script, text := range control {
		if !regexp.MustCompile(`^\.(pre|post)-(install|upgrade|deinstall)$`).MatchString(script) || !bytes.HasPrefix(text, []byte("#!/bin/sh\n")) {
			t.Errorf("%s is no script that apk runs", script)
		}
	}
	data := apkFiles(t, members[1], true)
	for _, path := range []string{
		"usr/bin/filmspool", "etc/init.d/filmspool", "usr/share/man/man1/filmspool.1.gz", "usr/share/zsh/site-functions/_filmspool",
		"usr/share/bash-completion/completions/filmspool", "usr/share/fish/vendor_completions.d/filmspool.fish",
		"usr/share/applications/filmspool.desktop", "usr/share/icons/hicolor/scalable/apps/filmspool.svg", "usr/share/licenses/filmspool/LICENSE", "usr/share/licenses/filmspool/third-party.txt",
	} {
		if len(data[path]) == 0 {
			t.Errorf("there is no %s", path)
		}
	}
}

// gzipMembers cuts a file into the gzip streams that it is made of.
func gzipMembers(t *testing.T, whole []byte) (members [][]byte) {
	t.Helper()
	rest := bytes.NewReader(whole)
	for rest.Len() > 0 {
		from := len(whole) - rest.Len()
		member, err := gzip.NewReader(rest)
		if err != nil {
			t.Fatal(err)
		}
		member.Multistream(false)
		if _, err := io.Copy(io.Discard, member); err != nil {
			t.Fatal(err)
		}
		members = append(members, whole[from:len(whole)-rest.Len()])
	}
	return members
}

// apkFiles are the files of one part. Those of the data have a checksum each,
// belong to root, and nobody else may write them.
func apkFiles(t *testing.T, part []byte, summed bool) map[string][]byte {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	// Control ends without the blocks that end a tar: data goes on with it.
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && !summed {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Mode&0o022 != 0 || strings.HasPrefix(h.Name, "/") {
			t.Errorf("%s: owner %d:%d, mode %o", h.Name, h.Uid, h.Gid, h.Mode)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		sum := sha1.Sum(content)
		if said := h.PAXRecords["APK-TOOLS.checksum.SHA1"]; summed && said != hex.EncodeToString(sum[:]) {
			t.Errorf("%s has the checksum %q", h.Name, said)
		}
		files[h.Name] = content
	}
}
