package library

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
)

// tls is how to encrypt when the settings name certificates; nil when they
// name none. Like the client in Kodi it checks the chain against the given
// authority, and not the name: such servers are called by their address.
func (s Server) tls() (*tls.Config, error) {
	if s.CA == "" && s.Cert == "" {
		return nil, nil
	}
	c := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		text, err := readText(s.CA)
		if err != nil {
			return nil, fmt.Errorf("%w: read certificate: %w", ErrMySQL, err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%w: %s holds no certificate", ErrMySQL, s.CA)
		}
		c.VerifyConnection = func(state tls.ConnectionState) error { return checkChain(state.PeerCertificates, roots) }
	}
	if s.Cert != "" {
		pair, err := keyPair(s.Cert, s.Key)
		if err != nil {
			return nil, fmt.Errorf("%w: read certificate: %w", ErrMySQL, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// keyPair reads a certificate and its key.
func keyPair(certificate, key string) (tls.Certificate, error) {
	text, err := readText(certificate)
	if err != nil {
		return tls.Certificate{}, err
	}
	secret, err := readText(key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(text, secret)
}

// checkChain checks all of a certificate but its name.
func checkChain(chain []*x509.Certificate, roots *x509.CertPool) error {
	if len(chain) == 0 {
		return fmt.Errorf("%w: the server shows no certificate", ErrServerRefused)
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: between})
	return err
}
