package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"strconv"
	"testing"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/daemon/control"
)

// A browser knocks at the real listener, and a person lets it in where they
// control the program.
func TestAKnockIsAnsweredWhereTheProgramIsControlled(t *testing.T) {
	v := &visitor{besieged: besiege(t, nil)}
	if v.socket, _ = v.knock(theExtension, ""); v.socket == nil {
		t.Fatal("no socket")
	}
	t.Cleanup(func() { _ = v.socket.Close() })
	v.say(`{"type":"hello","v":1,"client":{"name":"Filmspool","version":"1","browser":"chromium"}}`)
	v.hear("welcome")
	hash := sha256.Sum256([]byte("mine"))
	v.say(`{"type":"knock","id":"k","commitment":"` + hex.EncodeToString(hash[:]) + `","label":"Chrome"}`)
	nonce, _ := v.hear("knocked")["nonce"].(string)
	v.say(`{"type":"reveal","id":"k","nonce":"mine"}`)
	v.say(`{"type":"ping"}`)
	v.hear("pong")

	api := v.d.Control()
	list, err := api.Knocks(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d knocks, %v", len(list), err)
	}
	_, text, _ := net.SplitHostPort(v.address)
	port, _ := strconv.Atoi(text)
	if k := list[0]; k.Number != pairing.CheckNumber("mine", nonce, port) || k.Origin != theExtension || k.Label != "Chrome" || k.Browser != "chromium" || k.Accepted {
		t.Errorf("knock %+v", k)
	}
	var fault *control.Fault
	if err := api.AnswerKnock(t.Context(), control.KnockAnswer{ID: "another", Accept: true}); !errors.As(err, &fault) || fault.Code != control.CodeNotFound {
		t.Errorf("of none: %v", err)
	}
	if err := api.AnswerKnock(t.Context(), control.KnockAnswer{ID: list[0].ID, Accept: true}); err != nil {
		t.Fatal(err)
	}
	v.hear("answered")
	v.say(`{"type":"confirm","id":"k"}`)
	v.hear("paired")
	clients, err := api.Clients(t.Context())
	if err != nil || len(clients) != 1 || clients[0].Origin != theExtension {
		t.Errorf("clients %+v, %v", clients, err)
	}
	if list, err = api.Knocks(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("afterwards: %+v, %v", list, err)
	}
	if text, err := json.Marshal(list); err != nil || string(text) != "[]" {
		t.Errorf("none is %s, %v", text, err)
	}
}
