package tracker

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

// What the network says, as the standard library wraps it, is said in plain words.
func TestWhyThereIsNoAnswer(t *testing.T) {
	call := func(op string, name string, err error) error {
		return &url.Error{Op: "Post", URL: "https://tracker.example", Err: &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(name, err)}}
	}
	for says, err := range map[string]error{
		"nothing listens at its address":                 call("dial", "connect", syscall.ECONNREFUSED),
		"there is no way to it; is this machine online?": call("dial", "connect", syscall.EHOSTUNREACH),
		"the connection was closed":                      call("read", "read", syscall.ECONNRESET),
		"the time was up":                                call("dial", "connect", syscall.ETIMEDOUT),
		"the name tracker.example cannot be looked up":   &net.DNSError{Err: "no such host", Name: "tracker.example"},
		"it does not speak TLS":                          tls.RecordHeaderError{},
		"its certificate is not trusted":                 &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
	} {
		if got := reason(err); !strings.HasPrefix(got, says) {
			t.Errorf("%v: %q, want %q", err, got, says)
		}
	}
}
