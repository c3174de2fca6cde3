package tracker

import (
	"context"
	"crypto/rand"
	"net/http"
)

// me is the optional endpoint that tells whose key it is.
const me Operation = "me"

// KeyCheck is what could be learned about a key without recording anything.
type KeyCheck struct {
	// Proven reports that the service accepts the key.
	Proven bool
	// UserName and UserID are whose key it is, where the service tells.
	UserName, UserID string
	// Verdict is of the request that decided; [Delivered] means that the
	// service would take requests now.
	Verdict Verdict
	// Note is one sentence for a person, where something is left open.
	Note string
}

// Probe asks whether the service would take requests now, and records
// nothing: GET /me where it exists, else an empty body to /history, which the
// contract refuses as invalid. [Delivered] means yes. Nothing is ever in
// doubt or rejected here.
func (c *Client) Probe(ctx context.Context) Verdict {
	if v, _, decided := c.askMe(ctx); decided {
		return v
	}
	return c.askEmpty(ctx, c.key)
}

// CheckKey finds out whether the key is good, for login. A service without
// /me shows it by refusing a made-up key where it finds only the body wrong
// with this one.
func (c *Client) CheckKey(ctx context.Context) KeyCheck {
	if v, u, decided := c.askMe(ctx); decided {
		return KeyCheck{Proven: v.Fate == Delivered, UserName: u.name, UserID: u.id, Verdict: v}
	}
	madeUp := c.askEmpty(ctx, "sk_"+rand.Text())
	if madeUp.Fate == Offline || madeUp.Fate == Later {
		return KeyCheck{Verdict: madeUp}
	}
	k := KeyCheck{Verdict: c.askEmpty(ctx, c.key)}
	if k.Verdict.Fate != Delivered {
		return k
	}
	k.Proven = madeUp.Fate == Refused && (madeUp.Code == codeUnauthorized || madeUp.Status == http.StatusUnauthorized)
	if !k.Proven {
		k.Note = "The key is not yet proven: this service checks what is sent before it checks the key, so the first viewing will show."
	}
	return k
}

// askMe asks GET /me. An optional endpoint decides only by a user, by the
// service's own word that the key is wrong, by a wish to wait, or by silence;
// all else means that there is none here.
func (c *Client) askMe(ctx context.Context) (Verdict, user, bool) {
	v, s := c.actAndRead(ctx, call{op: me, key: c.key})
	switch {
	case v.Fate == Delivered:
		u := readAnswer(s.body, s.broken).user
		return v, user{id: c.tidy(u.id, c.key), name: c.tidy(u.name, c.key)}, true
	case v.Fate == Refused && v.Code == codeUnauthorized, v.Fate == Later:
		return v, user{}, true
	case v.Status == 0, v.Status == http.StatusNetworkAuthenticationRequired, v.Status == http.StatusProxyAuthRequired:
		return asProbe(v), user{}, true
	}
	return v, user{}, false
}

// askEmpty posts {} to /history with key.
func (c *Client) askEmpty(ctx context.Context, key string) Verdict {
	return asProbe(c.act(ctx, call{op: History, body: []byte("{}"), key: key}))
}

// asProbe turns the verdict on an empty request into one on the service: to
// find its body wrong is the good answer, to accept it is a strange one, and
// there is nothing that could be in doubt.
func asProbe(v Verdict) Verdict {
	switch v.Fate {
	case Rejected:
		if v.Code == codeInvalid || v.Status < 300 || v.Status == http.StatusBadRequest || v.Status == http.StatusUnprocessableEntity {
			v.Fate, v.Problem, v.Hint = Delivered, "", ""
			return v
		}
		v.Fate, v.Hint = Unproven, hintAddress
		v.Problem = "What answers there takes no viewings: is the address right?"
	case Delivered:
		v.Fate, v.Hint = Unproven, hintAddress
		v.Problem = "What answers there accepts an empty viewing, which the service would not: is the address right?"
	case InDoubt:
		v.Fate, v.Hint = Offline, ""
		v.Problem = "The service gives no usable answer at the moment."
	}
	return v
}
