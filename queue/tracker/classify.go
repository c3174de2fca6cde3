package tracker

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxRetryAfter is the longest Retry-After that is respected.
const maxRetryAfter = 24 * time.Hour

// exchange is one HTTP request and its response: everything that the verdict depends on.
type exchange struct {
	op     Operation
	resend bool // an earlier request with the same Idempotency-Key may have arrived
	proven bool // the address was proven before this response
	sent   bool // bytes of the request may have been sent
	err    error
	status int
	header http.Header
	body   []byte
	broken bool // the end of the body was not received
	now    time.Time
}

// classify returns the verdict on an exchange, by the table of the package comment.
func classify(x exchange) Verdict {
	if x.err != nil {
		return x.failedVerdict()
	}
	a := parseBody(x.body, x.broken)
	proves := x.provesService(a)
	x.proven = x.proven || proves
	v := x.verdict(a)
	v.Status, v.ProvesAddress, v.Code, v.Message = x.status, proves, a.code, a.message
	return v
}

// provesService reports whether the response has the success or the error object of this API, and so proves the
// address. An error object with 404 or 405 proves nothing: many other servers return one for an unknown path.
func (x exchange) provesService(a responseBody) bool {
	isError := a.code != "" && (!x.isPathMissing() || a.hasContractCode())
	return isError || x.is2xx() && (x.isExpectedObject(a) || a.isObject && a.success != nil)
}

// isExpectedObject reports whether a is the success object of this operation.
func (x exchange) isExpectedObject(a responseBody) bool {
	if !a.isObject || a.contradictory || a.code != "" || a.failed() {
		return false
	}
	switch x.op {
	case Lists:
		return a.listID != ""
	case me:
		return a.succeeded() || a.user != User{}
	default:
		return true
	}
}

// isPathMissing reports whether the status says that the path or method does not exist.
func (x exchange) isPathMissing() bool {
	return x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed
}

// is2xx reports whether the status is a success.
func (x exchange) is2xx() bool { return x.status >= 200 && x.status < 300 }

// verdict classifies a response: first by a code of the contract, since the statuses of two operations are
// undocumented; then by the statuses that concern more than this entry; then by the class of the status.
func (x exchange) verdict(a responseBody) Verdict {
	switch a.code {
	case codeInvalid:
		return x.rejectedVerdict(a)
	case codeUnauthorized, codeForbidden:
		return x.refusedVerdict(a)
	}
	if x.op == ListItems && x.proven && (x.isPathMissing() || x.status == http.StatusNotImplemented) {
		return Verdict{Outcome: Unsupported, Problem: viewing.Say("life.takesNoItems")}
	}
	switch x.status {
	case http.StatusNetworkAuthenticationRequired:
		return Verdict{Outcome: Offline, Problem: viewing.Say("networkLogin")}
	case http.StatusUnauthorized, http.StatusForbidden:
		return x.refusedVerdict(a)
	case http.StatusTooEarly, http.StatusTooManyRequests:
		return x.laterVerdict()
	case http.StatusRequestTimeout:
		return x.doubtVerdict("gaveUp")
	case http.StatusServiceUnavailable:
		if _, ok := x.retryAfter(); ok || a.code != "" {
			return x.laterVerdict()
		}
		return x.doubtVerdict("neither")
	}
	switch {
	case x.is2xx():
		return x.verdictFor2xx(a)
	case x.status >= 400 && x.status < 500:
		return x.verdictFor4xx(a)
	case x.status >= 300 && x.status < 400, x.status == http.StatusSwitchingProtocols, x.status == http.StatusNotImplemented:
		return x.notServiceVerdict()
	default:
		return x.doubtVerdict("trouble")
	}
}

// verdictFor2xx classifies a 2xx response.
func (x exchange) verdictFor2xx(a responseBody) Verdict {
	switch {
	case x.isExpectedObject(a) && x.op == Lists:
		return Verdict{Outcome: Delivered, ListID: a.listID}
	case x.isExpectedObject(a):
		return Verdict{Outcome: Delivered}
	case a.truncated:
		return x.doubtVerdict("cut")
	case a.code != "" && a.succeeded():
		return x.doubtVerdict("contradicts")
	case a.isServiceError():
		return x.rejectedVerdict(a)
	case x.proven:
		return x.doubtVerdict("form")
	default:
		return x.notServiceVerdict()
	}
}

// verdictFor4xx classifies a 4xx response without a code of the contract.
func (x exchange) verdictFor4xx(a responseBody) Verdict {
	conflict := x.status == http.StatusConflict
	switch {
	case a.truncated:
		return x.doubtVerdict("cut")
	case conflict && (x.op == Watchlist || x.op == ListItems) && a.isServiceError():
		return Verdict{Outcome: Delivered} // it is on the list already
	case conflict && x.resend:
		return x.doubtVerdict("busy")
	case a.isServiceError() && (x.proven || !x.isPathMissing()):
		return x.rejectedVerdict(a)
	case x.status == http.StatusProxyAuthRequired:
		return Verdict{Outcome: Offline, Problem: viewing.Say("proxyLogin"), Hint: hintProxy}
	default:
		return x.notServiceVerdict()
	}
}

// message returns a message with the response's status as an argument.
func (x exchange) message(code string, pairs ...string) viewing.Message {
	return viewing.Say(code, append(pairs, "status", strconv.Itoa(x.status))...)
}

// rejectedVerdict returns the verdict on a refusal of this entry, with the service's message if it sent one.
func (x exchange) rejectedVerdict(a responseBody) Verdict {
	words := cmp.Or(a.message, strings.TrimSpace(a.code+" "+strconv.Itoa(x.status)))
	return Verdict{Outcome: Rejected, Problem: viewing.Say("life.refusesEntry", "words", words)}
}

// refusedVerdict returns the verdict on a refused key, or on a 401 or 403 of another server.
func (x exchange) refusedVerdict(a responseBody) Verdict {
	switch {
	case !a.isServiceError():
		return Verdict{Outcome: Refused, Hint: hintRetry, Problem: x.message("between")}
	case a.code == codeForbidden || a.code != codeUnauthorized && x.status == http.StatusForbidden:
		return Verdict{Outcome: Refused, Hint: hintLogin, Problem: viewing.Say(KeyReadOnly)}
	default:
		return Verdict{Outcome: Refused, Hint: hintLogin, Problem: viewing.Say(KeyRefused)}
	}
}

// laterVerdict returns the verdict on a request to come back later.
func (x exchange) laterVerdict() Verdict {
	if wait, ok := x.retryAfter(); ok {
		return Verdict{Outcome: Later, RetryAfter: wait, Problem: x.message("wait", "wait", wait.String())}
	}
	return Verdict{Outcome: Later, Problem: x.message("later")}
}

// doubtVerdict returns the verdict on a response that does not show whether the entry was recorded; why is the
// end of a message code.
func (x exchange) doubtVerdict(why string) Verdict {
	return Verdict{Outcome: InDoubt, Hint: hintDoubt, Problem: viewing.Say("life.doubt.recorded").Because(x.message("life.doubt." + why))}
}

// notServiceVerdict returns the verdict on a response of another server. At a proven address this is a temporary
// problem of the network.
func (x exchange) notServiceVerdict() Verdict {
	if x.proven {
		return Verdict{Outcome: Offline, Problem: x.message("odd")}
	}
	return Verdict{Outcome: Unproven, Hint: hintAddress, Problem: x.message("unproven")}
}

// retryAfter parses Retry-After: seconds, or a date compared with the response's Date header.
func (x exchange) retryAfter() (time.Duration, bool) {
	text := strings.TrimSpace(x.header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, int64(maxRetryAfter/time.Second))) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(x.header.Get("Date"))
	if err != nil {
		now = x.now
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}
