package protocol_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector/protocol"
)

// grown is a JSON value with fields of tomorrow in each of its objects.
func grown(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{
			"tomorrow": map[string]any{"deep": []any{1, nil, "x"}}, "TYPE": "history", "Id": 7, "": true,
		}
		for name, field := range value {
			out[name] = grown(field)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = grown(element)
		}
		return out
	}
	return value
}

func grow(t *testing.T, frame []byte) []byte {
	t.Helper()
	out, err := json.Marshal(grown(instance(t, frame)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A newer client's fields mean nothing to us, and change nothing.
func TestUnknownFieldsOfClientsAreIgnored(t *testing.T) {
	schema := schemas(t)["from-client"]
	for name, frame := range goodFrames(t, "client") {
		want, refusal := protocol.Decode(frame)
		if refusal != nil {
			t.Fatal(refusal)
		}
		newer := grow(t, frame)
		got, refusal := protocol.Decode(newer)
		if refusal != nil {
			t.Errorf("%s: %v", name, refusal)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s is read differently:\n%s", name, diff)
		}
		if err := schema.Validate(instance(t, newer)); err != nil {
			t.Errorf("%s: schema: %v", name, err)
		}
	}
}

// A newer daemon's fields mean nothing to a client of today.
func TestUnknownFieldsOfTheDaemonAreIgnored(t *testing.T) {
	schema := schemas(t)["from-daemon"]
	for name, frame := range goodFrames(t, "daemon") {
		newer := grow(t, frame)
		if err := schema.Validate(instance(t, newer)); err != nil {
			t.Errorf("%s: schema: %v", name, err)
		}
		var fields map[string]any
		if err := json.Unmarshal(newer, &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, "TYPE") // encoding/json, the Go client's reader, does not tell these two apart
		delete(fields, "Id")
		newer, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := protocol.DecodeAnswer(newer); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownTypesAreRefused(t *testing.T) {
	all := schemas(t)
	for _, name := range []string{"history", "Viewing", "viewings", "viewing ", "__proto__", "scrobble", "welcome", "ack"} {
		frame := fmt.Appendf(nil, `{"type":%q,"id":"x-1","v":1}`, name)
		if m, refusal := protocol.Decode(frame); refusal == nil || refusal.Code != protocol.UnknownType || refusal.ID != "x-1" || refusal.Retryable {
			t.Errorf("%s: %v, %v", name, m, refusal)
		}
		if all["from-client"].Validate(instance(t, frame)) == nil {
			t.Errorf("%s: the schema takes it", name)
		}
	}
}

// The version is looked at before all else: what follows may be of any shape.
func TestOtherVersionsAreToldSo(t *testing.T) {
	for _, v := range []string{"2", "0", "-1", "99", "2.0", "9007199254740991"} {
		frame := []byte(`{"type":"hello","v":` + v + `,"client":[],"token":7,"hello":"hello"}`)
		if m, refusal := protocol.Decode(frame); refusal == nil || refusal.Code != protocol.UnsupportedVersion || refusal.Field != "" {
			t.Errorf("version %s: %v, %v", v, m, refusal)
		}
	}
	for _, v := range []string{"1", "1.0", "1e0"} {
		if _, refusal := protocol.Decode([]byte(`{"type":"hello","v":` + v + `,"client":{"name":"x"}}`)); refusal != nil {
			t.Errorf("version %s: %v", v, refusal)
		}
	}
}

// What no daemon says: for the schemas' sake, and for clients that use them.
func TestBadExamplesFromTheDaemon(t *testing.T) {
	text, err := os.ReadFile("testdata/bad-daemon.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name    string          `json:"name"`
		Message json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	schema := schemas(t)["from-daemon"]
	for _, tc := range cases {
		if schema.Validate(instance(t, tc.Message)) == nil {
			t.Errorf("%s: the schema takes it", tc.Name)
		}
	}
}

// Every message has a good example, and every code of an error a schema.
func TestEveryMessageHasAnExample(t *testing.T) {
	seen := map[string]bool{}
	for _, from := range []string{"client", "daemon"} {
		for _, frame := range goodFrames(t, from) {
			var head struct{ Type string }
			if err := json.Unmarshal(frame, &head); err != nil {
				t.Fatal(err)
			}
			seen[from+" "+head.Type] = true
		}
	}
	for from, types := range map[string][]string{
		"client": {"hello", "auth", "pair", "viewing", "watchlist", "list", "status", "resolve", "candidates", "correct", "undo", "waiting", "ping", "pong"},
		"daemon": {"welcome", "paired", "status", "resolved", "corrected", "undone", "ack", "error", "ping", "pong"},
	} {
		for _, name := range types {
			if !seen[from+" "+name] {
				t.Errorf("no example of %s from the %s", name, from)
			}
		}
	}
	schema := schemas(t)["error"]
	for _, code := range []protocol.Code{
		protocol.BadJSON, protocol.BadMessage, protocol.UnknownType, protocol.UnsupportedVersion, protocol.PairingRequired,
		protocol.PairingCodeInvalid, protocol.RateLimited, protocol.TooLarge, protocol.QueueFull, protocol.Storage,
		protocol.Conflict, protocol.NotFound, protocol.Refused, protocol.Internal,
	} {
		frame, err := protocol.Encode(protocol.Refusal("x", code, "why"))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(instance(t, frame)); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}
