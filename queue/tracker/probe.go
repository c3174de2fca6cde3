package tracker

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/filmspool/filmspool/queue/viewing"
)

// me is the optional endpoint that tells whose key it is.
const me Operation = "me"

// KeyCheck is what could be learned about a key without recording anything.
type KeyCheck struct {
	// Proven reports that the service accepts the key.
	Proven bool
	// UserName and UserID are whose key it is, where the service tells.
	UserName, UserID string
	// Verdict is of the request that decided; [Delivered] means that the service would take requests now.
	Verdict Verdict
	// Note is what a person is told where something is left open.
	Note viewing.Message
}

// Probe asks whether the service would take requests now, and records nothing: GET /me where it exists, else an
// empty body to /history, which the contract refuses as invalid. [Delivered] means yes. The fate is never
// [InDoubt] or [Rejected].
func (c *Client) Probe(ctx context.Context) Verdict {
	if v, _, decided := c.requestMe(ctx); decided {
		return v
	}
	return c.postEmpty(ctx, "")
}

// CheckKey finds out whether the key is good, for login. A service without /me shows it by refusing a made-up
// key where it finds only the body wrong with this one.
func (c *Client) CheckKey(ctx context.Context) KeyCheck {
	if v, u, decided := c.requestMe(ctx); decided {
		return KeyCheck{Proven: v.Fate == Delivered, UserName: u.Name, UserID: u.ID, Verdict: v}
	}
	madeUp := c.postEmpty(ctx, "sk_"+rand.Text())
	if madeUp.Fate == Offline || madeUp.Fate == Later {
		return KeyCheck{Verdict: madeUp}
	}
	k := KeyCheck{Verdict: c.postEmpty(ctx, "")}
	if k.Verdict.Fate != Delivered {
		return k
	}
	k.Proven = madeUp.Fate == Refused && (madeUp.Code == codeUnauthorized || madeUp.Status == http.StatusUnauthorized)
	if !k.Proven {
		k.Note = viewing.Say("keyUnproven")
	}
	return k
}

// askMe asks GET /me. The answer decides only by a user, by the service's own word that the key is wrong, by a
// wish to wait, or by silence; all else means that there is no such endpoint.
func (c *Client) requestMe(ctx context.Context) (v Verdict, u User, decided bool) {
	v, x := c.do(ctx, call{op: me})
	switch {
	case v.Fate == Delivered:
		u = parseBody(x.body, x.broken).user
		return v, User{ID: sanitize(u.ID, c.options.Key), Name: sanitize(u.Name, c.options.Key)}, true
	case v.Fate == Refused && v.Code == codeUnauthorized, v.Fate == Later:
		return v, u, true
	case v.Status == 0, v.Status == http.StatusNetworkAuthenticationRequired, v.Status == http.StatusProxyAuthRequired:
		return probeVerdict(v), u, true
	}
	return v, u, false
}

// askEmpty posts {} to /history, with the client's key or another.
func (c *Client) postEmpty(ctx context.Context, key string) Verdict {
	v, _ := c.do(ctx, call{op: History, body: []byte("{}"), key: key})
	return probeVerdict(v)
}

// asProbe turns the verdict on an empty request into one on the service: a body found wrong is the good answer,
// an accepted one is not the service's, and nothing can be in doubt.
func probeVerdict(v Verdict) Verdict {
	foundWrong := v.Code == codeInvalid || v.Status < 300 || v.Status == http.StatusBadRequest || v.Status == http.StatusUnprocessableEntity
	switch {
	case v.Fate == Rejected && foundWrong:
		v.Fate, v.Problem, v.Hint = Delivered, viewing.Message{}, viewing.Message{}
	case v.Fate == Rejected:
		v.Fate, v.Problem, v.Hint = Unproven, viewing.Say("takesNone"), hintAddress
	case v.Fate == Delivered:
		v.Fate, v.Problem, v.Hint = Unproven, viewing.Say("takesAll"), hintAddress
	case v.Fate == InDoubt:
		v.Fate, v.Problem, v.Hint = Offline, viewing.Say("unusable"), viewing.Message{}
	}
	return v
}
