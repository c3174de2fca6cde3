package control

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/guard"
)

// ProofPath is the route that proves who answers. It takes ?nonce=TEXT, of 16
// to 64 bytes, and answers {"proof":HEX}. It needs no token.
const ProofPath = "/v1/control/proof"

// ErrUnproven is wrapped when whoever answers at the daemon's address has not
// proved to be the daemon. Nothing but a made-up nonce was told to it.
var ErrUnproven = errors.New("it has not proved to be your filmspool")

// What bounds the proof of one connection.
const (
	proofWait  = 5 * time.Second // for a slow machine; a stranger may stay silent
	proofBytes = 8 << 10         // of the answer, with its header
	proofTries = 5               // when it hangs up, as a daemon does that has no place
	proofPause = 20 * time.Millisecond
)

// proof proves knowledge of the control token to whoever made up the nonce. It
// names the address, so that a program elsewhere cannot pass the question on.
func proof(token, address, nonce string) string {
	return pairing.ProofFor(token, "Filmspool's control "+address+" "+nonce)
}

// Prove answers [ProofPath] for a daemon that listens at address.
func Prove(token, address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := r.URL.Query().Get("nonce")
		switch {
		case guard.FromBrowser(r):
			guard.Refuse(w, http.StatusForbidden, guard.CodeBrowser, "control routes do not answer browsers")
			return
		case len(nonce) < 16 || len(nonce) > 64:
			guard.Refuse(w, http.StatusBadRequest, CodeInvalid, "nonce is a text of 16 to 64 bytes")
			return
		}
		head(w, "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(proven{proof(token, address, nonce)}) // the asker is gone; nobody is left to tell
	})
}

type proven struct {
	Proof string `json:"proof"`
}

// dial opens a connection whose other end has proved to be the daemon. What
// goes over it later goes to the same program, whoever takes the port then.
func (c *Client) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, proofWait)
	defer cancel()
	var last error
	for try := range proofTries {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w: %w", c.address, ErrUnproven, context.Cause(ctx))
		case <-time.After(time.Duration(try) * proofPause):
		}
		var d net.Dialer
		conn, err := d.DialContext(ctx, network, c.address)
		if err != nil {
			return nil, err
		}
		hungUp, err := c.challenge(ctx, conn)
		if err == nil {
			return conn, nil
		}
		conn.Close()
		if !hungUp {
			return nil, err
		}
		last = err
	}
	return nil, &Fault{
		Code:    CodeBusy,
		Message: fmt.Sprintf("%s hung up %d times before it said who it is: too many connections may be open there (%v)", c.address, proofTries, last),
		Hint:    "try again in a minute; a new start of Filmspool closes them all",
	}
}

// challenge asks the other end for its proof. It also reports whether that has
// just hung up.
func (c *Client) challenge(ctx context.Context, conn net.Conn) (hungUp bool, err error) {
	deadline, _ := ctx.Deadline() // dial sets one
	if err := conn.SetDeadline(deadline); err != nil {
		return false, fmt.Errorf("ask for proof: %w", err)
	}
	wake := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // fails only when closed
	defer wake()
	nonce := rand.Text()
	question := "GET " + ProofPath + "?nonce=" + url.QueryEscape(nonce) + " HTTP/1.1\r\nHost: " + c.address + "\r\n\r\n"
	if _, err := io.WriteString(conn, question); err != nil {
		return true, fmt.Errorf("ask for proof: %w", err)
	}
	reader := bufio.NewReader(io.LimitReader(conn, proofBytes))
	if _, err := reader.Peek(1); err != nil {
		return !errors.Is(err, os.ErrDeadlineExceeded), fmt.Errorf("%s: %w: %w", c.address, ErrUnproven, err)
	}
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		return false, fmt.Errorf("%s: %w", c.address, ErrUnproven) // its words could be anything
	}
	defer answer.Body.Close()
	var said proven
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || answer.Close || reader.Buffered() > 0 ||
		json.Unmarshal(text, &said) != nil || !hmac.Equal([]byte(said.Proof), []byte(proof(c.token, c.address, nonce))) {
		return false, fmt.Errorf("%s: %w", c.address, ErrUnproven)
	}
	if !wake() {
		return false, fmt.Errorf("ask for proof: %w", ctx.Err())
	}
	return false, conn.SetDeadline(time.Time{})
}
