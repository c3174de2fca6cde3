package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filmspool/filmspool/packaging/kodi"
)

// licences are the words of all those whose work is in the program: ours, Go's
// and those of every module, each under its name and version, which also says
// where its source is.
func licences(ctx context.Context, a kodi.Architecture) ([]byte, error) {
	root, err := ask(ctx, a, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	format := "{{with .Module}}{{.Path}}{{with .Version}} {{.}}{{end}}\t{{.Dir}}{{end}}"
	listed, err := ask(ctx, a, "list", "-deps", "-f", format, module+"/cmd/filmspool")
	if err != nil {
		return nil, err
	}
	modules := strings.Split(listed, "\n")
	slices.Sort(modules)
	modules = slices.Compact(modules)
	ours := slices.IndexFunc(modules, func(line string) bool { return strings.HasPrefix(line, module+"\t") })
	if ours < 0 {
		return nil, fmt.Errorf("%s is not among its own modules", module)
	}
	parts := []string{modules[ours], "The Go programming language, https://go.dev\t" + root}
	parts = append(parts, slices.Delete(modules, ours, ours+1)...)
	var text bytes.Buffer
	for _, part := range parts {
		name, dir, _ := strings.Cut(part, "\t")
		if err := licence(&text, name, dir); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// licence adds what stands in a module's folder. A module without a licence
// may not be given away.
func licence(text *bytes.Buffer, name, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, entry := range entries {
		upper := strings.ToUpper(entry.Name())
		licensing := strings.Contains(upper, "LICENSE") || strings.HasPrefix(upper, "COPYING") || strings.HasPrefix(upper, "NOTICE")
		if !entry.Type().IsRegular() || !licensing {
			continue
		}
		words, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(text, "==== %s: %s\n\n%s\n\n", name, entry.Name(), bytes.TrimSpace(words))
	}
	if !found {
		return fmt.Errorf("%s: no licence in %s", name, dir)
	}
	return nil
}
