// Command extension packs the browser extension for both families of browsers:
//
//	go run ./packaging/extension filmspool-0.1.0
//
// writes filmspool-0.1.0-chromium.zip and filmspool-0.1.0-firefox.zip.
package main

import (
	"log"
	"os"

	"github.com/filmspool/filmspool/connector/extension"
)

func main() {
	for _, family := range []string{"chromium", "firefox"} {
		archive, err := extension.Pack(family)
		if err == nil {
			err = os.WriteFile(os.Args[1]+"-"+family+".zip", archive, 0o644)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
