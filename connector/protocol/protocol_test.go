package protocol_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// badCase is one entry of testdata/bad.json.
type badCase struct {
	Name          string `json:"name"`
	Code          string `json:"code"`
	Field         string `json:"field"`
	ID            string `json:"id"`
	SchemaRefuses bool   `json:"schemaRefuses"` // some faults no schema can see
	Frame         string `json:"frame"`         // as it is on the wire
}

func badCases(t testing.TB) []badCase {
	t.Helper()
	text, err := os.ReadFile("testdata/bad.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []badCase
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// goodFrames are the example messages whose file name begins with from.
func goodFrames(t testing.TB, from string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/good/" + from + "-*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples from %s (%v)", from, err)
	}
	frames := map[string][]byte{}
	for _, name := range names {
		if frames[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return frames
}

// schemas compiles every file in schema by its name without ending.
func schemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	ids := map[string]string{}
	files, err := fs.Glob(os.DirFS("schema"), "*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile("schema/" + name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id := doc.(map[string]any)["$id"].(string)
		if err := c.AddResource(id, doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ids[strings.TrimSuffix(name, ".schema.json")] = id
	}
	compiled := map[string]*jsonschema.Schema{}
	for name, id := range ids {
		if compiled[name], err = c.Compile(id); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return compiled
}

func instance(t *testing.T, frame []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(frame))
	if err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	return value
}

func TestGoodExamplesFromClients(t *testing.T) {
	all := schemas(t)
	for name, frame := range goodFrames(t, "client") {
		t.Run(name, func(t *testing.T) {
			message, refusal := protocol.Decode(frame)
			if refusal != nil {
				t.Fatal(refusal)
			}
			if err := all["from-client"].Validate(instance(t, frame)); err != nil {
				t.Errorf("schema: %v", err)
			}
			if !strings.HasPrefix(name, "client-"+message.Type()) {
				t.Errorf("read as %s", message.Type())
			}
			if event, ok := message.(protocol.Event); ok {
				v, err := event.AsEvent()
				if err != nil || v.EventID != strings.ToLower(event.EventID()) {
					t.Errorf("as viewing: %+v, %v", v, err)
				}
			}
		})
	}
}

func TestGoodExamplesFromTheDaemon(t *testing.T) {
	all := schemas(t)
	for name, frame := range goodFrames(t, "daemon") {
		t.Run(name, func(t *testing.T) {
			message, err := protocol.DecodeAnswer(frame)
			if err != nil {
				t.Fatal(err)
			}
			if err := all["from-daemon"].Validate(instance(t, frame)); err != nil {
				t.Errorf("schema: %v", err)
			}
			again, err := protocol.Encode(message)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(instance(t, frame), instance(t, again)); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadExamples(t *testing.T) {
	fromClient := schemas(t)["from-client"]
	for _, tc := range badCases(t) {
		t.Run(tc.Name, func(t *testing.T) {
			message, refusal := protocol.Decode([]byte(tc.Frame))
			if refusal == nil {
				t.Fatalf("was taken as %+v", message)
			}
			if string(refusal.Code) != tc.Code || refusal.Field != tc.Field || refusal.ID != tc.ID {
				t.Errorf("got %s field %q id %q, want %s %q %q", refusal.Code, refusal.Field, refusal.ID, tc.Code, tc.Field, tc.ID)
			}
			if refusal.Retryable || refusal.Message == "" {
				t.Errorf("retryable %v, message %q", refusal.Retryable, refusal.Message)
			}
			if tc.SchemaRefuses && fromClient.Validate(instance(t, []byte(tc.Frame))) == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

// Every message has a schema of its own that refuses the other messages.
func TestSchemasTellMessagesApart(t *testing.T) {
	all := schemas(t)
	for name, frame := range goodFrames(t, "client") {
		kind := strings.TrimSuffix(strings.TrimPrefix(name, "client-"), ".json")
		kind, _, _ = strings.Cut(kind, "-")
		if kind == protocol.TypeStatus {
			kind = "status-request"
		}
		for other, schema := range all {
			if other == "media" || strings.HasPrefix(other, "from-") || strings.HasPrefix(other, "post") {
				continue // they hold others
			}
			if err := schema.Validate(instance(t, frame)); (err == nil) != (other == kind) {
				t.Errorf("%s against %s: %v", name, other, err)
			}
		}
	}
}

func TestNotUTF8(t *testing.T) {
	for _, frame := range []string{"{\"type\":\"ping\",\"x\":\"\xff\"}", "\xef\xbb\xbf{\"type\":\"ping\"}"} {
		if _, refusal := protocol.Decode([]byte(frame)); refusal == nil || refusal.Code != protocol.BadJSON {
			t.Errorf("%q: %v", frame, refusal)
		}
	}
}

func TestViewingAsTheQueueSeesIt(t *testing.T) {
	frame := goodFrames(t, "client")["client-viewing-movie.json"]
	message, refusal := protocol.Decode(frame)
	if refusal != nil {
		t.Fatal(refusal)
	}
	got, err := message.(protocol.Event).AsEvent()
	if err != nil {
		t.Fatal(err)
	}
	hour := 3600
	want := viewing.Event{
		Kind: viewing.KindViewing, EventID: "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11",
		Media: []viewing.Media{{Type: viewing.Movie, IDs: viewing.IDs{TMDB: 603, IMDB: "tt0133093"}, Title: "The Matrix", Year: 1999}},
		WatchedAt: viewing.Instant{
			Millis: 1772401267250, Text: "2026-03-01T22:41:07.250+01:00", Offset: &hour,
			Precision: viewing.Second,
		},
		Count: 1, Progress: &viewing.Progress{Position: 8102.5, Duration: 8160, Played: 7950},
		Origin: viewing.Origin{Site: "films.example", URL: "https://films.example/watch/603"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCountIsOneWhenLeftOut(t *testing.T) {
	message, refusal := protocol.Decode(goodFrames(t, "client")["client-viewing-episode.json"])
	if refusal != nil {
		t.Fatal(refusal)
	}
	if v, _ := message.(protocol.Event).AsEvent(); v.Count != 1 {
		t.Errorf("count %d", v.Count)
	}
}

// What a Go client writes, the daemon reads as it was meant.
func TestEncodedEventsAreRead(t *testing.T) {
	two, three := 2, 3
	for _, want := range []protocol.Message{
		protocol.Hello{V: 1, Client: protocol.ClientInfo{Name: "n", Version: "1", Browser: "b"}, ClientID: "c", Nonce: "n", Token: "t"},
		protocol.Auth{Token: "t"},
		protocol.Pair{ID: "p", Code: "c", Label: "<b> & \u2028"},
		protocol.Viewing{
			ID: "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11", WatchedAt: "2026-03-01T20:15:00Z", Count: 1,
			Media: viewing.Media{Type: viewing.Episode, Show: &viewing.Show{IDs: viewing.IDs{TMDB: 1396}}, Season: &two, Episode: &three},
		},
		protocol.Watchlist{ID: "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11", Media: viewing.Media{Type: viewing.TV, Title: "x"}, Priority: &two},
		protocol.List{ID: "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11", Name: "n", Description: "d", Visibility: "PUBLIC"},
		protocol.StatusRequest{ID: "s"},
		protocol.Resolve{ID: "r", Media: viewing.Media{Type: viewing.Movie, Title: "x", Year: 1999}},
		protocol.Candidates{ID: "c", Words: "<b> & \u2028", Kind: viewing.TV},
		protocol.Correct{
			ID: "c", Media: viewing.Media{Type: viewing.Episode, Show: &viewing.Show{Title: "x"}, Season: &two, Episode: &three},
			Is: &protocol.Candidate{Type: viewing.TV, TMDB: 1396, Title: "y", Year: 2008},
		},
		protocol.Correct{
			ID: "c", Media: viewing.Media{Type: viewing.Movie, Title: "x"}, Was: &protocol.Candidate{Type: viewing.Movie, TMDB: 603},
		},
		protocol.Undo{ID: "u", Event: "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11"},
		protocol.Waiting{Viewings: 13},
		protocol.Ping{},
		protocol.Pong{},
	} {
		frame, err := protocol.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, refusal := protocol.Decode(frame)
		if refusal != nil {
			t.Errorf("%s: %v", frame, refusal)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", frame, diff)
		}
	}
}

func TestDecodeAnswerRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, frame := range []string{"", "{}", "[]", `{"type":"hello","v":1}`, `{"type":"welcome","v":"1"}`, `{"type":"error","code":7}`} {
		if m, err := protocol.DecodeAnswer([]byte(frame)); err == nil {
			t.Errorf("%q was taken as %+v", frame, m)
		}
	}
}

// FuzzDecode holds four things against any frame: no panic; either a message
// or a refusal; a refusal of an object names its field; and what was taken
// means the same when it is written again.
func FuzzDecode(f *testing.F) {
	for _, frame := range goodFrames(f, "client") {
		f.Add(frame)
	}
	for _, tc := range badCases(f) {
		f.Add([]byte(tc.Frame))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		message, refusal := protocol.Decode(frame)
		if refusal != nil {
			if message != nil || refusal.Message == "" || refusal.Code == protocol.BadMessage && refusal.Field == "" && bytes.HasPrefix(bytes.TrimSpace(frame), []byte("{")) {
				t.Fatalf("refusal %+v beside message %v", refusal, message)
			}
			if _, err := protocol.Encode(refusal); err != nil {
				t.Fatal(err)
			}
			return
		}
		again, err := protocol.Encode(message)
		if err != nil {
			t.Fatal(err)
		}
		second, refusal := protocol.Decode(again)
		if refusal != nil {
			t.Fatalf("%s was taken, %s was not: %v", frame, again, refusal)
		}
		if diff := cmp.Diff(message, second); diff != "" {
			t.Fatal(diff)
		}
	})
}
