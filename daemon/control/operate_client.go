package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/filmspool/filmspool/queue"
)

// Operate implements [Operator].
func (c *Client) Operate(ctx context.Context, o Order) (Changed, error) {
	return ask[Changed](ctx, c, http.MethodPost, "/v1/control/operate", o)
}

// Edit implements [Operator].
func (c *Client) Edit(ctx context.Context, id int64, e Edit) (Entry, error) {
	return ask[Entry](ctx, c, http.MethodPatch, fmt.Sprintf("/v1/control/entries/%d", id), e)
}

// Undo implements [Operator].
func (c *Client) Undo(ctx context.Context, id int64, dry bool) (Undone, error) {
	return ask[Undone](ctx, c, http.MethodPost, fmt.Sprintf("/v1/control/entries/%d/undo", id), undoing{dry})
}

// Export implements [Operator]. An export that broke off is an error: the
// daemon cuts the connection then.
func (c *Client) Export(ctx context.Context, w io.Writer) error {
	return c.stream(ctx, http.MethodGet, "/v1/control/export", nil, func(answer io.Reader) error {
		_, err := io.Copy(w, answer)
		return err
	})
}

// Import implements [Operator].
func (c *Client) Import(ctx context.Context, r io.Reader, dry bool) (sum queue.Imported, err error) {
	path := "/v1/control/import"
	if dry {
		path += "?dryRun=true"
	}
	err = c.stream(ctx, http.MethodPost, path, r, func(answer io.Reader) error {
		return json.NewDecoder(answer).Decode(&sum)
	})
	return sum, err
}

// Backup implements [Operator]. A copy that broke off is an error, as in Export.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	return c.stream(ctx, http.MethodPost, "/v1/control/backup", nil, func(answer io.Reader) error {
		_, err := io.Copy(w, answer)
		return err
	})
}

// Pause implements [Operator].
func (c *Client) Pause(ctx context.Context, account string) ([]Account, error) {
	return ask[[]Account](ctx, c, http.MethodPost, "/v1/control/pause", pausing{account})
}

// Resume implements [Operator].
func (c *Client) Resume(ctx context.Context, account string) ([]Account, error) {
	return ask[[]Account](ctx, c, http.MethodPost, "/v1/control/resume", pausing{account})
}
