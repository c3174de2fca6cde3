package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
)

// webhookPatience is how long a webhook may take.
const webhookPatience = 10 * time.Second

// Webhook posts a notice as text, with the headers of ntfy (docs.ntfy.sh/publish):
// Title, Priority and Tags. The token goes along as a Bearer token; it may be
// empty. A redirect is not followed, since it could lead the token elsewhere.
func Webhook(address, token, agent string) func(context.Context, Notice) error {
	client := &http.Client{
		Timeout:       webhookPatience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, n Notice) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(n.Text))
		if err != nil {
			return errors.New("the address of the webhook is wrong")
		}
		r.Header.Set("Content-Type", "text/plain; charset=utf-8")
		r.Header.Set("User-Agent", agent)
		r.Header.Set("Title", n.Title)
		r.Header.Set("Priority", priority(n.Severity))
		r.Header.Set("Tags", strings.Join(n.Codes, ","))
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(r)
		if err != nil {
			return unreached(err)
		}
		defer answer.Body.Close()
		_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be kept; what it says does not count
		if answer.StatusCode/100 != 2 {
			return fmt.Errorf("the webhook answered %d", answer.StatusCode)
		}
		return nil
	}
}

// unreached says why a webhook could not be asked. The address is left out: with
// ntfy whoever knows it can read along.
func unreached(err error) error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		if at.Timeout() {
			return fmt.Errorf("the webhook did not answer within %s", webhookPatience)
		}
		err = at.Err
	}
	return fmt.Errorf("the webhook cannot be reached: %w", err)
}

// priority is a severity in ntfy's words.
func priority(s control.Severity) string {
	switch s {
	case control.NeedsYou:
		return "high"
	case control.Soon:
		return "default"
	default:
		return "low"
	}
}
