// Command packages prints the certificate authorities that the container image
// trusts: Mozilla's, as this module's go.sum pins them. It leaves out those that
// are trusted only with conditions, since a file cannot state conditions.
//
// Its module also has nfpm, which makes the packages of Linux distributions.
// packaging/release runs both.
package main

import (
	"encoding/pem"
	"fmt"
	"os"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func main() {
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(os.Stdout, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}
}
