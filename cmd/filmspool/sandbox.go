package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/daemon"
	"github.com/filmspool/filmspool/daemon/demo"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
)

func (p *program) sandboxCommand() *cobra.Command {
	var o sandbox.Options
	c := &cobra.Command{
		Use:   "sandbox",
		Short: "Run a tracking service of your own, for trying things out",
		Long: `Serves a tracking service on this machine that keeps the service's contract:
for trying Filmspool out, for tests, for living without an account. With a state
folder (--state-dir) it keeps its keys and what is recorded; without one it
forgets them when it ends.`,
	}
	listen := c.Flags().String("listen", "127.0.0.1:8787", "address to listen on, loopback only")
	c.Flags().StringVar(&o.SecretKey, "secret-key", "", "the secret key (sk_…) it accepts; made and printed when not given")
	c.Flags().StringVar(&o.PublicKey, "public-key", "", "the public key (pk_…) it accepts; made and printed when not given")
	c.Flags().BoolVar(&o.ContractOnly, "contract-only", false, "serve the contract's three operations and nothing more")
	c.Flags().BoolVar(&o.FaultsByHTTP, "faults", false, "let programs on this machine arm faults at /_sandbox/faults")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if dir := p.choice.StateDir; dir != "" {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return fmt.Errorf("make the state folder: %w", err)
			}
			o.Path = filepath.Join(dir, "sandbox.jsonl")
		}
		return p.serveSandbox(c.Context(), *listen, o)
	}
	return c
}

// serveSandbox serves until ctx ends.
func (p *program) serveSandbox(ctx context.Context, listen string, o sandbox.Options) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return mistake("--listen %q is not a loopback address with a port, such as 127.0.0.1:8787", listen)
	}
	made := o.SecretKey == "" || o.PublicKey == ""
	s, err := sandbox.Open(ctx, o)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", listen)
	if err != nil {
		return errors.Join(fmt.Errorf("start the sandbox: %w", err), s.Close())
	}
	p.stdout.Printf("serving http://%s/api/v1\n", l.Addr())
	if made {
		p.stdout.Printf("secret key %s\npublic key %s\n", s.SecretKey(), s.PublicKey())
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	err = serveUntil(ctx, server, l)
	return errors.Join(err, s.Close())
}

// serveUntil serves l until ctx ends, then gives requests two seconds.
func serveUntil(ctx context.Context, server *http.Server, l net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(wait); err != nil {
		server.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

func (p *program) demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "See it at work, with nothing to prepare",
		Long: `Starts a tracking service and Filmspool in a temporary folder, lets a browser, a
Kodi library and the command line produce viewings, takes the service away and
brings it back, and counts what arrived. Stays up until Ctrl-C.
Exits 0 only if everything arrived exactly once.`,
	}
	once := c.Flags().Bool("once", false, "end after the tour")
	asJSON := c.Flags().Bool("json", false, "print the count as JSON; the story goes to standard error")
	c.RunE = func(c *cobra.Command, _ []string) error {
		story := p.stdout
		if *asJSON {
			story = p.stderr
		}
		result, err := demo.Run(c.Context(), demo.Options{Story: story.Text(), Once: *once, Version: version, Start: daemon.Start})
		if *asJSON && (err == nil || errors.Is(err, demo.ErrMiscounted)) {
			err = errors.Join(p.stdout.JSON(result), err)
		}
		return err
	}
	return c
}
