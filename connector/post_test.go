package connector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmspool/filmspool/connector"
	"github.com/filmspool/filmspool/queue/viewing"
)

// add makes a program.
func (r *rig) add(name string) (id, token string) {
	r.t.Helper()
	c, token, err := r.registry.Add(context.Background(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return c.ID, token
}

// request is a post as a careful program would make it.
func (r *rig) request(token string, body io.Reader) *http.Request {
	request, err := http.NewRequest(http.MethodPost, "http://"+r.address+"/v1/viewings", body)
	if err != nil {
		panic(err) // only if the address were none; a fuzz target may not use r.t
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	return request
}

// posted is the answer to a post.
type posted struct {
	status  int
	header  http.Header
	Answers []struct{ Type, ID, Status, Code, Field string }
	Error   string
	Result  string
}

// do makes a request on a connection of its own.
func (r *rig) do(request *http.Request) (posted, error) {
	transport := &http.Transport{DialContext: r.dialer}
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return posted{}, err
	}
	defer answer.Body.Close()
	got := posted{status: answer.StatusCode, header: answer.Header}
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil {
		return got, fmt.Errorf("status %d: %w", answer.StatusCode, err)
	}
	if kind := answer.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return got, fmt.Errorf("content type %q", kind)
	}
	return got, nil
}

// post posts a text and wants an answer.
func (r *rig) post(token, body string) posted {
	r.t.Helper()
	got, err := r.do(r.request(token, strings.NewReader(body)))
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// rejected holds got against what is said of a post of which nothing is kept.
func (r *rig) wantStatus(got posted, status int, code string) {
	r.t.Helper()
	if got.status != status || got.Error != code || got.Answers != nil {
		r.t.Errorf("got %d %s %v, want %d %s", got.status, got.Error, got.Answers, status, code)
	}
}

// arrayOf is a body of n films from the one given.
func arrayOf(t testing.TB, from, n int) string {
	t.Helper()
	list := make([]string, n)
	for i := range list {
		list[i] = frameOf(t, film(from+i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func TestPostAnswersInOrderEachWithItsOwn(t *testing.T) {
	r := start(t, nil)
	id, token := r.add("p")
	body := "[" + strings.Join([]string{
		frameOf(t, film(0)),
		`{"type":"viewing","id":"` + uuid(1) + `","media":{"type":"movie"},"watchedAt":"yesterday"}`,
		`{"type":"hello","v":1,"client":{"name":"x","version":"1"}}`,
		`{"type":"history","id":"h"}`,
		`7`,
		frameOf(t, film(5)),
	}, ",") + "]"
	got := r.post(token, body)
	var said []string
	for _, a := range got.Answers {
		said = append(said, strings.Join([]string{a.Type, a.ID, a.Status + a.Code, a.Field}, " "))
	}
	want := []string{
		"ack " + uuid(0) + " queued ", "error " + uuid(1) + " BAD_MESSAGE watchedAt", "error  UNKNOWN_TYPE ",
		"error h UNKNOWN_TYPE ", "error  BAD_MESSAGE ", "ack " + uuid(5) + " queued ",
	}
	if diff := cmp.Diff(want, said); diff != "" || got.status != http.StatusMultiStatus {
		t.Errorf("status %d (-want +got):\n%s", got.status, diff)
	}
	if len(r.sink.batches) != 1 || len(r.sink.kept()) != 2 || r.sink.batches[0].Source != "program:"+id {
		t.Errorf("kept %+v", r.sink.batches)
	}
	if got := r.post(token, `{"type":"ping"}`); got.status != http.StatusUnprocessableEntity || got.Answers[0].Code != "UNKNOWN_TYPE" {
		t.Errorf("a ping: %+v", got)
	}
}

// Posts and hooks are answered once it is on disk. The same again is the same viewing.
func TestPostIsAnsweredOnlyAfterTheCommit(t *testing.T) {
	for name, send := range map[string]func(r *rig, token string) posted{
		"post": func(r *rig, token string) posted { return r.post(token, frameOf(r.t, film(0))) },
		"hook": func(r *rig, token string) posted { return r.call("plex/"+token, scrobble("A")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gated := gatedSink()
				r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
				_, token := r.add("p")
				answered := make(chan posted, 1)
				go func() { answered <- send(r, token) }()
				<-gated.entered
				<-time.After(time.Minute) // a slow disk is no slow client
				select {
				case got := <-answered:
					t.Errorf("answered before the commit: %+v", got)
				default:
				}
				close(gated.gate)
				if got := <-answered; got.status != 200 {
					t.Errorf("got %+v", got)
				}
				if got := send(r, token); got.status != 200 || len(gated.kept()) != 1 {
					t.Errorf("again: %+v, %v", got, gated.kept())
				}
			})
		})
	}
}

func TestPostsThatAreRefusedWhole(t *testing.T) {
	r := start(t, nil)
	_, token := r.add("p")
	_, browserToken := r.pair(chromium)
	good := frameOf(t, film(0))
	set := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	tests := []struct {
		name, body string
		change     func(*http.Request)
		status     int
		code       string
	}{
		{"an extension's page", good, set("Origin", chromium), 403, "BROWSER_REFUSED"},
		{"a link's target", good, set("Referer", "http://127.0.0.1/"), 403, "BROWSER_REFUSED"},
		{"a fetch without origin", good, set("Sec-Fetch-Site", "none"), 403, "BROWSER_REFUSED"},
		{"a form", good, set("Content-Type", "application/x-www-form-urlencoded"), 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no type", good, func(q *http.Request) { q.Header.Del("Content-Type") }, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no token", good, func(q *http.Request) { q.Header.Del("Authorization") }, 401, "TOKEN_REQUIRED"},
		{"wrong token", good, set("Authorization", "Bearer "+token+"x"), 401, "TOKEN_REQUIRED"},
		{"token in the address", good, func(q *http.Request) { q.Header.Del("Authorization"); q.URL.RawQuery = "token=" + token }, 401, "TOKEN_REQUIRED"},
		{"a browser's token", good, set("Authorization", "Bearer "+browserToken), 401, "TOKEN_REQUIRED"},
		{"nothing", "", nil, 400, "BAD_JSON"},
		{"an empty array", "[]", nil, 400, "BAD_MESSAGE"},
		{"101 messages", arrayOf(t, 0, 101), nil, 400, "TOO_LARGE"},
		{"too many bytes", strings.Repeat(" ", 256<<10+1), nil, 413, "TOO_LARGE"},
		{"too many bytes without a length", strings.Repeat(" ", 256<<10+1), func(q *http.Request) { q.ContentLength = -1 }, 413, "TOO_LARGE"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			request := r.request(token, strings.NewReader(tc.body))
			if tc.change != nil {
				tc.change(request)
			}
			got, err := r.do(request)
			if err != nil {
				t.Fatal(err)
			}
			r.wantStatus(got, tc.status, tc.code)
			if scheme := got.header.Get("WWW-Authenticate"); (scheme == "Bearer") != (tc.status == 401) {
				t.Errorf("WWW-Authenticate is %q", scheme)
			}
			if got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("header %v", got.header)
			}
			if got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Access-Control-Allow-Headers") != "" {
				t.Errorf("a page may read this: %v", got.header)
			}
		})
	}
	if kept := r.sink.kept(); len(kept) != 0 {
		t.Errorf("kept %v", kept)
	}
	for _, kind := range []string{"application/json", "Application/JSON; charset=UTF-8"} {
		request := r.request(token, strings.NewReader(arrayOf(t, 0, 100)))
		request.Header.Set("Content-Type", kind)
		if got, err := r.do(request); err != nil || got.status != 200 || len(got.Answers) != 100 {
			t.Errorf("100 messages as %s: %d, %v", kind, got.status, err)
		}
	}
}

func TestPostOutcomes(t *testing.T) {
	fail := func(err error) func(viewing.Batch) ([]viewing.Outcome, error) {
		return func(viewing.Batch) ([]viewing.Outcome, error) { return nil, err }
	}
	for _, tc := range []struct {
		name   string
		answer func(viewing.Batch) ([]viewing.Outcome, error)
		status int
		said   string
	}{
		{"duplicates", func(b viewing.Batch) ([]viewing.Outcome, error) { return outcomes(b, viewing.StatusDuplicate), nil }, 200, "duplicate"},
		{"conflicts", func(b viewing.Batch) ([]viewing.Outcome, error) { return outcomes(b, viewing.StatusConflict), nil }, 422, "CONFLICT"},
		{"no storage", fail(errors.New("disk full at /secret")), 503, "STORAGE"},
		{"a fault of the sink's", func(viewing.Batch) ([]viewing.Outcome, error) { return []viewing.Outcome{}, nil }, 503, "INTERNAL"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := start(t, func(o *connector.Options) { o.Sink = &sink{answer: tc.answer} })
			_, token := r.add("p")
			got := r.post(token, arrayOf(t, 0, 3))
			if got.status != tc.status || len(got.Answers) != 3 || got.Answers[2].Status+got.Answers[2].Code != tc.said {
				t.Errorf("got %+v", got)
			}
			if later := got.header.Get("Retry-After"); (later == "5") != (tc.status == 503) {
				t.Errorf("Retry-After %q: %v", later, got.Answers)
			}
		})
	}
}

// Posts are taken at the program's rate, and four at once.
func TestPostRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gated := gatedSink()
		r := startInBubble(t, func(o *connector.Options) { o.Sink = gated })
		_, token := r.add("p")
		_, other := r.add("q")
		var under sync.WaitGroup
		for n := range 4 {
			under.Go(func() {
				if got := r.post(token, arrayOf(t, n, 1)); got.status != 200 {
					t.Errorf("got %+v", got)
				}
			})
			<-gated.entered
		}
		got := r.post(token, arrayOf(t, 7, 1))
		r.wantStatus(got, 429, "RATE_LIMITED")
		if got.header.Get("Retry-After") != "5" {
			t.Errorf("headers %v", got.header)
		}
		close(gated.gate)
		under.Wait()
		began := time.Now()
		for n := range 15 {
			if got := r.post(token, arrayOf(t, 100*n, 100)); got.status != 200 {
				t.Errorf("got %+v", got)
			}
			<-gated.entered
		}
		if took := time.Since(began); took < time.Second || took > 1100*time.Millisecond {
			t.Errorf("1,500 messages took %v", took)
		}
		if r.post(other, arrayOf(t, 7, 7)); time.Since(began) > 1100*time.Millisecond {
			t.Error("another program waited")
		}
	})
}

// A program that sends its body too slowly, or while the daemon stops, gets an error, and
// nothing is kept.
func TestPostsThatAreTooLate(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		after      time.Duration
		then       func(r *rig, id string)
		next       int
	}{
		{"a slow body", "408 ", 10 * time.Second, func(*rig, string) {}, 200},
		{"a stop", "408 ", 2 * time.Second, func(r *rig, _ string) { r.stop() }, 429},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := startInBubble(t, nil)
				id, token := r.add("p")
				conn, err := r.dialer(t.Context(), "tcp", r.address)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				began := time.Now()
				fmt.Fprintf(conn, "POST /v1/viewings HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n[", r.address, token)
				var sender sync.WaitGroup
				sender.Go(func() {
					for {
						<-time.After(time.Second)
						if _, err := conn.Write([]byte(" ")); err != nil {
							return
						}
					}
				})
				sender.Go(func() {
					<-time.After(2 * time.Second)
					tc.then(r, id)
				})
				text, _ := io.ReadAll(conn)
				sender.Wait()
				if took := time.Since(began); took > tc.after+time.Second || !strings.HasPrefix(string(text), "HTTP/1.1 "+tc.want) {
					t.Errorf("after %v: %s", took, text)
				}
				if got := r.post(token, frameOf(t, film(1))); got.status != tc.next {
					t.Errorf("the next post: %+v", got)
				}
				if kept := r.sink.kept(); len(kept) > 1 || len(kept) == 1 && tc.next != 200 {
					t.Errorf("kept %v", kept)
				}
			})
		})
	}
}

// A program that is revoked while its body comes has posted nothing.
func TestPostOfARevokedProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startInBubble(t, nil)
		id, token := r.add("p")
		body, rest := io.Pipe()
		var sender sync.WaitGroup
		sender.Go(func() {
			_, _ = io.WriteString(rest, "[")
			synctest.Wait() // the body is being read
			if err := r.registry.Revoke(context.Background(), id); err != nil {
				t.Error(err)
			}
			_, _ = io.WriteString(rest, frameOf(t, film(1))+"]")
			_ = rest.Close()
		})
		got, err := r.do(r.request(token, body))
		if err != nil {
			t.Fatal(err)
		}
		sender.Wait()
		r.wantStatus(got, 401, "TOKEN_REQUIRED")
		if kept := r.sink.kept(); len(kept) != 0 {
			t.Errorf("kept %v", kept)
		}
	})
}
