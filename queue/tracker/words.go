package tracker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Commands that a verdict can name.
const (
	hintLogin    = "filmspool login"
	hintAddress  = "filmspool login --base-url URL"
	hintAsk      = "filmspool queue retry --all"
	hintRejected = "filmspool queue list --state rejected"
	hintDoubt    = "filmspool queue list --state in_doubt"
)

// maxRetryAfter bounds a Retry-After: whatever a service says, it is asked
// again after a day.
const maxRetryAfter = 24 * time.Hour

// unanswered is the verdict on a request without an answer.
func unanswered(s seen) Verdict {
	why := reason(s.err)
	if s.left {
		return Verdict{
			Fate: InDoubt, Sent: true, Hint: hintDoubt,
			Problem: "The request left, but no answer came: " + why + ". The service may have recorded it.",
		}
	}
	v := Verdict{Fate: Offline, Problem: "The service cannot be reached: " + why + "."}
	if setup(s.err) {
		v.Hint = hintAsk
	}
	return v
}

// setup reports whether err is more likely to need a person than patience.
func setup(err error) bool {
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var refusal *proxyRefusal
	return errors.As(err, &cert) || errors.As(err, &record) || errors.As(err, &refusal) ||
		errors.Is(err, errProxyAddress) || errors.Is(err, errNotLoopback)
}

// reason says in words why there is no answer. It never decides anything.
func reason(err error) string {
	var name *net.DNSError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var network *net.OpError
	switch {
	case errors.As(err, &name):
		return "the name " + name.Name + " cannot be looked up"
	case errors.As(err, &cert):
		return "its certificate is not trusted (" + strings.ReplaceAll(cert.Err.Error(), "x509: ", "") + ")"
	case errors.As(err, &record):
		return "it does not speak TLS"
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "the time was up"
	case errors.Is(err, context.Canceled):
		return "the request was called off"
	case errors.As(err, &network) && network.Op == "proxyconnect":
		return "the proxy does not answer (" + inWords(network.Err) + ")"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its address"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "there is no way to it; is this machine online?"
	case errors.Is(err, syscall.ECONNRESET):
		return "the connection was cut"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed"
	default:
		return inWords(err)
	}
}

// inWords is what the system or the other side said, without the names of the
// calls and packages that stand before it.
func inWords(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}

// answered begins a sentence about an answer that came.
func (s seen) answered(how string) string {
	return fmt.Sprintf("The service answered %d %s.", s.status, how)
}

func (s seen) rejected(a answer) Verdict {
	words := a.message
	if words == "" {
		words = strings.TrimSpace(a.code + " " + strconv.Itoa(s.status))
	}
	return Verdict{Fate: Rejected, Problem: "The service refuses this entry: " + words, Hint: hintRejected}
}

func (s seen) refused(a answer) Verdict {
	v := Verdict{Fate: Refused, Hint: hintLogin}
	forbidden := a.code == codeForbidden || a.code != codeUnauthorized && s.status == http.StatusForbidden
	switch {
	case !a.own():
		v.Problem = fmt.Sprintf("Something between here and the service refuses access (%d, without the service's own words).", s.status)
		v.Hint = hintAsk
	case forbidden:
		v.Problem = KeyReadOnly
	default:
		v.Problem = KeyRefused
	}
	return v
}

func (s seen) later() Verdict {
	wait, ok := s.retryAfter()
	if !ok {
		return Verdict{Fate: Later, Problem: s.answered("and asks to try again later")}
	}
	return Verdict{Fate: Later, RetryAfter: wait, Problem: s.answered("and asks to wait " + wait.String())}
}

func (s seen) doubt(how string) Verdict {
	return Verdict{
		Fate: InDoubt, Hint: hintDoubt,
		Problem: fmt.Sprintf("The service answered %d: %s. It may have recorded the entry.", s.status, how),
	}
}

// elsewhere is the verdict on an answer that is not the service's. Of a
// proven address it is a passing trouble on the way.
func (s seen) elsewhere() Verdict {
	if s.proven {
		return Verdict{Fate: Offline, Problem: s.answered("in a form that is not its own; something on the way may be down")}
	}
	return Verdict{
		Fate: Unproven, Hint: hintAddress,
		Problem: fmt.Sprintf("What answers there (%d) has not shown that it is the service: is the address right?", s.status),
	}
}

// retryAfter reads Retry-After: seconds, or a date by the clock of whoever
// sent it.
func (s seen) retryAfter() (time.Duration, bool) {
	text := strings.TrimSpace(s.header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int64(maxRetryAfter/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now := s.now
	if date, err := http.ParseTime(s.header.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}
