package connector_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmspool/filmspool/connector/protocol"
)

// samples are the fenced blocks of a language in the page for authors of
// other clients.
func samples(t *testing.T, language string) []string {
	t.Helper()
	page, err := os.ReadFile("protocol/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		found = append(found, block[1])
	}
	return found
}

// aroundSample is what a browser and the extension's other parts would bring:
// an Origin, the code that was typed, a store. Without node's own websocket,
// which leaves the Origin to its caller, there would be no browser to be had.
const aroundSample = `
const Bare = globalThis.WebSocket;
globalThis.WebSocket = class extends Bare {
  constructor(url, protocol) {
    super(url.replace("127.0.0.1:43456", process.env.ADDRESS), { protocols: [protocol], headers: { origin: process.env.ORIGIN } });
    this.addEventListener("close", ({ code }) => { console.log("closed", code); process.exit(1); });
  }
};
const { code, clientId, token } = process.env;
const keep = (pairing) => console.log(JSON.stringify(pairing));
const outbox = new Map([[process.env.ID, {
  type: "viewing", id: process.env.ID, media: { type: "movie", ids: { tmdb: 603 } }, watchedAt: "2026-03-01T22:41:07+01:00",
}]]);
outbox.delete = (id) => { console.log("acknowledged " + id); process.exit(0); };
`

// runSample runs one sample in node and returns what it printed.
func runSample(t *testing.T, sample string, environment ...string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the page's JavaScript")
	}
	file := filepath.Join(t.TempDir(), "sample.mjs")
	if err := os.WriteFile(file, []byte(aroundSample+"\n"+sample), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--experimental-websocket", "--no-warnings", file)
	cmd.Env = append(os.Environ(), environment...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String()
}

func TestReadmeConnects(t *testing.T) {
	found := samples(t, "js")
	if len(found) != 2 || strings.Count(found[0], "\n") > 10 {
		t.Fatalf("%d samples, the first of %d lines; ten were promised", len(found), strings.Count(found[0], "\n"))
	}
	r := start(t, nil)
	out := runSample(t, found[0], "ADDRESS="+r.address, "ORIGIN="+chromium, "ID="+uuid(1), "code="+r.registry.NewCode().Text)
	match := regexp.MustCompile(`"clientId":"(\w+)","token":"([\w-]+)"`).FindStringSubmatch(out)
	if match == nil || !strings.Contains(out, "acknowledged "+uuid(1)) {
		t.Fatalf("the first sample printed %s", out)
	}
	out = runSample(t, found[1], "ADDRESS="+r.address, "ORIGIN="+chromium, "ID="+uuid(2), "clientId="+match[1], "token="+match[2])
	if !strings.Contains(out, "acknowledged "+uuid(2)) {
		t.Errorf("the second sample printed %s", out)
	}
	if kept := r.sink.kept(); len(kept) != 2 {
		t.Errorf("kept %v", kept)
	}
	for _, event := range samples(t, "json") {
		if _, refusal := protocol.Decode([]byte(event)); refusal != nil {
			t.Errorf("the page's event: %v", refusal)
		}
	}
}

func TestReadmePosts(t *testing.T) {
	found := samples(t, "sh")
	if len(found) != 1 {
		t.Fatalf("%d samples", len(found))
	}
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s to run the page's command", tool)
		}
	}
	r := start(t, nil)
	_, token := r.add("Home cinema")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(found[0], "127.0.0.1:43456", r.address))
	cmd.Env = append(os.Environ(), "TOKEN="+token)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"status":"queued"`) || len(r.sink.kept()) != 1 {
		t.Errorf("%s (%v)", out, err)
	}
}

// The page names every code there is.
func TestReadmeNamesEveryCode(t *testing.T) {
	page, err := os.ReadFile("protocol/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"error", "post-error"} {
		schema, err := os.ReadFile("protocol/schema/" + file + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range regexp.MustCompile(`"([A-Z]+(?:_[A-Z]+)*)"`).FindAllStringSubmatch(string(schema), -1) {
			if !strings.Contains(string(page), "`"+code[1]+"`") {
				t.Errorf("%s is not on the page", code[1])
			}
		}
	}
}
