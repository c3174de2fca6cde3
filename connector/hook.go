package connector

import (
	"net/http"
	"slices"
	"time"

	"github.com/filmspool/filmspool/connector/hook"
	"github.com/filmspool/filmspool/connector/protocol"
	"github.com/filmspool/filmspool/queue/viewing"
)

// LastCall describes the last request to a program's webhook and its result.
type LastCall struct {
	At     time.Time `json:"at"`
	Sender string    `json:"sender"` // one of [hook.Senders]
	Event  string    `json:"event"`  // the sender's name of the event
	Title  string    `json:"title"`  // "" if unknown, or if another user watches
	// Result is "unreadable", "storage", a [hook.Skip], or the [viewing.Status] of the viewing.
	Result string `json:"result"`
}

// LastCall returns the last request of a client, and whether there was one.
func (s *Server) LastCall(client string) (LastCall, bool) {
	last, called := s.options.Calls.Load(client)
	if !called {
		return LastCall{}, false
	}
	return last.(LastCall), true
}

// hook handles a request of a media server or player, and answers when its viewing is on disk.
// Requests without a viewing get 200 as well, because senders stop after errors.
func (s *Server) hook(w http.ResponseWriter, r *http.Request) {
	sender := r.PathValue("sender")
	if !s.options.Program(r) {
		s.refuse(w, http.StatusForbidden, "BROWSER_REFUSED")
		return
	}
	if !slices.Contains(hook.Senders(), sender) {
		s.refuse(w, http.StatusNotFound, "UNKNOWN_SENDER")
		return
	}
	token := bearer(r)
	if _, password, basic := r.BasicAuth(); basic {
		token = password
	}
	if inPath := r.PathValue("token"); inPath != "" {
		token = inPath
	}
	s.receive(w, r, token, maxHook, func(client string, body []byte) (int, func()) {
		last := LastCall{At: time.Now(), Sender: sender}
		call, err := hook.Decode(sender, r.Header.Get("Content-Type"), body, r.URL.Query().Get("user"), last.At)
		if err != nil {
			last.Result = "unreadable"
			s.options.Calls.Store(client, last)
			s.refuse(w, http.StatusBadRequest, string(protocol.BadMessage))
			return 0, nil
		}
		last.Event = call.Event
		if len(call.Media) > 0 && call.Skip != hook.SkipOtherUser {
			last.Title = call.Media[0].Label()
		}
		return 1, func() {
			if call.State != "" && last.Title != "" {
				s.options.Playing("program:"+client, protocol.Playing{
					Session: call.Session, State: call.State, Media: call.Media[0], Duration: call.Runtime, Source: protocol.Source{Site: sender},
				})
			}
			s.commitCall(w, client, last, call)
		}
	})
}

// commitCall commits the viewing of a call, if any, and answers the request.
func (s *Server) commitCall(w http.ResponseWriter, client string, last LastCall, call hook.Call) {
	last.Result = string(call.Skip)
	if call.Skip == "" {
		reply := s.commit("program:"+client, []protocol.Event{{ID: call.Viewing.EventID, Event: call.Viewing}})[0]
		ack, accepted := reply.(protocol.Ack)
		refusal, _ := reply.(*protocol.Error)
		switch {
		case accepted:
			last.Result = string(ack.Status)
		case refusal.Code == protocol.Conflict: // the same playback was sent again with another time
			last.Result = string(viewing.StatusDuplicate)
		default:
			last.Result = "storage"
		}
	}
	s.seen(client)
	s.options.Calls.Store(client, last)
	if last.Result == "storage" {
		w.Header().Set("Retry-After", retryAfter)
		s.refuse(w, http.StatusServiceUnavailable, string(protocol.Storage))
		return
	}
	answer(w, http.StatusOK, map[string]string{"result": last.Result})
}
