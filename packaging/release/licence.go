package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// module is something that is linked into a program.
type module struct {
	Path, Version, Dir string
	licence            string // SPDX identifier
	texts              []licenceText
}

// licenceText is one file of a module that goes with every copy of it.
type licenceText struct {
	name string
	text string
}

// goModule is what stands for Go's own library and runtime.
const goModule = "std"

// linked lists what a program says is in it, with the licences of all.
func (r *release) linked(ctx context.Context, path string) ([]module, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	args := []string{"mod", "download", "-json"}
	for _, dep := range info.Deps {
		args = append(args, dep.Path+"@"+dep.Version)
	}
	said, err := r.goTool(ctx, r.root, args...)
	if err != nil {
		return nil, err
	}
	goroot, err := r.goTool(ctx, r.root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules := []module{{Path: goModule, Version: strings.TrimPrefix(runtime.Version(), "go"), Dir: strings.TrimSpace(goroot)}}
	for decode := json.NewDecoder(strings.NewReader(said)); ; {
		var m module
		if err := decode.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
	for i := range modules {
		if err := modules[i].readLicence(); err != nil {
			return nil, err
		}
	}
	return modules, nil
}

// readLicence reads the files at a module's top that name a licence, and
// tells which it is from the first that is known.
func (m *module) readLicence() error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return fmt.Errorf("look for the licence of %s: %w", m.Path, err)
	}
	named := regexp.MustCompile(`(?i)(licen[cs]e|copying|notice)`)
	for _, e := range entries {
		if !e.Type().IsRegular() || !named.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return fmt.Errorf("read the licence of %s: %w", m.Path, err)
		}
		m.texts = append(m.texts, licenceText{name: e.Name(), text: string(text)})
		if m.licence == "" {
			m.licence = recognize(string(text))
		}
	}
	if m.licence == "" {
		return fmt.Errorf("%s %s has no licence that is known here", m.Path, m.Version)
	}
	return nil
}

// recognize returns the SPDX identifier of a licence, or nothing. It knows
// those that allow what we do: one that is new here is to be read by a person
// first.
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

// thirdParty is the text that goes with every copy of a program: what is
// linked, under which licence, where its source is, and the licences whole.
func thirdParty(modules []module) []byte {
	var out bytes.Buffer
	out.WriteString("Filmspool itself is under the licence in the file LICENSE. Linked into the\nprogram, unchanged, are:\n\n")
	for _, m := range modules {
		fmt.Fprintf(&out, "  %s %s (%s)\n      source: %s\n", m.Path, m.Version, m.licence, m.source())
	}
	for _, m := range modules {
		for _, t := range m.texts {
			rule := strings.Repeat("=", 72)
			fmt.Fprintf(&out, "\n%s\n%s %s: %s\n%s\n\n%s\n", rule, m.Path, m.Version, t.name, rule, strings.TrimSpace(t.text))
		}
	}
	return out.Bytes()
}

// source is where a module's source can be had.
func (m module) source() string {
	if m.Path == goModule {
		return "https://go.dev/dl/go" + m.Version + ".src.tar.gz"
	}
	return "https://" + m.Path
}
