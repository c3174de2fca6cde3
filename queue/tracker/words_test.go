package tracker

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"
)

// TestWhyThereIsNoAnswer wraps errors as the standard library does.
func TestWhyThereIsNoAnswer(t *testing.T) {
	call := func(op string, name string, err error) error {
		return &url.Error{Op: "Post", URL: "https://tracker.example", Err: &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(name, err)}}
	}
	for code, err := range map[string]error{
		"nothingListens": call("dial", "connect", syscall.ECONNREFUSED),
		"noWay":          call("dial", "connect", syscall.EHOSTUNREACH),
		"closed":         call("read", "read", syscall.ECONNRESET),
		"timeUp":         call("dial", "connect", syscall.ETIMEDOUT),
		"noName":         &net.DNSError{Err: "no such host", Name: "tracker.example"},
		"noTLS":          tls.RecordHeaderError{},
		"untrusted":      &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
	} {
		if got := reason(err); got.Code != code {
			t.Errorf("%v: %q, want %q", err, got, code)
		}
	}
}
