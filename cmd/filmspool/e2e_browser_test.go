package main

import (
	"github.com/filmspool/filmspool/connector/connectortest"
	"github.com/filmspool/filmspool/connector/protocol"
)

const (
	extension = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	secretKey = "sk_householdsecret1"
)

// browser returns a browser connected to a daemon: as the paired client in the options or,
// without a token, unpaired.
func (h *fixture) browser(daemon *process, o connectortest.Options) *connectortest.Client {
	h.t.Helper()
	o.URL, o.Origin = "ws://"+daemon.address+"/v1/connector", extension
	o.Info = protocol.ClientInfo{Name: "test", Version: "1"}
	c, err := connectortest.Dial(h.t.Context(), o)
	if err != nil {
		h.t.Fatalf("dial: %v; the daemon said\n%s", err, h.said.String())
	}
	h.t.Cleanup(func() { _ = c.Close() }) // the daemon may have ended before
	return c
}

// pair pairs a browser and returns the options to connect again.
func (h *fixture) pair(daemon *process) (o connectortest.Options) {
	h.t.Helper()
	c := h.browser(daemon, o)
	defer c.Close()
	var err error
	o.ClientID, o.Token, err = c.Pair(h.t.Context(), h.code(), "living room")
	must(h.t, err)
	return o
}
