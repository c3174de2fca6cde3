// Command release makes everything that a release of Filmspool hands out:
//
//	go run ./packaging/release [flags] FOLDER
//
// It owns the programs for every platform, their archives, the list of what is
// linked with its licences, the release notes, the checksums and signatures. It
// drives the tools that make the rest: nfpm the Linux packages, makensis the
// installer for Windows, buildah the container image. It fills the
// texts for Homebrew, winget, Scoop, the AUR and Nix. It packs the browser
// extension, and the add-on for Kodi with the same program as everything else.
//
// It promises the same bytes from the same source with the same tools, wherever
// and whenever it runs. The time of everything is SOURCE_DATE_EPOCH, or the last
// commit's. It fails when a program or a package is too large, or when something
// linked has a licence it does not know.
//
// It refuses to publish, and to hold keys: the caller names files with keys. If
// the machine lacks a tool for something, that is skipped, and said.
//
// # Why not goreleaser?
//
// It would build the programs, pack them, run nfpm and write the sums: about 150
// lines of this. What anybody may use of it has nothing for an MSI, an installer,
// or the licence of each module. Its own forms of the texts say less than ours. It
// builds for one platform or for all, and tests need some. It brings some 900
// modules to each new machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// kinds are what --only can name. Notes and checksums are always made, and for
// each program the list of what is linked.
func kinds() []string {
	return append(formats(), "archive", "nsis", "image", "texts", "extension", "kodi")
}

// formats are the kinds of Linux packages, as nfpm calls them.
func formats() []string { return []string{"deb", "rpm", "apk", "archlinux"} }

// options are what the caller said.
type options struct {
	into           string
	version        string // empty: the program's own
	only           []string
	platforms      []platform
	minisignKey    string
	certificate    string
	certificateKey string
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	f.StringVar(&o.version, "version", "", "make `V` of it; without it the program's own version")
	only := f.String("only", "", "make these `KINDS` alone, with commas between: "+strings.Join(kinds(), ","))
	some := f.String("platforms", "", "for these `PLATFORMS` alone, with commas between, such as linux-amd64")
	f.StringVar(&o.minisignKey, "minisign-key", "", "sign the checksums with the secret key in `FILE`")
	f.StringVar(&o.certificate, "certificate", "", "sign programs and installers for Windows with the certificate in `FILE`, and --certificate-key")
	f.StringVar(&o.certificateKey, "certificate-key", "", "the certificate's key, in `FILE`")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() != 1 {
		return o, errors.New("name one folder to put everything into")
	}
	if (o.certificate == "") != (o.certificateKey == "") {
		return o, errors.New("--certificate and --certificate-key go together")
	}
	if o.version != "" && !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z]+)?$`).MatchString(o.version) {
		return o, fmt.Errorf("%q is no version such as 1.2.3 or 1.2.3-rc1", o.version)
	}
	var err error
	if o.into, err = filepath.Abs(f.Arg(0)); err != nil {
		return o, err
	}
	if o.only, err = choose(*only, kinds(), func(kind string) string { return kind }); err != nil {
		return o, err
	}
	o.platforms, err = choose(*some, platforms(), platform.String)
	return o, err
}

// choose reads a list of names with commas; an empty one is all there are.
func choose[T any](list string, all []T, name func(T) string) (chosen []T, err error) {
	if list == "" {
		return all, nil
	}
	for one := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(t T) bool { return name(t) == one })
		if i < 0 {
			return nil, fmt.Errorf("%q is none of %v", one, all)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "filmspool-release-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer os.RemoveAll(work)
	r := &release{options: o, work: work, out: out}
	return r.make(ctx)
}
