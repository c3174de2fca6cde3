package readme_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/packaging/readme"
)

const page = "# Top\n\nSay `filmspool status` and read `key = 1`, `A b`, `word`, `/usr/bin`.\n\n## What's in it, and why\n\n" +
	"| `a \\| b` | `. /etc/profile` |\n\n```sh\n# all of it\nsudo apt install ./x.deb   # asks\n\necho a#b\n```\n\n" +
	"- item:\n\n  ```toml\n  a = 1\n    b = 2\n  ```\n\n```text\nls -l\n```\nSee [that](a/b.md) and [this](#top), or `never ended\n"

func TestCommands(t *testing.T) {
	got := readme.Commands(page)
	want := []readme.Command{
		{3, "Top", "filmspool status", false},
		{7, "What's in it, and why", "a | b", false},
		{7, "What's in it, and why", ". /etc/profile", false},
		{11, "What's in it, and why", "sudo apt install ./x.deb", true},
		{13, "What's in it, and why", "echo a#b", true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestBlocksLinksAnchors(t *testing.T) {
	if got := readme.Blocks(page, "toml"); len(got) != 1 || got[0].Text != "a = 1\n  b = 2\n" || got[0].Line != 19 {
		t.Errorf("blocks: %+v", got)
	}
	if got := readme.Links(page); !slices.Equal(got, []readme.Link{{26, "a/b.md"}, {26, "#top"}}) {
		t.Errorf("links: %+v", got)
	}
	if got := readme.Anchors(page); len(got) != 2 || !got["top"] || !got["whats-in-it-and-why"] {
		t.Errorf("anchors: %+v", got)
	}
	if got := readme.Spans("`a b` and `c"); !slices.Equal(got, []string{"a b", "`c"}) {
		t.Errorf("spans: %q", got)
	}
}

func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"start it with: filmspool run":                         "run",
		"filmspool queue drop --all; then look":                "queue drop --all",
		"filmspool service start, or filmspool run":            "service start|run",
		"say filmspool --system login && systemctl x":          "--system login",
		`nsExec '"$INSTDIR\filmspool.exe" service install'`:    "service install",
		"ExecStart=/usr/bin/filmspool run --system":            "run --system",
		"filmspool queue explain ID tells; more":               "queue explain ID tells",
		"rc-service filmspool start":                           "",
		"~/.local/filmspool and more":                          "",
		`podman run --name filmspool --network host`:           "",
		`the "filmspool" service`:                              "",
		"usermod -aG filmspool NAME":                           "",
		"Filmspool runs; filmspool.service runs; ~/.filmspool": "",
		"group filmspool":                                      "",
		"":                                                     "",
	} {
		var got []string
		for _, m := range readme.Mentions(text) {
			got = append(got, strings.Join(m.Words, " "))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	got := readme.Paragraphs("# Top\nOne.\nTwo.\n\n- a\n- b\n  goes on\n\n1. first\n2. second\n\n| a | b |\n\n```sh\nls\n```\n... and 2026. on\n")
	want := []readme.Paragraph{{2, "One. Two."}, {5, "a"}, {6, "b goes on"}, {9, "first"}, {10, "second"}, {17, "... and 2026. on"}}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
