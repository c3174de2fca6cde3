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
	// idleTimeout is below the idle limits of common servers: a connection
	// that the server closes while we write is the main source of doubt.
	idleTimeout    = 2 * time.Second
	maxIdle        = 16
	maxHeaderBytes = 64 << 10
)

var (
	errProxyAddress = errors.New("the proxy named in the environment has no valid address")
	errNotLoopback  = errors.New("the name leads away from this machine, and http is for this machine only")
)

// proxyRefusal is a proxy's answer to CONNECT, other than 200.
type proxyRefusal struct{ status int }

func (p *proxyRefusal) Error() string { return fmt.Sprintf("the proxy refuses (%d)", p.status) }

// dialer opens a connection; tests put their own in its place.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// newTransport makes a transport that sends each request once: no HTTP/2,
// which repeats a POST after some resets, and every connection metered.
func newTransport(dial dialer, plain bool) *http.Transport {
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  proxy,
		OnProxyConnectResponse: checkProxy,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialMetered(ctx, dial, network, address, plain)
		},
		Protocols:              http1,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    handshakeTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdle,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // an answer is small, and its bytes are judged as they came
	}
}

func dialMetered(ctx context.Context, dial dialer, network, address string, plain bool) (net.Conn, error) {
	c, err := dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := c.RemoteAddr().(*net.TCPAddr); plain && ok && !tcp.IP.IsLoopback() {
		c.Close()
		return nil, errNotLoopback
	}
	return &meter{Conn: c}, nil
}

// proxy is the environment's proxy. Its own error would repeat the setting,
// password included.
func proxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "http" {
		return nil, nil // only this machine is reached so
	}
	u, err := http.ProxyFromEnvironment(r)
	if err != nil || u == nil && proxyBroken() {
		return nil, errProxyAddress
	}
	return u, nil
}

// proxyBroken reports whether the environment names a proxy for https that is
// no address. The library passes over such a one, and would go out without it.
func proxyBroken() bool {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy"} {
		if value := os.Getenv(name); value != "" {
			_, asIs := url.Parse(value)
			_, asHost := url.Parse("http://" + value)
			return asIs != nil && asHost != nil
		}
	}
	return false
}

func checkProxy(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return &proxyRefusal{status: answer.StatusCode}
	}
	return nil
}
