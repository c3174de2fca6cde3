package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Every response has a verdict, and is delivered only with this operation's object.
func FuzzClassify(f *testing.F) {
	for _, r := range outcomeTable() {
		op := r.op
		if op == "" {
			op = History
		}
		f.Add(string(op), r.status, []byte(r.body), strings.TrimPrefix(r.header, "Retry-After: "), r.broken, r.resend)
	}
	f.Fuzz(func(t *testing.T, op string, status int, body []byte, retryAfter string, broken, resend bool) {
		s := exchange{op: Operation(op), status: status, body: body, header: http.Header{"Retry-After": {retryAfter}}, broken: broken, sent: true, resend: resend}
		for _, s.proven = range []bool{false, true} {
			v := classify(s)
			switch v.Outcome {
			case Offline, Rejected, Refused, Later, Unproven, InDoubt:
			case Delivered:
				checkDelivered(t, s, v)
			case Unsupported:
				if s.op != ListItems || !s.proven {
					t.Errorf("unsupported: %+v", v)
				}
			default:
				t.Errorf("no outcome: %+v", v)
			}
			if (v.Problem.Code == "") != (v.Outcome == Delivered) || v.RetryAfter < 0 || v.RetryAfter > maxRetryAfter {
				t.Errorf("%+v", v)
			}
		}
	})
}

// checkDelivered checks the body of a delivered response without the code under test.
func checkDelivered(t *testing.T, s exchange, v Verdict) {
	t.Helper()
	var o map[string]any
	if json.Unmarshal(bytes.TrimPrefix(bytes.TrimSpace(s.body), []byte("\ufeff")), &o) != nil || o == nil {
		if json.Unmarshal(bytes.TrimSpace(bytes.TrimPrefix(s.body, []byte("\ufeff"))), &o) != nil || o == nil {
			t.Fatalf("delivered without an object: %q", s.body)
		}
	}
	if (s.op == Watchlist || s.op == ListItems) && s.status == http.StatusConflict {
		return
	}
	if s.status < 200 || s.status > 299 || o["success"] == false {
		t.Errorf("delivered by %d %q", s.status, s.body)
	}
	if text, _ := o["error"].(string); text != "" {
		t.Errorf("delivered with an error: %q", s.body)
	}
	if s.op == Lists && v.ListID == "" {
		t.Errorf("a list without id: %q", s.body)
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("plain words", "sk_secret")
	f.Add("the key sk_secret\x1b[31m is\nunknown \xff", "sk_secret")
	f.Add(strings.Repeat("ä", 400)+"sk_x", "sk_x")
	f.Fuzz(func(t *testing.T, words, secret string) {
		if checkKeyForm(secret) != nil {
			return
		}
		got := sanitize(words, secret)
		if strings.Contains(got, secret) && !strings.Contains("[key]", secret) {
			t.Errorf("%q shows the secret %q", got, secret)
		}
		odd := strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) })
		if odd || !utf8.ValidString(got) || utf8.RuneCountInString(got) > maxMessageLength+1 {
			t.Errorf("untidy: %q", got)
		}
	})
}

// The key is not in anything that a caller could show.
func TestNoVerdictOrErrorContainsTheKey(t *testing.T) {
	echo := map[string]string{
		"message": `{"error":"UNAUTHORIZED","message":"unknown key ` + testKey + `"}`,
		"code":    `{"error":"` + testKey + `","message":"?"}`,
		"escaped": `{"error":"UNAUTHORIZED","message":"key \u0073\u006b` + testKey[2:] + `"}`,
		"list id": `{"id":"` + testKey + `"}`,
		"user":    `{"user":{"id":"` + testKey + `","name":"` + testKey + `"}}`,
		"page":    "<html>" + testKey,
	}
	for name, body := range echo {
		for _, status := range []string{"200 OK", "401 Unauthorized", "422 No", "500 " + testKey} {
			s := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { respond(w, status, "Location: /?key="+testKey, body) })
			c := newTestClient(t, Options{BaseURL: s.url()}, nil)
			all := fmt.Sprintf("%+v", c.CheckKey(context.Background()))
			for _, r := range requests() {
				all += fmt.Sprintf("%+v", c.Send(context.Background(), r))
			}
			if strings.Contains(all, testKey) {
				t.Errorf("%s with %s: %s", name, status, all)
			}
		}
	}
	// The transport's error repeats a response that is not HTTP.
	s := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { io.WriteString(w, testKey+"\r\n\r\n"); w.Close() })
	v := newTestClient(t, Options{BaseURL: s.url()}, nil).Send(context.Background(), requests()[History])
	if v.Outcome != InDoubt || strings.Contains(fmt.Sprintf("%+v", v), testKey) {
		t.Errorf("%+v", v)
	}
}

// The verdict depends on how the connection ends the response.
func TestEndOfResponseOnTheWire(t *testing.T) {
	tests := map[string]struct {
		raw  string
		want Outcome
	}{
		"length, complete":             {"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n" + okBody, Delivered},
		"no length, complete":          {"HTTP/1.1 200 OK\r\n\r\n" + okBody, Delivered},
		"no length, truncated":         {"HTTP/1.1 200 OK\r\n\r\n" + okBody[:6], InDoubt},
		"no length, empty":             {"HTTP/1.1 200 OK\r\n\r\n", InDoubt},
		"length, truncated":            {"HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n" + okBody[:6], InDoubt},
		"chunked, truncated":           {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n" + okBody[:6] + "\r\n", InDoubt},
		"length 0":                     {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Unproven},
		"truncated headers":            {"HTTP/1.1 200 OK\r\nContent-Le", InDoubt},
		"no HTTP":                      {"SSH-2.0-OpenSSH\r\n", InDoubt},
		"gzip without being requested": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 16\r\n\r\n" + okBody, InDoubt},
		"hints first":                  {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n" + okBody, Delivered},
		"101":                          {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n", Unproven},
		"headers without end":          {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<18), InDoubt},
		"408 and close":                {"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", InDoubt},
		"503 with Retry-After":         {"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n", Later},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newRawServer(t, func(_ int, w net.Conn, _ *http.Request) { io.WriteString(w, tt.raw); w.Close() })
			c := newTestClient(t, Options{BaseURL: s.url()}, nil)
			if v := c.Send(context.Background(), requests()[History]); v.Outcome != tt.want {
				t.Errorf("got %+v, want %s", v, tt.want)
			}
			if n, _ := s.counts(); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}
