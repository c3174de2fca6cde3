package library

import "crypto/tls"

// TLS shows the tests how a server is to be spoken with.
func (s Server) TLS() (*tls.Config, error) { return s.tls() }
