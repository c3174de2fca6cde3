package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/filmspool/filmspool/daemon/demo"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

// sandbox runs a local tracking service for tests until ctx ends.
func (p *program) sandbox(ctx context.Context, _ []string) error {
	g := p.given
	o := sandbox.Options{SecretKey: g.secretKey, PublicKey: g.publicKey, ContractOnly: g.contractOnly, FaultsByHTTP: g.faults}
	listen := cmp.Or(g.listen, "127.0.0.1:8787")
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return mistake("usage.loopback", "value", typed.Quoted(listen))
	}
	if dir := p.choice.StateDir; dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the state folder: %w", err)
		}
		o.Path = filepath.Join(dir, "sandbox.jsonl")
	}
	s, err := sandbox.Open(ctx, o)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return errors.Join(fmt.Errorf("start the sandbox: %w", err), s.Close())
	}
	p.stdout.Say("cli.sandbox", "url", "http://"+l.Addr().String()+"/api/v1")
	if o.SecretKey == "" || o.PublicKey == "" {
		p.stdout.Say("cli.secretKey", "key", s.SecretKey())
		p.stdout.Say("cli.publicKey", "key", s.PublicKey())
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	return errors.Join(serveUntil(ctx, server, l), s.Close())
}

// serveUntil serves l until ctx ends, then waits up to two seconds for running requests.
func serveUntil(ctx context.Context, server *http.Server, l net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if server.Shutdown(wait) != nil {
		server.Close()
	}
	return nil
}

// demo runs the tour.
func (p *program) demo(ctx context.Context, _ []string) error {
	story := p.stdout
	if p.given.json {
		story = p.stderr
	}
	result, err := demo.Run(ctx, demo.Options{Story: story.Text(), Once: p.given.once, Version: version})
	if p.given.json && (err == nil || errors.Is(err, demo.ErrMiscounted)) {
		err = errors.Join(p.stdout.JSON(result), err)
	}
	return err
}
