// Command packages writes the file system of the container image as a tar: the
// program, the certificate authorities it trusts, and empty folders.
//
//	packages PROGRAM FILE
//
// It promises the same bytes for the same program, with SOURCE_DATE_EPOCH as the
// time of everything. Its module also has nfpm, which makes the packages of Linux
// distributions. packaging/release runs both.
package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// nobody owns the state, and runs the program: an image brings no user database
// of its own.
const nobody = 65532

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: packages PROGRAM FILE")
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	program, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	files, err := layer(program, time.Unix(epoch, 0).UTC())
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], files, 0o644)
}

// layer is the file system as a tar: the program, the certificate authorities it
// trusts, and empty folders.
func layer(program []byte, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range []struct {
		name    string
		mode    int64
		owner   int
		content []byte
	}{
		{"config/", 0o755, 0, nil},
		{"etc/", 0o755, 0, nil},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities()},
		{"filmspool", 0o755, 0, program},
		{"state/", 0o700, nobody, nil},
		{"tmp/", 0o1777, 0, nil},
	} {
		h := tar.Header{
			Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.content)),
			ModTime: when, Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), w.Close()
}

// authorities are Mozilla's, as this module's go.sum pins them. Those that are
// trusted only with conditions are left out: a file cannot state conditions.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return out.Bytes()
}
