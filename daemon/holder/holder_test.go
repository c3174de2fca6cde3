package holder

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestNobody(t *testing.T) {
	if h, found := Find(t.Context(), "127.0.0.1:1"); found { // a port that nobody is given
		t.Errorf("found %v", h)
	}
}

// What answers may be anybody, and say anything.
func TestHealth(t *testing.T) {
	for name, c := range map[string]struct {
		answer, version string
		is              bool
	}{
		"ours":               {`{"service":"filmspool","version":"1.2.3","protocol":[1]}`, "1.2.3", true},
		"a dirty version":    {`{"service":"filmspool","version":"\u001b[31m1"}`, "", true},
		"a long version":     {`{"service":"filmspool","version":"` + strings.Repeat("1", 41) + `"}`, "", true},
		"another service":    {`{"service":"jellyfin","version":"1.2.3"}`, "", false},
		"no JSON":            {`<html>`, "", false},
		"an endless answer":  {`{"service":"` + strings.Repeat("x", 9000) + `"}`, "", false},
		"an array":           {`[]`, "", false},
		"nothing whatsoever": {``, "", false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.answer) }))
		h, found := Find(t.Context(), server.Listener.Addr().String())
		server.Close()
		if !found || h.Filmspool != c.is || h.Version != c.version {
			t.Errorf("%s: %v %+v", name, found, h)
		}
	}
}

// A program that takes the connection and says nothing must not keep us.
func TestSilentHolder(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h, found := Find(t.Context(), l.Addr().String())
	if !found || h.Filmspool {
		t.Errorf("%v %+v", found, h)
	}
	if runtime.GOOS == "linux" && (h.PID != os.Getpid() || !h.mine || h.Program == "" || h.User == "") {
		t.Errorf("this very process is not found: %+v", h)
	}
}

func TestWords(t *testing.T) {
	byKid := "filmspool service stop, typed by kid"
	if os.Geteuid() == 0 {
		byKid = "runuser -u kid -- filmspool service stop"
	}
	for _, c := range []struct {
		h          Holder
		says, stop string
	}{
		{Holder{}, "another program", ""},
		{Holder{PID: 7, Program: "nc", User: "kid"}, "nc (process 7 of kid)", ""},
		{Holder{User: "kid"}, "another program (of kid)", ""},
		{Holder{Filmspool: true}, "another filmspool", ""},
		{Holder{Filmspool: true, Version: "1.0", PID: 7, Service: ByHand}, "another filmspool 1.0 (process 7)", "kill 7"},
		{Holder{Filmspool: true, PID: 7, Service: OfUser, mine: true}, "another filmspool (process 7)", "filmspool service stop"},
		{Holder{Filmspool: true, PID: 7, Service: OfUser, User: "kid"}, "another filmspool (process 7 of kid)", byKid},
		{Holder{Filmspool: true, Service: OfMachine}, "another filmspool (as the machine's service)", "sudo filmspool --system service stop"},
		{Holder{Filmspool: true, PID: 7, User: "kid", Service: OfMachine}, "another filmspool (process 7 of kid as the machine's service)", "sudo filmspool --system service stop"},
	} {
		if c.h.String() != c.says || c.h.Stop() != c.stop {
			t.Errorf("%+v: %q, %q; want %q, %q", c.h, c.h, c.h.Stop(), c.says, c.stop)
		}
	}
}
