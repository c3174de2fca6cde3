package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// changelog is the file that the notes of all releases stand in.
const changelog = "packaging/CHANGELOG.md"

// verifying is how a reader of the notes sees that what they have is whole.
const verifying = "## Is it whole?\n\nWith `SHA256SUMS` beside what you have taken, on Linux, on macOS, and on Windows with your own eyes:\n\n" +
	"```sh\nsha256sum --check --ignore-missing SHA256SUMS\nshasum -a 256 --check --ignore-missing SHA256SUMS\n```\n\n" +
	"```powershell\nGet-FileHash FILE\n```\n"

// verifyingSignature is how they see that it is the maintainers'.
const verifyingSignature = "\nWith `SHA256SUMS.minisig`, too, and the maintainers' public key from elsewhere:\n\n" +
	"```sh\nminisign -V -p filmspool.pub -m SHA256SUMS\n```\n"

// errNoNotes means that nobody wrote what is new.
var errNoNotes = errors.New("nothing is written about it in " + changelog)

// notes are the sections of the changelog, newest first.
type notes []section

// section is what one release brought.
type section struct {
	version string
	day     time.Time
	body    string
	points  []string // the body's list up to its first heading, a line each
}

// parseNotes reads "## VERSION - DAY" and what stands below.
func parseNotes(text string) (notes, error) {
	var found notes
	_, sections, _ := strings.Cut("\n"+text, "\n## ")
	for part := range strings.SplitSeq(sections, "\n## ") {
		head, body, _ := strings.Cut(part, "\n")
		news, _, _ := strings.Cut(body, "\n### ")
		s := section{body: strings.TrimSpace(body), points: points(news)}
		name, day, dated := strings.Cut(head, " - ")
		s.version = strings.TrimSpace(name)
		if dated {
			var err error
			if s.day, err = time.Parse(time.DateOnly, strings.TrimSpace(day)); err != nil {
				return nil, fmt.Errorf("read the day of %s: %w", s.version, err)
			}
		}
		found = append(found, s)
	}
	return found, nil
}

// points are the items of a list, each in one line.
func points(body string) (list []string) {
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\n")
		if item, ok := strings.CutPrefix(line, "- "); ok {
			list = append(list, item)
		} else if len(list) > 0 && strings.HasPrefix(line, "  ") {
			list[len(list)-1] += " " + strings.TrimSpace(line)
		}
	}
	return list
}

// upTo are the sections of a version and of those before it. A version without
// a section of its own is what is unreleased.
func (n notes) upTo(version string, when time.Time) (notes, error) {
	for i, s := range n {
		if s.version == version {
			return n[i:], nil
		}
	}
	if len(n) == 0 || n[0].version != "Unreleased" || n[0].body == "" {
		return nil, fmt.Errorf("release %s: %w", version, errNoNotes)
	}
	next := append(notes{}, n...)
	next[0].version, next[0].day = version, when
	return next, nil
}

// readNotes finds what is new in this release.
func (r *release) readNotes(context.Context) error {
	text, err := os.ReadFile(filepath.Join(r.root, changelog))
	if err != nil {
		return fmt.Errorf("read notes: %w", err)
	}
	all, err := parseNotes(string(text))
	if err != nil {
		return err
	}
	r.notes, err = all.upTo(r.version, r.when)
	return err
}

// writeNotes writes the page that goes with the files: what is new, how to see
// that they are whole, and the checksum of each that was made so far.
func (r *release) writeNotes() error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Filmspool %s\n\n%s\n\n%s", r.version, r.notes[0].body, verifying)
	if r.minisignKey != "" {
		out.WriteString(verifyingSignature)
	}
	if r.certificate != "" {
		out.WriteString("\nThe programs and installers for Windows are signed, which their properties show.\n")
	}
	out.WriteString("\n| file | bytes | SHA-256 |\n|---|---|---|\n")
	for _, name := range r.made {
		info, err := os.Stat(filepath.Join(r.into, name))
		if err != nil {
			return fmt.Errorf("write notes: %w", err)
		}
		sum, err := r.sum(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "| `%s` | %d | `%x` |\n", name, info.Size(), sum)
	}
	return r.write("release-notes.md", out.Bytes())
}

// packageChangelog is the changelog in the form that nfpm reads (that of
// github.com/goreleaser/chglog), for the first package of each version.
func (n notes) packageChangelog() []byte {
	var out bytes.Buffer
	for _, s := range n {
		fmt.Fprintf(&out, "- semver: %s-1\n  date: %s\n  packager: Filmspool maintainers <filmspool@users.noreply.github.com>\n"+
			"  deb: {urgency: medium, distributions: [unstable]}\n  changes:\n",
			s.version, s.day.Format(time.RFC3339))
		for _, p := range s.points {
			fmt.Fprintf(&out, "    - note: %q\n", p)
		}
	}
	return out.Bytes()
}
