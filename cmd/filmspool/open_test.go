package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// asBrowser is the xdg-open of scripts. It gets a sign-in file or an address, follows it like a
// browser, and stores the final page in "seen". If its command line contains the ticket, it
// stores that as well.
func asBrowser() {
	if err := browseTo(os.Args[1]); err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func browseTo(place string) error {
	seen := filepath.Join(os.Getenv("HOME"), "seen")
	if strings.Contains(place, "ticket") {
		return os.WriteFile(seen+".ticket", nil, 0o600)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address) // names under .localhost are this machine
			conn, dialErr := new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
			return conn, cmp.Or(err, dialErr)
		},
	}}
	answer, err := browser.Get(place)
	if file, readErr := os.ReadFile(place); readErr == nil {
		form := regexp.MustCompile(`action="([^"]+)/in".*name="ticket" value="([^"]+)"`).FindSubmatch(file)
		if form == nil {
			return errors.New("the file leads nowhere")
		}
		if _, err = browser.PostForm(string(form[1])+"/in", url.Values{"ticket": {string(form[2])}}); err != nil {
			return err
		}
		answer, err = browser.Get(string(form[1]) + "/")
	}
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return cmp.Or(err, os.WriteFile(seen, text, 0o600))
}
