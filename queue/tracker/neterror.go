package tracker

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/filmspool/filmspool/queue/viewing"
)

// failedVerdict returns the verdict on a request without a response. Problems that need the user have a hint.
func (x exchange) failedVerdict() Verdict {
	why := failureReason(x.err)
	if x.sent {
		return Verdict{Outcome: InDoubt, Hint: hintDoubt, Problem: viewing.Say("noAnswer").Because(why)}
	}
	v := Verdict{Outcome: Offline, Problem: viewing.Say("unreachable").Because(why)}
	switch why.Code {
	case "untrusted", "noTLS", "proxyRefuses", "onlyHTTPS":
		v.Hint = hintRetry
	}
	return v
}

// failureReason returns the message for a transport error.
func failureReason(err error) viewing.Message {
	message, isMessage := errors.AsType[viewing.Message](err)
	name, unknownHost := errors.AsType[*net.DNSError](err)
	cert, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	network, onNetwork := errors.AsType[*net.OpError](err)
	timed, canTime := errors.AsType[net.Error](err)
	switch {
	case isMessage:
		return message
	case unknownHost:
		return viewing.Say("noName", "name", name.Name)
	case untrusted:
		return viewing.Say("untrusted", "detail", strings.ReplaceAll(cert.Err.Error(), "x509: ", ""))
	case noTLS:
		return viewing.Say("noTLS")
	case canTime && timed.Timeout():
		return viewing.Say("timeUp")
	case errors.Is(err, context.Canceled):
		return viewing.Say("calledOff")
	case onNetwork && network.Op == "proxyconnect":
		return viewing.Say("proxySilent", "detail", lastPart(network.Err))
	case errors.Is(err, syscall.ECONNREFUSED):
		return viewing.Say("nothingListens")
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return viewing.Say("noWay")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return viewing.Say("closed")
	default:
		return viewing.Say("said", "detail", lastPart(err))
	}
}

// lastPart returns the innermost part of an error text, without the wrapping prefixes.
func lastPart(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return parts[len(parts)-1]
}
