package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// tmdb runs "tmdb FILE": a server that answers like TMDB, with its address in the variable tmdb.
// Each line of the file is a path with its query, and the answer. It accepts one token, answers
// nothing else, and writes the requests to tmdb.log. The formats are those of TMDB's OpenAPI
// document.
func tmdb(ts *testscript.TestScript, _ bool, args []string) {
	answers := map[string]string{}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		place, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
		answers[place] = answer
	}
	log := ts.MkAbs("tmdb.log")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, status := answers[strings.TrimSuffix(r.URL.RequestURI(), "?")], http.StatusOK
		switch {
		case r.Header.Get("Authorization") != "Bearer eyJ.right.token":
			answer, status = `{"status_code":7,"status_message":"Invalid API key","success":false}`, http.StatusUnauthorized
		case answer == "":
			answer, status = `{"status_code":34,"success":false}`, http.StatusNotFound
		}
		f, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			fmt.Fprintln(f, status, r.URL.RequestURI())
			f.Close()
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	ts.Defer(server.Close)
	ts.Setenv("tmdb", server.URL)
}
