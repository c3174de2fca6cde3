// Command packages makes what only libraries can make well: the packages of
// Linux distributions, by nfpm, and a container image, by
// go-containerregistry. packaging/release runs it, with everything laid out:
//
//	packages nfpm   -recipe FILE -arch ARCH -into FOLDER FORMAT…
//	packages image  -recipe CONTAINERFILE -version V -into FILE ARCH=PROGRAM…
//	packages rootfs -into FILE PROGRAM
//
// It promises the same bytes for the same files, with SOURCE_DATE_EPOCH as the
// time of everything. It refuses to decide what goes in: the recipe does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/arch"
	_ "github.com/goreleaser/nfpm/v2/deb"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say nfpm, image or rootfs")
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	when := time.Unix(epoch, 0).UTC()
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	into := f.String("into", "", "")
	switch args[0] {
	case "nfpm":
		recipe, arch := f.String("recipe", "", ""), f.String("arch", "", "")
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		return packages(*recipe, *arch, *into, f.Args(), when)
	case "image":
		recipe, version := f.String("recipe", "", ""), f.String("version", "", "")
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		return makeImage(*recipe, *version, *into, f.Args(), when)
	case "rootfs":
		if err := f.Parse(args[1:]); err != nil {
			return err
		}
		return makeRootfs(*into, f.Arg(0), when)
	}
	return fmt.Errorf("none of nfpm, image and rootfs: %s", args[0])
}

func makeImage(containerfile, version, into string, programs []string, when time.Time) error {
	config, err := readContainerfile(containerfile, map[string]string{"VERSION": version})
	if err != nil {
		return err
	}
	return image(recipe{config: config, version: version, created: when}, into, programs)
}

// makeRootfs writes what the Containerfile adds, for another tool to build it.
func makeRootfs(into, program string, when time.Time) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	files, err := layer(content, when)
	if err != nil {
		return err
	}
	return os.WriteFile(into, files, 0o644)
}

// packages makes one package for each format. The recipe's variables are the
// environment's, and ARCH.
func packages(recipe, arch, into string, formats []string, when time.Time) error {
	config, err := nfpm.ParseFileWithEnvMapping(recipe, func(name string) string {
		if name == "ARCH" {
			return arch
		}
		return os.Getenv(name)
	})
	if err != nil {
		return fmt.Errorf("read recipe: %w", err)
	}
	config.MTime = when
	for _, format := range formats {
		if err := makePackage(config, format, into); err != nil {
			return fmt.Errorf("make %s for %s: %w", format, arch, err)
		}
	}
	return nil
}

func makePackage(config nfpm.Config, format, into string) error {
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	info, err := config.Get(format)
	if err != nil {
		return err
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.Validate(info); err != nil {
		return err
	}
	name := filepath.Join(into, packager.ConventionalFileName(info))
	info.Target = name
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := packager.Package(info, out); err != nil {
		return errors.Join(err, out.Close(), os.Remove(name))
	}
	if err := out.Close(); err != nil {
		return err
	}
	fmt.Println(filepath.Base(name))
	return nil
}
