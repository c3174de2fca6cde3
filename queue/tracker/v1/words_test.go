package v1

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/filmspool/filmspool/queue/tracker"
)

// programmers finds the names of calls and packages in a text for a person.
func programmers(text string) string {
	return regexp.MustCompile(`\b(?:connect|connectex|dial|read|write|tcp|lookup|remote error|net/http|http2?|tls|x509|url|context|syscall)\b:? ?\w*:|i/o|\bEOF\b|0x`).
		FindString(strings.ReplaceAll(text, "The service cannot be reached:", ""))
}

// TestWhyThereIsNoAnswerIsSaidInPlainWords goes through what the network can
// say, as the standard library wraps it.
func TestWhyThereIsNoAnswerIsSaidInPlainWords(t *testing.T) {
	call := func(op string, name string, err error) error {
		return &url.Error{Op: "Post", URL: "https://tracker.example", Err: &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(name, err)}}
	}
	for says, err := range map[string]error{
		"nothing listens at its address":                        call("dial", "connect", syscall.ECONNREFUSED),
		"there is no way to it; is this machine online?":        call("dial", "connect", syscall.EHOSTUNREACH),
		"the connection was cut":                                call("read", "read", syscall.ECONNRESET),
		"the time was up":                                       call("dial", "connect", syscall.ETIMEDOUT),
		"permission denied":                                     call("dial", "connect", syscall.EACCES),
		"broken pipe":                                           call("write", "write", syscall.EPIPE),
		"no connection could be made":                           call("dial", "connectex", errors.New("no connection could be made")),
		"the proxy does not answer (connection refused)":        call("proxyconnect", "connect", syscall.ECONNREFUSED),
		"handshake failure":                                     &net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")},
		"malformed HTTP response":                               fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", errors.New("malformed HTTP response")),
		"the name tracker.example cannot be looked up":          &net.DNSError{Err: "no such host", Name: "tracker.example"},
		"the connection was closed":                             &url.Error{Op: "Post", Err: io.ErrUnexpectedEOF},
		"the request was called off":                            context.Canceled,
		"it does not speak TLS":                                 tls.RecordHeaderError{},
		"its certificate is not trusted (certificate signed by": &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
	} {
		if got := reason(err); !strings.HasPrefix(got, says) || programmers(got) != "" {
			t.Errorf("%v: %q, want %q; jargon %q", err, got, says, programmers(got))
		}
	}
	if got := reason(os.ErrDeadlineExceeded); got != "the time was up" {
		t.Errorf("a deadline: %q", got)
	}
}

// TestSentencesOfRealTroubleAreInPlainWords asks what really refuses.
func TestSentencesOfRealTroubleAreInPlainWords(t *testing.T) {
	secret := httptest.NewUnstartedServer(http.NotFoundHandler())
	secret.Config.ErrorLog = quiet()
	secret.StartTLS()
	defer secret.Close()
	open := httptest.NewServer(http.NotFoundHandler())
	defer open.Close()
	for name, base := range map[string]string{
		"nobody listens":            "http://" + nobodyListens,
		"nobody listens, with TLS":  "https://" + nobodyListens,
		"signed by nobody":          secret.URL,
		"no TLS where it is wanted": strings.Replace(open.URL, "http", "https", 1),
		"a name that is none":       "https://tracker.invalid",
	} {
		c := newTestClient(t, Options{BaseURL: base + "/api/v1"}, nil)
		c.transport.Proxy = nil
		v := c.Send(t.Context(), requests()[tracker.History])
		if v.Fate != tracker.Offline || programmers(v.Problem) != "" {
			t.Errorf("%s: %+v; jargon %q", name, v, programmers(v.Problem))
		}
	}
}
