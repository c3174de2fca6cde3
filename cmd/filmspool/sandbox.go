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

	"github.com/filmspool/filmspool/daemon/demo"
	"github.com/filmspool/filmspool/queue/tracker/sandbox"
	"github.com/filmspool/filmspool/queue/viewing/typed"
)

func (p *program) sandboxCommand() *cobra.Command {
	var o sandbox.Options
	c := &cobra.Command{Use: "sandbox"}
	listen := c.Flags().String("listen", "127.0.0.1:8787", "")
	c.Flags().StringVar(&o.SecretKey, "secret-key", "", "")
	c.Flags().StringVar(&o.PublicKey, "public-key", "", "")
	c.Flags().BoolVar(&o.ContractOnly, "contract-only", false, "")
	c.Flags().BoolVar(&o.FaultsByHTTP, "faults", false, "")
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
		return mistake("usage.loopback", "value", typed.Quoted(listen))
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
	p.stdout.Say("cli.sandbox", "url", "http://"+l.Addr().String()+"/api/v1")
	if made {
		p.stdout.Say("cli.secretKey", "key", s.SecretKey())
		p.stdout.Say("cli.publicKey", "key", s.PublicKey())
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	err = serveUntil(ctx, server, l)
	return errors.Join(err, s.Close())
}

// serveUntil serves l until ctx ends, then gives requests two seconds.
func serveUntil(ctx context.Context, server *http.Server, l net.Listener) error {
	ended := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(ended)
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if server.Shutdown(wait) != nil {
			server.Close()
		}
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	<-ended
	return nil
}

func (p *program) demoCommand() *cobra.Command {
	c := &cobra.Command{Use: "demo"}
	once := c.Flags().Bool("once", false, "")
	asJSON := c.Flags().Bool("json", false, "")
	c.RunE = func(c *cobra.Command, _ []string) error {
		story := p.stdout
		if *asJSON {
			story = p.stderr
		}
		result, err := demo.Run(c.Context(), demo.Options{Story: story.Text(), Once: *once, Version: version})
		if *asJSON && (err == nil || errors.Is(err, demo.ErrMiscounted)) {
			err = errors.Join(p.stdout.JSON(result), err)
		}
		return err
	}
	return c
}
