package protocol_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// maxPosted is how many messages one post may hold.
const maxPosted = 100

// badExample is a frame or a posted body that must be refused.
type badExample struct {
	Name  string
	Code  string
	Field string
	ID    string
	Item  *int   // of a post: which message is wrong; nil is the whole
	Frame string // as it is on the wire
	Body  string // of a post
}

func badExamples(t testing.TB, file string) (cases []badExample) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// goodExamples are the messages in testdata/good whose file name begins with prefix.
func goodExamples(t testing.TB, prefix string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/good/" + prefix + "-*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples %s (%v)", prefix, err)
	}
	frames := map[string][]byte{}
	for _, name := range names {
		if frames[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return frames
}

func parsed(t *testing.T, frame []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(frame, &value); err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	return value
}

// withNewFields is a JSON value with fields that no version knows yet in each of
// its objects.
func withNewFields(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{"tomorrow": map[string]any{"deep": []any{1, nil, "x"}}, "": true}
		for name, field := range value {
			out[name] = withNewFields(field)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = withNewFields(element)
		}
		return out
	}
	return value
}

// The daemon reads every good example, with fields that it does not know as without. What
// is an event is valid.
func TestGoodExamplesOfClients(t *testing.T) {
	for name, frame := range goodExamples(t, "client") {
		message, refusal := protocol.Decode(frame)
		if refusal != nil {
			t.Errorf("%s: %v", name, refusal)
			continue
		}
		if !strings.HasPrefix(name, "client-"+message.Type()) {
			t.Errorf("%s is read as %s", name, message.Type())
		}
		newer, err := json.Marshal(withNewFields(parsed(t, frame)))
		if err != nil {
			t.Fatal(err)
		}
		got, refusal := protocol.Decode(newer)
		if diff := cmp.Diff(message, got); refusal != nil || diff != "" {
			t.Errorf("%s as %s: %v\n%s", name, newer, refusal, diff)
		}
		if event, ok := message.(protocol.Event); ok && event.Validate() != nil {
			t.Errorf("%s: %v", name, event.Validate())
		}
	}
}

// The daemon writes its messages as the good examples have them.
func TestGoodExamplesOfTheDaemon(t *testing.T) {
	for name, frame := range goodExamples(t, "daemon") {
		var message protocol.Message
		switch kind := parsed(t, frame).(map[string]any)["type"]; kind {
		case "welcome":
			message = new(protocol.Welcome)
		case "paired":
			message = new(protocol.Paired)
		case "ack":
			message = new(protocol.Ack)
		case "status":
			message = new(protocol.Status)
		case "error":
			message = new(protocol.Error)
		case "pong":
			message = new(protocol.Pong)
		default:
			t.Fatalf("%s: type %v", name, kind)
		}
		if err := json.Unmarshal(frame, message); err != nil {
			t.Fatal(err)
		}
		again, err := protocol.Encode(message)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(parsed(t, frame), parsed(t, again)); diff != "" {
			t.Errorf("%s written again (-want +got):\n%s", name, diff)
		}
	}
}

// Every bad example is refused with its code, the field that is wrong, and the id.
func TestBadExamples(t *testing.T) {
	cases := badExamples(t, "bad.json")
	for _, frame := range []string{"{\"type\":\"ping\",\"x\":\"\xff\"}", "\xef\xbb\xbf{\"type\":\"ping\"}"} { // JSON cannot hold these
		cases = append(cases, badExample{Name: "not UTF-8", Code: string(protocol.BadJSON), Frame: frame})
	}
	for _, tc := range cases {
		message, refusal := protocol.Decode([]byte(tc.Frame))
		if refusal == nil {
			t.Errorf("%s: taken as %+v", tc.Name, message)
			continue
		}
		got := badExample{Name: tc.Name, Code: string(refusal.Code), Field: refusal.Field, ID: refusal.ID, Frame: tc.Frame}
		if diff := cmp.Diff(tc, got); diff != "" || refusal.Retryable {
			t.Errorf("%s: retryable %v (-want +got):\n%s", tc.Name, refusal.Retryable, diff)
		}
	}
}

// Posts: good bodies are read, in bad ones the wrong message or the whole is refused.
func TestPosts(t *testing.T) {
	for _, name := range []string{"http-post-one.json", "http-post-several.json"} {
		messages, refusal := protocol.DecodeBatch(goodExamples(t, "http")[name], maxPosted)
		if refusal != nil || len(messages) == 0 {
			t.Errorf("%s: %d messages, %v", name, len(messages), refusal)
		}
		for i, message := range messages {
			if _, ok := message.(protocol.Event); !ok {
				t.Errorf("%s: message %d: %v", name, i, message)
			}
		}
	}
	for _, tc := range badExamples(t, "bad-post.json") {
		messages, refusal := protocol.DecodeBatch([]byte(tc.Body), maxPosted)
		for i, message := range messages {
			wrong, ok := message.(*protocol.Error)
			if ok != (tc.Item != nil && i == *tc.Item) {
				t.Errorf("%s: message %d: %v", tc.Name, i, message)
			}
			if ok {
				refusal = wrong
			}
		}
		if refusal == nil || string(refusal.Code) != tc.Code || refusal.Field != tc.Field {
			t.Errorf("%s: got %+v, want %s %q", tc.Name, refusal, tc.Code, tc.Field)
		}
	}
}

// Each side's message types have an example, and no example is of another type.
func TestEveryMessageHasAnExample(t *testing.T) {
	for side, want := range map[string][]string{
		"client": {"auth", "hello", "list", "pair", "ping", "playing", "status", "viewing", "watchlist"},
		"daemon": {"ack", "error", "paired", "pong", "status", "welcome"},
	} {
		seen := map[string]bool{}
		for _, frame := range goodExamples(t, side) {
			seen[parsed(t, frame).(map[string]any)["type"].(string)] = true
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(seen))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", side, diff)
		}
	}
}

// The examples in README.md are messages.
func TestReadmeExamples(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```|-d '(.*?)'\n```").FindAllSubmatch(page, -1)
	if len(examples) != 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		if _, refusal := protocol.Decode(slices.Concat(example[1:]...)); refusal != nil {
			t.Errorf("%s: %v", example[0], refusal)
		}
	}
}

func TestViewingAsTheQueueSeesIt(t *testing.T) {
	got, refusal := protocol.Decode(goodExamples(t, "client")["client-viewing-movie.json"])
	if refusal != nil {
		t.Fatal(refusal)
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
	if diff := cmp.Diff(protocol.Event{ID: want.EventID, Event: want}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An address is kept without user, query and fragment, and only that of a page of the web.
func TestAddressesOfPages(t *testing.T) {
	for address, want := range map[string]string{
		"https://me:pw@films.example:8443/a%2Fb?token=secret#t=1": "https://films.example:8443/a%2Fb",
		"http://films.example": "http://films.example",
		"":                     "",
		"javascript:alert(1)":  "",
		"file:///home/me/x":    "",
		"https:///x":           "",
		"https://%":            "",
	} {
		frame, err := json.Marshal(map[string]any{
			"type": "viewing", "id": "5f0c6b1e-7d0a-4a57-9a64-0c0f5b3f9d11", "media": map[string]any{"type": "movie"},
			"watchedAt": "2026-03-01T20:15:00Z", "source": map[string]any{"url": address},
		})
		if err != nil {
			t.Fatal(err)
		}
		message, refusal := protocol.Decode(frame)
		if event, ok := message.(protocol.Event); !ok || event.Origin.URL != want {
			t.Errorf("%s: %+v, %v", address, message, refusal)
		}
	}
}

// FuzzDecode: no frame makes the reader panic. It gives either a message, valid if it is an
// event, or a refusal that can be sent; and a body is read as its messages are one by one.
func FuzzDecode(f *testing.F) {
	for _, frame := range goodExamples(f, "client") {
		f.Add(frame)
	}
	for _, body := range goodExamples(f, "http-post") {
		f.Add(body)
	}
	for _, tc := range slices.Concat(badExamples(f, "bad.json"), badExamples(f, "bad-post.json")) {
		f.Add([]byte(tc.Frame + tc.Body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		message, refusal := protocol.Decode(text)
		if (message == nil) == (refusal == nil) {
			t.Fatalf("refusal %+v beside message %v", refusal, message)
		}
		if refusal != nil {
			if _, err := protocol.Encode(refusal); err != nil {
				t.Fatal(err, refusal)
			}
		}
		messages, whole := protocol.DecodeBatch(text, maxPosted)
		if (whole == nil) == (len(messages) == 0) || len(messages) > maxPosted {
			t.Fatalf("%d messages and refusal %v", len(messages), whole)
		}
		var frames []json.RawMessage
		if json.Unmarshal(text, &frames) != nil || len(frames) == 0 {
			frames = []json.RawMessage{text}
		}
		for i, got := range messages {
			alone, refusal := protocol.Decode(frames[i])
			event, ok := alone.(protocol.Event)
			if ok {
				if diff := cmp.Diff(protocol.Message(event), got); diff != "" || event.Validate() != nil {
					t.Fatal(diff, event.Validate())
				}
			} else if wrong, ok := got.(*protocol.Error); !ok || refusal != nil && *wrong != *refusal {
				t.Fatalf("message %d: %v, alone %v", i, got, refusal)
			}
		}
	})
}
