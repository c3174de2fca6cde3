package library_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

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
