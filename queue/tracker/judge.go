package tracker

import (
	"net/http"
	"time"
)

// seen is everything about one request that its fate depends on.
type seen struct {
	op     Operation
	resend bool // may have arrived before, with the same Idempotency-Key
	proven bool // the address, before this answer
	left   bool // the request left whole, or may have
	err    error
	status int
	header http.Header
	body   []byte
	broken bool // the end of the body was not seen
	now    time.Time
}

// judge is the table of fates; the package comment has the reasons. Without
// an answer only the bytes decide.
func judge(s seen) Verdict {
	if s.err != nil {
		return unanswered(s)
	}
	a := readAnswer(s.body, s.broken)
	proves := s.proves(a)
	s.proven = s.proven || proves
	v := s.decide(a)
	if v.Fate == InDoubt && !s.left {
		v = Verdict{Fate: Offline, Problem: s.answered("before the request had left")}
	}
	v.Sent, v.Status, v.Proves, v.Code, v.Message = s.left, s.status, proves, a.code, a.message
	return v
}

// proves reports whether only the service answers so: with its success or
// its error object. An object beside 404 or 405 proves nothing: many servers
// say so that there is no such path.
func (s seen) proves(a answer) bool {
	return a.code != "" && (!s.noPath() || a.contract()) || s.success() && (s.is(a) || a.object && a.success != nil)
}

// is reports whether a is this operation's own object.
func (s seen) is(a answer) bool {
	if !a.object || a.odd || a.code != "" || a.denied() {
		return false
	}
	switch s.op {
	case Lists:
		return a.id != ""
	case me:
		return a.succeeded() || a.user != user{}
	default:
		return true
	}
}

// noPath reports whether the status says that there is nothing at the path.
func (s seen) noPath() bool {
	return s.status == http.StatusNotFound || s.status == http.StatusMethodNotAllowed
}

func (s seen) success() bool { return s.status >= 200 && s.status < 300 }

// decide gives the fate of an answered request. A code of the contract comes
// before the status, as two operations have undocumented ones; then come the
// statuses that speak of more than this entry.
func (s seen) decide(a answer) Verdict {
	switch a.code {
	case codeInvalid:
		return s.rejected(a)
	case codeUnauthorized, codeForbidden:
		return s.refused(a)
	}
	if s.op == ListItems && s.proven && (s.noPath() || s.status == http.StatusNotImplemented) {
		return Verdict{Fate: Lacking, Problem: "The service takes no items of lists."}
	}
	switch s.status {
	case http.StatusNetworkAuthenticationRequired:
		return Verdict{Fate: Offline, Problem: "This network asks for a login of its own before it lets anything through."}
	case http.StatusUnauthorized, http.StatusForbidden:
		return s.refused(a)
	case http.StatusTooEarly, http.StatusTooManyRequests:
		return s.later()
	case http.StatusRequestTimeout:
		if s.left {
			return s.doubt("it gave up waiting")
		}
		return s.later()
	case http.StatusServiceUnavailable:
		if _, ok := s.retryAfter(); ok || a.code != "" {
			return s.later()
		}
		return s.doubt("it says neither why nor for how long")
	}
	return s.decideClass(a)
}

// decideClass gives the fate by the class of the status.
func (s seen) decideClass(a answer) Verdict {
	switch {
	case s.success():
		return s.decideSuccess(a)
	case s.status >= 400 && s.status < 500:
		return s.decideClientError(a)
	case s.status >= 300 && s.status < 400, s.status == http.StatusSwitchingProtocols, s.status == http.StatusNotImplemented:
		return s.elsewhere()
	default:
		return s.doubt("it had trouble of its own")
	}
}

func (s seen) decideSuccess(a answer) Verdict {
	switch {
	case s.is(a):
		v := Verdict{Fate: Delivered}
		if s.op == Lists {
			v.ListID = a.id
		}
		return v
	case a.cut:
		return s.doubt("its answer was cut off")
	case a.code != "" && a.succeeded():
		return s.doubt("its answer contradicts itself")
	case a.own():
		return s.rejected(a)
	case s.proven:
		return s.doubt("its answer is not of the expected form")
	default:
		return s.elsewhere()
	}
}

func (s seen) decideClientError(a answer) Verdict {
	conflict := s.status == http.StatusConflict
	switch {
	case a.cut:
		return s.doubt("its answer was cut off")
	case conflict && (s.op == Watchlist || s.op == ListItems) && a.own():
		return Verdict{Fate: Delivered} // it is on the list already
	case conflict && s.resend:
		return s.doubt("it may still be busy with the earlier sending")
	case a.own() && (s.proven || !s.noPath()):
		return s.rejected(a)
	case s.status == http.StatusProxyAuthRequired:
		return Verdict{Fate: Offline, Problem: "The proxy between here and the service asks for a login of its own.", Hint: "name it with user and password in HTTPS_PROXY"}
	default:
		return s.elsewhere()
	}
}
