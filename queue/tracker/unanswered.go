package tracker

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// Commands that a verdict can name.
const (
	hintLogin    = "filmspool login"
	hintAddress  = "filmspool login --base-url URL"
	hintAsk      = "filmspool queue retry --all"
	hintRejected = "filmspool queue list --state rejected"
	hintDoubt    = "filmspool queue list --state in_doubt"
)

// unanswered is the verdict on a request without an answer. Trouble that needs a person has a hint.
func (x exchange) unanswered() Verdict {
	why := reason(x.err)
	if x.sent {
		return Verdict{
			Fate: InDoubt, Sent: true, Hint: hintDoubt,
			Problem: "The request left, but no answer came: " + why + ". The service may have recorded it.",
		}
	}
	v := Verdict{Fate: Offline, Problem: "The service cannot be reached: " + why + "."}
	_, cert := errors.AsType[*tls.CertificateVerificationError](x.err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](x.err)
	_, refusal := errors.AsType[*proxyRefusal](x.err)
	if cert || noTLS || refusal || errors.Is(x.err, errProxyAddress) || errors.Is(x.err, errNotLoopback) {
		v.Hint = hintAsk
	}
	return v
}

// reason says in words why there is no answer. It never decides anything.
func reason(err error) string {
	name, unknown := errors.AsType[*net.DNSError](err)
	cert, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	network, onNetwork := errors.AsType[*net.OpError](err)
	switch {
	case unknown:
		return "the name " + name.Name + " cannot be looked up"
	case untrusted:
		return "its certificate is not trusted (" + strings.ReplaceAll(cert.Err.Error(), "x509: ", "") + ")"
	case noTLS:
		return "it does not speak TLS"
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "the time was up"
	case errors.Is(err, context.Canceled):
		return "the request was called off"
	case onNetwork && network.Op == "proxyconnect":
		return "the proxy does not answer (" + lastWords(network.Err) + ")"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its address"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "there is no way to it; is this machine online?"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "the connection was closed"
	default:
		return lastWords(err)
	}
}

// lastWords returns the end of an error, without the names of calls and packages before it.
func lastWords(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}
