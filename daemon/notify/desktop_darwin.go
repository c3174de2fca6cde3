package notify

import (
	"context"
	"errors"
	"os"
)

// Desktop shows notices on the desktop of the person who runs this process. The error
// says why that cannot work here.
func Desktop(func(string) string) (func(context.Context, Notice) error, error) {
	if os.Geteuid() == 0 {
		return nil, errors.New("Filmspool runs for the whole machine here, and has no desktop")
	}
	return func(ctx context.Context, n Notice) error {
		return execute(ctx, []string{
			"/usr/bin/osascript", "-e", "on run told", "-e", "display notification (item 2 of told) with title (item 1 of told)", "-e", "end run",
			n.Title, n.Text,
		})
	}, nil
}
