package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/usage"
)

func (p *program) versionCommand() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Print the version", Args: usage.Exactly()}
	asJSON := jsonFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return p.stdout.JSON(map[string]string{
				"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
			})
		}
		p.stdout.Println(versionWords())
		return nil
	}
	return c
}

// versionWords are the version, and what it was built with and for.
func versionWords() string {
	return fmt.Sprintf("filmspool %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
