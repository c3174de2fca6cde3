package sandbox

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

const controlPrefix = "/_sandbox/"

// serveControl serves tests and scripts on this machine; it asks for no key.
// A web page is kept out: it cannot leave out Origin on a POST, nor read an
// answer under a name of its own.
func (s *Service) serveControl(w http.ResponseWriter, r *http.Request) {
	v, err := s.control(w, r)
	if err != nil {
		s.refuse(w, "control", err)
		drain(w, r)
		return
	}
	a, err := jsonAnswer(http.StatusOK, v)
	if err != nil {
		s.refuse(w, "control", err)
		return
	}
	write(w, a)
}

func (s *Service) control(w http.ResponseWriter, r *http.Request) (any, error) {
	if why := strange(r); why != "" {
		return nil, forbidden(why)
	}
	switch path := strings.TrimPrefix(r.URL.EscapedPath(), controlPrefix); path {
	case "records":
		return s.controlRecords(r)
	case "faults":
		return s.controlFaults(w, r)
	}
	return nil, notFound()
}

// strange says why the control routes are not for the sender, "" when they are.
func strange(r *http.Request) string {
	_, hasOrigin := r.Header["Origin"]
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case hasOrigin:
		return "the control routes are not for web pages"
	case err != nil || !peer.Addr().Unmap().IsLoopback():
		return "the control routes are for this machine only"
	case !loopbackHost(r.Host):
		return "the control routes are served under a loopback address only"
	}
	return ""
}

func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

func (s *Service) controlRecords(r *http.Request) (any, error) {
	if r.Method != http.MethodGet {
		return nil, notAllowed("GET")
	}
	done, err := s.begin("")
	if err != nil {
		return nil, err
	}
	defer done()
	return s.Records(r.Context())
}

// armedFaults is the reply of the faults route.
type armedFaults struct {
	Faults []Fault `json:"faults"`
}

func (s *Service) controlFaults(w http.ResponseWriter, r *http.Request) (any, error) {
	switch r.Method {
	case http.MethodPost:
		if err := s.armSent(w, r); err != nil {
			return nil, err
		}
	case http.MethodDelete:
		s.faults.clear()
	case http.MethodGet:
	default:
		return nil, notAllowed("DELETE, GET, POST")
	}
	return armedFaults{Faults: s.faults.list()}, nil
}

// armSent arms the fault in the body. The content type is not asked for, so
// that curl -d will do; a field that is not known is a slip and refused.
func (s *Service) armSent(w http.ResponseWriter, r *http.Request) error {
	body, err := readBody(w, r)
	if err != nil {
		return err
	}
	o, err := decodeObject(body)
	if err != nil {
		return err
	}
	for name := range o {
		if name != "match" && name != "fault" && name != "times" {
			return invalid("", "a fault has the fields match, fault and times, and no other")
		}
	}
	f := &fields{object: o}
	fault := Fault{Match: required(f, "match"), Fault: required(f, "fault"), Times: 1}
	if n := f.integer("times", 1); n != nil {
		fault.Times = int(*n)
	}
	if f.fault != nil {
		return f.fault
	}
	return s.arm(fault)
}

func required(f *fields, name string) string {
	s := f.text(name)
	if s == nil {
		f.fail(name, "is required")
		return ""
	}
	return *s
}
