package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/filmspool/filmspool/cmd/filmspool/report"
	"github.com/filmspool/filmspool/cmd/filmspool/usage"
	"github.com/filmspool/filmspool/daemon/control"
)

func (p *program) noticesCommand() *cobra.Command {
	test := &cobra.Command{
		Use: "test", Short: "Send a test by each way in which Filmspool tells you of problems", Args: usage.Exactly(),
		Long: `Sends a test to the desktop and the webhook, as far as they are in the
configuration, and says how each went.`,
	}
	asJSON := jsonFlag(test)
	test.RunE = func(c *cobra.Command, _ []string) error {
		failed := false
		send := func(ctl control.API) ([]control.NoticeTest, error) {
			list, err := ctl.TestNotices(c.Context())
			failed = slices.ContainsFunc(list, func(t control.NoticeTest) bool { return t.State == control.NoticeFailed })
			return list, err
		}
		err := ask(c.Context(), p, nil, *asJSON, send, func(list []control.NoticeTest) error { return report.NoticeTests(p.stdout, list) })
		if err == nil && failed {
			return &exitError{code: exitFailed}
		}
		return err
	}
	return group("notices", "Try how Filmspool tells you of problems", test)
}
