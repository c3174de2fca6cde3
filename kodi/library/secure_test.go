package library_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmspool/filmspool/kodi/library"
)

// TestCertificatesOfSettings: files that are no certificates are told by their
// names, and a server is believed by its chain alone.
func TestCertificatesOfSettings(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	certificates(t, ours)
	certificates(t, theirs)
	ca, cert, key := filepath.Join(ours, "ca.pem"), filepath.Join(ours, "server.pem"), filepath.Join(ours, "server.key")
	for name, test := range map[string]struct {
		server library.Server
		kind   error
		says   string // "" for no fault
	}{
		"none":                        {library.Server{Key: key}, nil, ""},
		"an authority":                {library.Server{CA: ca}, nil, ""},
		"a certificate of ours":       {library.Server{Cert: cert, Key: key}, nil, ""},
		"a certificate without a key": {library.Server{Cert: cert}, library.ErrMySQL, "read certificate"},
		"the key of another":          {library.Server{Cert: cert, Key: filepath.Join(theirs, "server.key")}, library.ErrMySQL, "private key does not match"},
	} {
		c, err := test.server.TLS()
		if test.says != "" {
			if c != nil || !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v; want %v with %q", name, err, test.kind, test.says)
			}
			if errors.Is(err, library.ErrNotFound) {
				t.Errorf("%s: %v; the library is not what is missing", name, err)
			}
			continue
		}
		ok(t, err)
		if (c == nil) != (name == "none") || c != nil && (len(c.Certificates) == 1) != (test.server.Cert != "") {
			t.Errorf("%s: no certificates, or wrong ones", name)
		}
	}
	c, err := (library.Server{CA: ca}).TLS()
	ok(t, err)
	own, err := tls.LoadX509KeyPair(cert, key)
	ok(t, err)
	foreign, err := tls.LoadX509KeyPair(filepath.Join(theirs, "server.pem"), filepath.Join(theirs, "server.key"))
	ok(t, err)
	shown := func(all ...*x509.Certificate) error {
		return c.VerifyConnection(tls.ConnectionState{PeerCertificates: all})
	}
	ok(t, shown(own.Leaf))
	if err := shown(); !errors.Is(err, library.ErrServerRefused) {
		t.Errorf("no certificate: %v, want ErrServerRefused", err)
	}
	if err := shown(foreign.Leaf); !errors.As(err, new(x509.UnknownAuthorityError)) {
		t.Errorf("another authority: %v", err)
	}
}

// certificates writes ca.pem, server.pem and server.key.
func certificates(t testing.TB, dir string) {
	t.Helper()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "our authority"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "nas"}, NotAfter: time.Now().Add(time.Hour)}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ok(t, err)
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ok(t, err)
	first, err := x509.CreateCertificate(rand.Reader, authority, authority, &key.PublicKey, key)
	ok(t, err)
	second, err := x509.CreateCertificate(rand.Reader, server, authority, &own.PublicKey, key)
	ok(t, err)
	secret, err := x509.MarshalECPrivateKey(own)
	ok(t, err)
	for name, block := range map[string]pem.Block{
		"ca.pem":     {Type: "CERTIFICATE", Bytes: first},
		"server.pem": {Type: "CERTIFICATE", Bytes: second},
		"server.key": {Type: "EC PRIVATE KEY", Bytes: secret},
	} {
		ok(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(&block), 0o600))
	}
}
