package tracker

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// maxRetryAfter bounds a Retry-After: whatever a service says, it is asked again after a day.
const maxRetryAfter = 24 * time.Hour

// exchange is one HTTP request and its answer: everything that its fate depends on.
type exchange struct {
	op     Operation
	resend bool // may have arrived before, with the same Idempotency-Key
	proven bool // the address, before this answer
	sent   bool // bytes of the request may have left
	err    error
	status int
	header http.Header
	body   []byte
	broken bool // the end of the body was not seen
	now    time.Time
}

// judge is the table of fates; the package comment has it in words.
func classify(x exchange) Verdict {
	if x.err != nil {
		return x.failedVerdict()
	}
	a := parseBody(x.body, x.broken)
	proves := x.provesService(a)
	x.proven = x.proven || proves
	v := x.verdict(a)
	v.Status, v.Proves, v.Code, v.Message = x.status, proves, a.code, a.message
	return v
}

// proves reports whether only the service answers so: with its success or its error object. An object beside
// 404 or 405 proves nothing: many servers say so that there is no such path.
func (x exchange) provesService(a responseBody) bool {
	return a.code != "" && (!x.isPathMissing() || a.hasContractCode()) || x.is2xx() && (x.isExpectedObject(a) || a.isObject && a.success != nil)
}

// is reports whether a is this operation's own object.
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

// noPath reports whether the status says that there is nothing at the path.
func (x exchange) isPathMissing() bool {
	return x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed
}

func (x exchange) is2xx() bool { return x.status >= 200 && x.status < 300 }

// decide gives the fate of an answered request. A code of the contract comes before the status, as two
// operations have undocumented ones; then come the statuses that speak of more than this entry, then the rest
// by class.
func (x exchange) verdict(a responseBody) Verdict {
	switch a.code {
	case codeInvalid:
		return x.rejectedVerdict(a)
	case codeUnauthorized, codeForbidden:
		return x.refusedVerdict(a)
	}
	if x.op == ListItems && x.proven && (x.isPathMissing() || x.status == http.StatusNotImplemented) {
		return Verdict{Fate: Lacking, Problem: viewing.Say("life.takesNoItems")}
	}
	switch x.status {
	case http.StatusNetworkAuthenticationRequired:
		return Verdict{Fate: Offline, Problem: viewing.Say("networkLogin")}
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

func (x exchange) verdictFor2xx(a responseBody) Verdict {
	switch {
	case x.isExpectedObject(a) && x.op == Lists:
		return Verdict{Fate: Delivered, ListID: a.listID}
	case x.isExpectedObject(a):
		return Verdict{Fate: Delivered}
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

func (x exchange) verdictFor4xx(a responseBody) Verdict {
	conflict := x.status == http.StatusConflict
	switch {
	case a.truncated:
		return x.doubtVerdict("cut")
	case conflict && (x.op == Watchlist || x.op == ListItems) && a.isServiceError():
		return Verdict{Fate: Delivered} // it is on the list already
	case conflict && x.resend:
		return x.doubtVerdict("busy")
	case a.isServiceError() && (x.proven || !x.isPathMissing()):
		return x.rejectedVerdict(a)
	case x.status == http.StatusProxyAuthRequired:
		return Verdict{Fate: Offline, Problem: viewing.Say("proxyLogin"), Hint: hintProxy}
	default:
		return x.notServiceVerdict()
	}
}

// say is a message that names the answer's status.
func (x exchange) message(code string, pairs ...string) viewing.Message {
	return viewing.Say(code, append(pairs, "status", strconv.Itoa(x.status))...)
}

// rejected is the service's refusal of this entry, in its own words where it has any.
func (x exchange) rejectedVerdict(a responseBody) Verdict {
	words := cmp.Or(a.message, strings.TrimSpace(a.code+" "+strconv.Itoa(x.status)))
	return Verdict{Fate: Rejected, Problem: viewing.Say("life.refusesEntry", "words", words)}
}

func (x exchange) refusedVerdict(a responseBody) Verdict {
	switch {
	case !a.isServiceError():
		return Verdict{Fate: Refused, Hint: hintRetry, Problem: x.message("between")}
	case a.code == codeForbidden || a.code != codeUnauthorized && x.status == http.StatusForbidden:
		return Verdict{Fate: Refused, Hint: hintLogin, Problem: viewing.Say(KeyReadOnly)}
	default:
		return Verdict{Fate: Refused, Hint: hintLogin, Problem: viewing.Say(KeyRefused)}
	}
}

func (x exchange) laterVerdict() Verdict {
	if wait, ok := x.retryAfter(); ok {
		return Verdict{Fate: Later, RetryAfter: wait, Problem: x.message("wait", "wait", wait.String())}
	}
	return Verdict{Fate: Later, Problem: x.message("later")}
}

// doubt is the verdict on an answer that leaves open whether the entry was recorded; why ends the code of a message.
func (x exchange) doubtVerdict(why string) Verdict {
	return Verdict{Fate: InDoubt, Hint: hintDoubt, Problem: viewing.Say("life.doubt.recorded").Because(x.message("life.doubt." + why))}
}

// elsewhere is the verdict on an answer that is not the service's. At a proven address it is a passing trouble
// on the way.
func (x exchange) notServiceVerdict() Verdict {
	if x.proven {
		return Verdict{Fate: Offline, Problem: x.message("odd")}
	}
	return Verdict{Fate: Unproven, Hint: hintAddress, Problem: x.message("unproven")}
}

// retryAfter reads Retry-After: seconds, or a date by the clock of the sender.
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
