package connector_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/connector/protocol"
)

// schemaOf compiles one of the protocol's schemas.
func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	const base = "https://filmspool.invalid/connector/v1/"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	files, err := filepath.Glob("protocol/schema/*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(base+filepath.Base(file), doc); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := c.Compile(base + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func keeps(t *testing.T, schema *jsonschema.Schema, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// What the daemon really says, the schemas say it says.
func TestSocketsKeepTheSchemas(t *testing.T) {
	r := start(t, func(o *connector.Options) { o.Limits.Rate, o.Limits.Burst = 1, 11 })
	schema := schemaOf(t, "from-daemon")
	id, token := r.pair(chromium)
	s := r.open(chromium)
	said := strings.TrimSuffix(hello, "}")
	for _, frame := range []string{
		said + `,"clientId":"` + id + `","nonce":"n"}`,
		`{"type":"auth","token":"` + token + `"}`,
		`{"type":"ping"}`, `{"type":"status","id":"s"}`, frameOf(t, film(1)), frameOf(t, protocol.List{ID: uuid(2), Name: "x"}),
		`{`, `{"type":"history","id":"h"}`, `{"type":"viewing","id":"` + uuid(3) + `"}`, `{"type":"pair","id":"p","code":"x"}`,
		`{"type":"ping"}`, `{"type":"ping"}`, `{"type":"status","id":"limited"}`, `{"type":"ping"}`,
	} {
		s.say(frame)
		_, text, err := s.ReadMessage()
		if err != nil {
			t.Fatalf("after %s: %v", frame, err)
		}
		keeps(t, schema, text)
	}
	stranger := r.greeted(firefox, "")
	stranger.say(`{"type":"pair","id":"p","code":"` + r.registry.NewCode().Text + `"}`)
	_, text, err := stranger.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	keeps(t, schema, text)
	if err := stranger.WriteMessage(websocket.BinaryMessage, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, text, err = stranger.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	keeps(t, schema, text)
}

func TestAnswersKeepTheSchemas(t *testing.T) {
	r := start(t, nil)
	_, token := r.add("p")
	for _, tc := range []struct{ schema, token, body string }{
		{"posted", token, arrayOf(t, 0, 3)},
		{"posted", token, "[" + frameOf(t, film(4)) + `,{"type":"history"},{"type":"list","id":"x","name":"y"}]`},
		{"post-error", token, "["},
		{"post-error", token, "[]"},
		{"post-error", "wrong", frameOf(t, film(1))},
	} {
		answer, err := http.DefaultClient.Do(r.request(tc.token, strings.NewReader(tc.body)))
		if err != nil {
			t.Fatal(err)
		}
		keeps(t, schemaOf(t, tc.schema), []byte(bodyOf(t, answer)))
	}
	health, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+r.address+"/v1/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(health)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	keeps(t, schemaOf(t, "health"), text)
	http.DefaultClient.CloseIdleConnections()
}
