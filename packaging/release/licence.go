package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is something that is linked into a program.
type module struct {
	Path, Version string
	Tag           string // the version, as Go's modules have it
	Source        string // where it can be had
	Licence       string // SPDX identifier
	Texts         []words
}

// words are a file of a module that goes with every copy of it.
type words struct{ Name, Words string }

// linked lists the modules of a platform's program with the licences of all,
// Go's own library and runtime first.
func (r *release) linked(ctx context.Context, p platform) (modules []module, err error) {
	listed, err := r.tool(ctx, r.root, p.env(), "go", "list", "-deps", "-tags="+tags,
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\thttps://{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/filmspool")
	if err != nil {
		return nil, err
	}
	goroot, err := r.tool(ctx, r.root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	version := strings.TrimPrefix(runtime.Version(), "go")
	lines := strings.Split(strings.TrimSpace(listed), "\n")
	slices.Sort(lines)
	lines = append([]string{"std\t" + version + "\thttps://go.dev/dl/go" + version + ".src.tar.gz\t" + strings.TrimSpace(goroot)}, slices.Compact(lines)...)
	for _, line := range lines {
		f := strings.SplitN(line, "\t", 4)
		m := module{Path: f[0], Version: f[1], Tag: f[1], Source: f[2]}
		if err := m.readLicence(f[3]); err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	return modules, nil
}

// readLicence reads the files at a module's top that name a licence. The first
// that is known tells which it is.
func (m *module) readLicence(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("look for the licence of %s: %w", m.Path, err)
	}
	named := regexp.MustCompile(`(?i)(licen[cs]e|copying|notice)`)
	for _, e := range entries {
		if !e.Type().IsRegular() || !named.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return fmt.Errorf("read the licence of %s: %w", m.Path, err)
		}
		m.Texts = append(m.Texts, words{e.Name(), strings.TrimSpace(string(content))})
		if m.Licence == "" {
			m.Licence = recognize(string(content))
		}
	}
	if m.Licence == "" {
		return fmt.Errorf("%s %s has no licence that is known here", m.Path, m.Version)
	}
	return nil
}

// recognize returns the SPDX identifier of a licence, or nothing. It knows
// those that allow what we do: a person has to read a new one first.
func recognize(text string) string {
	flat := strings.Join(strings.Fields(text), " ")
	has := func(words string) bool { return strings.Contains(flat, words) }
	switch {
	case has("Apache License Version 2.0"):
		return "Apache-2.0"
	case has("Mozilla Public License Version 2.0"), has("Mozilla Public License, version 2.0"):
		return "MPL-2.0"
	case has("Redistribution and use in source and binary forms") && has("endorse or promote products"):
		return "BSD-3-Clause"
	case has("Redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("Permission is hereby granted, free of charge"):
		return "MIT"
	case has("provided 'as-is', without any express or implied warranty"):
		return "Zlib"
	}
	return ""
}
