package protocol_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector/protocol"
)

// mostPosted is what the daemon takes in one post.
const mostPosted = 100

// badPost is one entry of testdata/bad-post.json: a body, and what is wrong
// with it or with one of its messages.
type badPost struct {
	Name          string `json:"name"`
	Code          string `json:"code"`
	Field         string `json:"field"`
	Item          *int   `json:"item"` // nil: with the whole
	SchemaRefuses bool   `json:"schemaRefuses"`
	Body          string `json:"body"`
}

func badPosts(t testing.TB) []badPost {
	t.Helper()
	text, err := os.ReadFile("testdata/bad-post.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []badPost
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestGoodPosts(t *testing.T) {
	all := schemas(t)
	for name, body := range goodFrames(t, "http-post") {
		kind := "post"
		switch {
		case strings.HasPrefix(name, "http-posted"):
			kind = "posted"
		case strings.HasPrefix(name, "http-post-error"):
			kind = "post-error"
		}
		if err := all[kind].Validate(instance(t, body)); err != nil {
			t.Errorf("%s: schema: %v", name, err)
		}
		if kind != "post" {
			continue
		}
		items, refusal := protocol.DecodeBatch(body, mostPosted)
		if refusal != nil {
			t.Fatalf("%s: %v", name, refusal)
		}
		for i, it := range items {
			if it.Refusal != nil || it.Event == nil {
				t.Errorf("%s: message %d: %v", name, i, it.Refusal)
			}
		}
	}
	if err := all["health"].Validate(instance(t, goodFrames(t, "http")["http-health.json"])); err != nil {
		t.Error(err)
	}
}

func TestBadPosts(t *testing.T) {
	schema := schemas(t)["post"]
	for _, tc := range badPosts(t) {
		t.Run(tc.Name, func(t *testing.T) {
			items, refusal := protocol.DecodeBatch([]byte(tc.Body), mostPosted)
			if tc.Item != nil {
				if refusal != nil {
					t.Fatalf("the whole was refused: %v", refusal)
				}
				for i, it := range items {
					if (it.Refusal != nil) != (i == *tc.Item) || (it.Event == nil) != (i == *tc.Item) {
						t.Errorf("message %d: %v", i, it.Refusal)
					}
				}
				refusal = items[*tc.Item].Refusal
			}
			if refusal == nil || string(refusal.Code) != tc.Code || refusal.Field != tc.Field || refusal.Message == "" {
				t.Errorf("got %+v, want %s %q", refusal, tc.Code, tc.Field)
			}
			if tc.SchemaRefuses && schema.Validate(instance(t, []byte(tc.Body))) == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

// FuzzDecodeBatch holds against any body that it is read as its messages
// would be one by one.
func FuzzDecodeBatch(f *testing.F) {
	for _, body := range goodFrames(f, "http-post") {
		f.Add(body)
	}
	for _, tc := range badPosts(f) {
		f.Add([]byte(tc.Body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		items, refusal := protocol.DecodeBatch(body, mostPosted)
		if (refusal == nil) == (len(items) == 0) || len(items) > mostPosted {
			t.Fatalf("%d messages and refusal %v", len(items), refusal)
		}
		if refusal != nil {
			return
		}
		var alone []json.RawMessage
		if json.Unmarshal(body, &alone) != nil {
			alone = []json.RawMessage{body}
		}
		for i, it := range items {
			message, refusal := protocol.Decode(alone[i])
			event, ok := message.(protocol.Event)
			if ok != (it.Event != nil) || ok == (it.Refusal != nil) {
				t.Fatalf("message %d: %v and %v, alone %v", i, it.Event, it.Refusal, message)
			}
			if diff := cmp.Diff(event, it.Event); diff != "" {
				t.Fatal(diff)
			}
			if refusal != nil {
				if diff := cmp.Diff(refusal, it.Refusal); diff != "" {
					t.Fatal(diff)
				}
			}
		}
	})
}
