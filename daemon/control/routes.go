package control

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Each function of an [API] is a question. It is asked at /v1/ and its name, which begins with a
// small letter there. Its parameter, if it has one beside the context, is the body as JSON; so is
// its result. An [io.Reader] is the body itself, and the parameter beside it is in the address
// then; what is written to an [io.Writer] is the answer.

var (
	readerType = reflect.TypeFor[io.Reader]()
	writerType = reflect.TypeFor[io.Writer]()
)

// pathOf is where a question is asked.
func pathOf(question reflect.StructField) string {
	return "/v1/" + strings.ToLower(question.Name[:1]) + question.Name[1:]
}

// Of returns the API whose questions are answered by the methods of their names. One without a
// method is answered by an error.
func Of(answers any, otherwise error) (a API) {
	for question, f := range reflect.ValueOf(&a).Elem().Fields() {
		method := reflect.ValueOf(answers).MethodByName(question.Name)
		if !method.IsValid() {
			method = reflect.MakeFunc(f.Type(), func([]reflect.Value) []reflect.Value {
				out := resultsOf(f.Type())
				out[len(out)-1].Set(reflect.ValueOf(otherwise))
				return out
			})
		}
		f.Set(method)
	}
	return a
}

// resultsOf are zero values of what a function returns.
func resultsOf(f reflect.Type) (all []reflect.Value) {
	for t := range f.Outs() {
		all = append(all, reflect.New(t).Elem())
	}
	return all
}

// call asks a question that came by HTTP. What is streamed goes to out.
func call(question reflect.Value, r *http.Request, out io.Writer) (answer any, err error) {
	parameters := io.Reader(r.Body)
	if r.URL.RawQuery != "" {
		parameters = strings.NewReader(r.URL.Query().Get("of"))
	}
	in := []reflect.Value{reflect.ValueOf(r.Context())}
	for i := 1; i < question.Type().NumIn(); i++ {
		switch t := question.Type().In(i); t {
		case readerType:
			in = append(in, reflect.ValueOf(r.Body))
		case writerType:
			in = append(in, reflect.ValueOf(out))
		default:
			parameter := reflect.New(t)
			if err := decode(io.LimitReader(parameters, maxBody), parameter.Interface()); err != nil {
				return nil, err
			}
			in = append(in, parameter.Elem())
		}
	}
	results := question.Call(in)
	err, _ = results[len(results)-1].Interface().(error)
	if len(results) > 1 {
		answer = results[0].Interface()
	}
	return answer, err
}

// ask asks a question of the daemon, and returns what its function returns.
func (c *Client) ask(question reflect.StructField, in []reflect.Value) []reflect.Value {
	out := resultsOf(question.Type)
	path, body := pathOf(question), io.Reader(http.NoBody)
	var parameter []byte
	var err error
	read := func(answer io.Reader) error { return json.NewDecoder(answer).Decode(out[0].Addr().Interface()) }
	if len(out) == 1 {
		read = func(io.Reader) error { return nil }
	}
	for i, v := range in[1:] {
		switch question.Type.In(i + 1) {
		case readerType:
			path += "?of=" + url.QueryEscape(string(parameter))
			body = v.Interface().(io.Reader)
		case writerType:
			read = func(answer io.Reader) error {
				_, err := io.Copy(v.Interface().(io.Writer), answer)
				return err
			}
		default:
			if parameter, err = json.Marshal(v.Interface()); err == nil {
				body = bytes.NewReader(parameter)
			}
		}
	}
	if err == nil {
		err = c.post(in[0].Interface().(context.Context), path, body, read)
	}
	if err != nil {
		out[len(out)-1].Set(reflect.ValueOf(err))
	}
	return out
}
