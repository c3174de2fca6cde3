package tracker

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/filmspool/filmspool/queue/viewing"
)

// me is the optional endpoint that returns the user of the key.
const me Operation = "me"

// KeyCheck is the result of checking a key without recording anything.
type KeyCheck struct {
	// Proven reports that the service accepts the key.
	Proven bool
	// UserName and UserID identify the user of the key; "" if the service does not return them.
	UserName, UserID string
	// Verdict is the one on the deciding request; [Delivered] means that the service accepts requests now.
	Verdict Verdict
	// Note explains to the user what could not be checked.
	Note viewing.Message
}

// Probe checks whether the service accepts requests now, and records nothing: GET /me if it exists, else POST
// /history with {}, which the contract refuses as invalid. [Delivered] means yes. The outcome is never [InDoubt] or
// [Rejected].
func (c *Client) Probe(ctx context.Context) Verdict {
	if v, _, decided := c.requestMe(ctx); decided {
		return v
	}
	return c.postEmpty(ctx, "")
}

// CheckKey checks whether the service accepts the key, for login. Without /me, the key is accepted if a made-up
// key is refused, while with this key only the body is invalid.
func (c *Client) CheckKey(ctx context.Context) KeyCheck {
	if v, u, decided := c.requestMe(ctx); decided {
		return KeyCheck{Proven: v.Outcome == Delivered, UserName: u.Name, UserID: u.ID, Verdict: v}
	}
	madeUp := c.postEmpty(ctx, "sk_"+rand.Text())
	if madeUp.Outcome == Offline || madeUp.Outcome == Later {
		return KeyCheck{Verdict: madeUp}
	}
	k := KeyCheck{Verdict: c.postEmpty(ctx, "")}
	if k.Verdict.Outcome != Delivered {
		return k
	}
	k.Proven = madeUp.Outcome == Refused && (madeUp.Code == codeUnauthorized || madeUp.Status == http.StatusUnauthorized)
	if !k.Proven {
		k.Note = viewing.Say("keyUnproven")
	}
	return k
}

// requestMe requests GET /me. decided reports a user, a key that the service calls wrong, a request to wait, or no
// response; any other response means that the endpoint does not exist.
func (c *Client) requestMe(ctx context.Context) (v Verdict, u User, decided bool) {
	v, x := c.do(ctx, call{op: me})
	switch {
	case v.Outcome == Delivered:
		u = parseBody(x.body, x.broken).user
		return v, User{ID: sanitize(u.ID, c.options.Key), Name: sanitize(u.Name, c.options.Key)}, true
	case v.Outcome == Refused && v.Code == codeUnauthorized, v.Outcome == Later:
		return v, u, true
	case v.Status == 0, v.Status == http.StatusNetworkAuthenticationRequired, v.Status == http.StatusProxyAuthRequired:
		return probeVerdict(v), u, true
	}
	return v, u, false
}

// postEmpty posts {} to /history, with the given key or, if it is "", the client's.
func (c *Client) postEmpty(ctx context.Context, key string) Verdict {
	v, _ := c.do(ctx, call{op: History, body: []byte("{}"), key: key})
	return probeVerdict(v)
}

// probeVerdict turns the verdict on an empty request into one on the service: a refused body means success, an
// accepted one means another server, and nothing can be in doubt.
func probeVerdict(v Verdict) Verdict {
	invalidBody := v.Code == codeInvalid || v.Status < 300 || v.Status == http.StatusBadRequest || v.Status == http.StatusUnprocessableEntity
	switch {
	case v.Outcome == Rejected && invalidBody:
		v.Outcome, v.Problem, v.Hint = Delivered, viewing.Message{}, viewing.Message{}
	case v.Outcome == Rejected:
		v.Outcome, v.Problem, v.Hint = Unproven, viewing.Say("takesNone"), hintAddress
	case v.Outcome == Delivered:
		v.Outcome, v.Problem, v.Hint = Unproven, viewing.Say("takesAll"), hintAddress
	case v.Outcome == InDoubt:
		v.Outcome, v.Problem, v.Hint = Offline, viewing.Say("unusable"), viewing.Message{}
	}
	return v
}
