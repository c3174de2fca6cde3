package tracker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Bounds of one connection. The service names none of its own (contract 8).
const (
	dialTimeout      = 15 * time.Second
	handshakeTimeout = 10 * time.Second
	// idleTimeout is below the idle limits of common servers: a connection that the server closes while we
	// write is the main source of doubt.
	idleTimeout    = 2 * time.Second
	maxHeaderBytes = 64 << 10
)

var (
	errProxyAddress = errors.New("the proxy named in the environment has no valid address")
	errNotLoopback  = errors.New("only https is allowed for servers on the network")
)

// proxyRefusal is a proxy's answer to CONNECT, other than 200.
type proxyRefusal struct{ status int }

func (p *proxyRefusal) Error() string { return fmt.Sprintf("the proxy refuses (%d)", p.status) }

// dialer opens a connection.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// newTransport makes a transport that sends each request once: HTTP/2 would repeat a POST after some resets.
// With loopbackOnly, as for http, it keeps no connection to another machine.
func newTransport(dial dialer, loopbackOnly bool) *http.Transport {
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy: proxy,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
			if answer.StatusCode != http.StatusOK {
				return &proxyRefusal{status: answer.StatusCode}
			}
			return nil
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			if tcp, ok := c.RemoteAddr().(*net.TCPAddr); loopbackOnly && ok && !tcp.IP.IsLoopback() {
				c.Close()
				return nil, errNotLoopback
			}
			return c, nil
		},
		Protocols:              http1,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // an answer is small, and its bytes are judged as they came
	}
}

// proxy returns the environment's proxy for https. The library ignores a setting that it cannot read, and would
// go out without a proxy; its own error would repeat the setting, password included.
func proxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "http" {
		return nil, nil // to this machine only
	}
	u, err := http.ProxyFromEnvironment(r)
	setting := os.Getenv("HTTPS_PROXY")
	if setting == "" {
		setting = os.Getenv("https_proxy")
	}
	_, whole := url.Parse(setting)
	_, host := url.Parse("http://" + setting)
	if err != nil || u == nil && setting != "" && whole != nil && host != nil {
		return nil, errProxyAddress
	}
	return u, nil
}
