package tracker

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
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
func judge(x exchange) Verdict {
	if x.err != nil {
		return x.unanswered()
	}
	a := readAnswer(x.body, x.broken)
	proves := x.proves(a)
	x.proven = x.proven || proves
	v := x.decide(a)
	v.Sent, v.Status, v.Proves, v.Code, v.Message = x.sent, x.status, proves, a.code, a.message
	return v
}

// proves reports whether only the service answers so: with its success or its error object. An object beside
// 404 or 405 proves nothing: many servers say so that there is no such path.
func (x exchange) proves(a answer) bool {
	return a.code != "" && (!x.noPath() || a.contract()) || x.success() && (x.is(a) || a.object && a.success != nil)
}

// is reports whether a is this operation's own object.
func (x exchange) is(a answer) bool {
	if !a.object || a.odd || a.code != "" || a.denied() {
		return false
	}
	switch x.op {
	case Lists:
		return a.id != ""
	case me:
		return a.succeeded() || a.user != User{}
	default:
		return true
	}
}

// noPath reports whether the status says that there is nothing at the path.
func (x exchange) noPath() bool {
	return x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed
}

func (x exchange) success() bool { return x.status >= 200 && x.status < 300 }

// decide gives the fate of an answered request. A code of the contract comes before the status, as two
// operations have undocumented ones; then come the statuses that speak of more than this entry, then the rest
// by class.
func (x exchange) decide(a answer) Verdict {
	switch a.code {
	case codeInvalid:
		return rejected(a, x.status)
	case codeUnauthorized, codeForbidden:
		return x.refused(a)
	}
	if x.op == ListItems && x.proven && (x.noPath() || x.status == http.StatusNotImplemented) {
		return Verdict{Fate: Lacking, Problem: "The service takes no items of lists."}
	}
	switch x.status {
	case http.StatusNetworkAuthenticationRequired:
		return Verdict{Fate: Offline, Problem: "This network asks for a login of its own before it lets anything through."}
	case http.StatusUnauthorized, http.StatusForbidden:
		return x.refused(a)
	case http.StatusTooEarly, http.StatusTooManyRequests:
		return x.later()
	case http.StatusRequestTimeout:
		return x.doubt("it gave up waiting")
	case http.StatusServiceUnavailable:
		if _, ok := x.retryAfter(); ok || a.code != "" {
			return x.later()
		}
		return x.doubt("it says neither why nor for how long")
	}
	switch {
	case x.success():
		return x.decideSuccess(a)
	case x.status >= 400 && x.status < 500:
		return x.decideClientError(a)
	case x.status >= 300 && x.status < 400, x.status == http.StatusSwitchingProtocols, x.status == http.StatusNotImplemented:
		return x.elsewhere()
	default:
		return x.doubt("it had trouble of its own")
	}
}

func (x exchange) decideSuccess(a answer) Verdict {
	switch {
	case x.is(a) && x.op == Lists:
		return Verdict{Fate: Delivered, ListID: a.id}
	case x.is(a):
		return Verdict{Fate: Delivered}
	case a.cut:
		return x.doubt("its answer was cut off")
	case a.code != "" && a.succeeded():
		return x.doubt("its answer contradicts itself")
	case a.own():
		return rejected(a, x.status)
	case x.proven:
		return x.doubt("its answer is not of the expected form")
	default:
		return x.elsewhere()
	}
}

func (x exchange) decideClientError(a answer) Verdict {
	conflict := x.status == http.StatusConflict
	switch {
	case a.cut:
		return x.doubt("its answer was cut off")
	case conflict && (x.op == Watchlist || x.op == ListItems) && a.own():
		return Verdict{Fate: Delivered} // it is on the list already
	case conflict && x.resend:
		return x.doubt("it may still be busy with the earlier sending")
	case a.own() && (x.proven || !x.noPath()):
		return rejected(a, x.status)
	case x.status == http.StatusProxyAuthRequired:
		return Verdict{
			Fate: Offline, Hint: "name it with user and password in HTTPS_PROXY",
			Problem: "The proxy between here and the service asks for a login of its own.",
		}
	default:
		return x.elsewhere()
	}
}

// answered begins a sentence about an answer that came.
func (x exchange) answered(how string) string {
	return fmt.Sprintf("The service answered %d %s.", x.status, how)
}

func rejected(a answer, status int) Verdict {
	words := a.message
	if words == "" {
		words = strings.TrimSpace(a.code + " " + strconv.Itoa(status))
	}
	return Verdict{Fate: Rejected, Problem: "The service refuses this entry: " + words, Hint: hintRejected}
}

func (x exchange) refused(a answer) Verdict {
	switch {
	case !a.own():
		return Verdict{
			Fate: Refused, Hint: hintAsk,
			Problem: fmt.Sprintf("Something between here and the service refuses access (%d, without the service's own words).", x.status),
		}
	case a.code == codeForbidden || a.code != codeUnauthorized && x.status == http.StatusForbidden:
		return Verdict{Fate: Refused, Hint: hintLogin, Problem: KeyReadOnly}
	default:
		return Verdict{Fate: Refused, Hint: hintLogin, Problem: KeyRefused}
	}
}

func (x exchange) later() Verdict {
	wait, ok := x.retryAfter()
	if !ok {
		return Verdict{Fate: Later, Problem: x.answered("and asks to try again later")}
	}
	return Verdict{Fate: Later, RetryAfter: wait, Problem: x.answered("and asks to wait " + wait.String())}
}

func (x exchange) doubt(how string) Verdict {
	return Verdict{
		Fate: InDoubt, Hint: hintDoubt,
		Problem: fmt.Sprintf("The service answered %d: %s. It may have recorded the entry.", x.status, how),
	}
}

// elsewhere is the verdict on an answer that is not the service's. At a proven address it is a passing trouble
// on the way.
func (x exchange) elsewhere() Verdict {
	if x.proven {
		return Verdict{Fate: Offline, Problem: x.answered("in a form that is not its own; something on the way may be down")}
	}
	return Verdict{
		Fate: Unproven, Hint: hintAddress,
		Problem: fmt.Sprintf("The server at this address answered %d and does not look like the tracking service.", x.status),
	}
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
	now := x.now
	if date, err := http.ParseTime(x.header.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}
