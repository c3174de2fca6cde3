package tracker

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/filmspool/filmspool/queue/viewing"
)

// dialer opens a connection.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

// newTransport returns a transport that sends each request once: HTTP/2 would repeat a POST after some resets.
// With loopbackOnly, as for http, it refuses connections to other machines. Idle connections are closed before
// common servers close them: a connection that the server closes during a write is the main source of doubt.
func newTransport(dial dialer, loopbackOnly bool) *http.Transport {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
			if response.StatusCode != http.StatusOK {
				return viewing.Say("proxyRefuses", "status", strconv.Itoa(response.StatusCode))
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
				return nil, viewing.Say("onlyHTTPS")
			}
			return c, nil
		},
		Protocols:              http1,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		IdleConnTimeout:        2 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true, // responses are small, and their bytes are classified as received
	}
}
