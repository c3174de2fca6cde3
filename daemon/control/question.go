package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/filmspool/filmspool/queue"
	"github.com/filmspool/filmspool/queue/viewing"
)

// question is how what is asked travels in a request.
type question[Q any] struct {
	read func(*http.Request) (Q, error)
	// write puts it into the path and the body; nil is no body.
	write func(q Q, path string) (whole string, body any)
}

// nothing is what has no words.
type nothing struct{}

// silence is a question without words.
func silence() question[nothing] {
	return question[nothing]{
		func(*http.Request) (nothing, error) { return nothing{}, nil },
		func(_ nothing, path string) (string, any) { return path, nil },
	}
}

// body is a question that is the body.
func body[Q any]() question[Q] {
	return question[Q]{
		func(r *http.Request) (q Q, err error) { err = decode(r, &q); return q, err },
		func(q Q, path string) (string, any) { return path, q },
	}
}

// secret is a question of which an error tells nothing: the decoder could
// quote what was sent.
func secret[Q any](form question[Q], fault string) question[Q] {
	return question[Q]{
		func(r *http.Request) (Q, error) {
			q, err := form.read(r)
			if err != nil {
				err = &Fault{Code: CodeInvalid, Message: fault}
			}
			return q, err
		},
		form.write,
	}
}

// word is a question of one word, which has a name in the body.
func word(name string) question[string] {
	return question[string]{
		func(r *http.Request) (string, error) {
			var words map[string]string
			if err := decode(r, &words); err != nil {
				return "", err
			}
			for other := range words {
				if other != name {
					return "", notExpected(fmt.Errorf("unknown field %q", other))
				}
			}
			return words[name], nil
		},
		func(q, path string) (string, any) { return path, map[string]string{name: q} },
	}
}

// decode reads one JSON object, the whole body.
func decode(r *http.Request, into any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return notExpected(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &Fault{Code: CodeInvalid, Message: "the request goes on after its JSON"}
	}
	return nil
}

func notExpected(err error) error {
	return &Fault{Code: CodeInvalid, Message: "the request is not the JSON that was expected: " + err.Error()}
}

// id is a question that names one thing in the path.
func id[ID any](parse func(string) (ID, error)) question[ID] {
	return question[ID]{
		func(r *http.Request) (ID, error) { return parse(r.PathValue("id")) },
		func(id ID, path string) (string, any) {
			return strings.Replace(path, "{id}", url.PathEscape(fmt.Sprint(id)), 1), nil
		},
	}
}

func readEntry(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &Fault{Code: CodeInvalid, Message: "an entry's id is a number"}
	}
	return n, nil
}

func readNotice(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &Fault{Code: CodeNotFound, Message: "there is no notice " + strconv.Quote(text)}
	}
	return n, nil
}

func readClient(text string) (string, error) { return text, nil }

// about says something of one entry.
type about[Q any] struct {
	id   int64
	what Q
}

// aboutEntry is a question that names an entry in the path, and says the rest
// in the body.
func aboutEntry[Q any]() question[about[Q]] {
	entry, rest := id(readEntry), body[Q]()
	return question[about[Q]]{
		func(r *http.Request) (q about[Q], err error) {
			if q.id, err = entry.read(r); err == nil {
				q.what, err = rest.read(r)
			}
			return q, err
		},
		func(q about[Q], path string) (string, any) {
			whole, _ := entry.write(q.id, path)
			return whole, q.what
		},
	}
}

// search is a filter in the address, without a time and a page.
func search() question[queue.Filter] {
	return question[queue.Filter]{
		func(r *http.Request) (queue.Filter, error) {
			values := r.URL.Query()
			f := queue.Filter{
				State: viewing.State(values.Get("state")), Account: values.Get("account"), Source: values.Get("source"),
				Kind: viewing.Kind(values.Get("kind")), Reason: values.Get("reason"), Item: values.Get("item"),
			}
			if text := values.Get("limit"); text != "" {
				n, err := strconv.Atoi(text)
				if err != nil || n < 1 {
					return f, &Fault{Code: CodeInvalid, Message: "limit is not a number from 1"}
				}
				f.Limit = n
			}
			return f, nil
		},
		func(f queue.Filter, path string) (string, any) {
			values := url.Values{}
			for name, value := range map[string]string{
				"state": string(f.State), "account": f.Account, "source": f.Source,
				"kind": string(f.Kind), "reason": f.Reason, "item": f.Item,
			} {
				if value != "" {
					values.Set(name, value)
				}
			}
			if f.Limit != 0 {
				values.Set("limit", strconv.Itoa(f.Limit))
			}
			return path + "?" + values.Encode(), nil
		},
	}
}
