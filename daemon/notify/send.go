package notify

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gen2brain/beeep"

	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	title   = "Filmspool"
	timeout = 10 * time.Second // of the desktop, and of a webhook
)

// HasDesktop reports whether this process may reach the desktop of a person. On Linux it
// needs a session bus on this machine; other kinds of address would start programs, or go
// over the network.
func HasDesktop(getenv func(string) string) bool {
	address, folder := getenv("DBUS_SESSION_BUS_ADDRESS"), getenv("XDG_RUNTIME_DIR")
	if runtime.GOOS != "linux" || address != "" {
		return runtime.GOOS != "linux" || strings.HasPrefix(address, "unix:")
	}
	_, err := os.Stat(filepath.Join(folder, "bus"))
	return folder != "" && err == nil
}

// Desktop shows a notice on the desktop.
func Desktop(ctx context.Context, n Notice) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	text := n.Text
	if runtime.GOOS == "linux" { // desktops there read markup
		text = strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(text)
	}
	shown := make(chan error, 1)
	go func() {
		beeep.AppName = title
		shown <- beeep.Notify(title, text, "")
	}()
	select {
	case <-ctx.Done():
		return viewing.Say("notify.desktopSlow", "span", timeout.String())
	case err := <-shown:
		if err != nil {
			return viewing.Say("notify.notShown", "reason", err.Error())
		}
		return nil
	}
}

// Webhook posts a notice as text, with the headers of ntfy (docs.ntfy.sh/publish). The
// token may be empty. A redirect is not followed, since it could lead the token elsewhere.
func Webhook(address, token, agent string) func(context.Context, Notice) error {
	client := &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, n Notice) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(n.Text))
		if err != nil {
			return viewing.Say("notify.address")
		}
		r.Header.Set("Content-Type", "text/plain; charset=utf-8")
		r.Header.Set("User-Agent", agent)
		r.Header.Set("Title", title)
		r.Header.Set("Priority", "high")
		r.Header.Set("Tags", strings.Join(n.Codes, ","))
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(r)
		if at, is := errors.AsType[*url.Error](err); is && at.Timeout() {
			return viewing.Say("notify.webhookSlow", "span", timeout.String())
		} else if is { // without the address: with ntfy, everybody who knows it can read along
			err = at.Err
		}
		if err != nil {
			return viewing.Say("notify.webhook", "reason", err.Error())
		}
		defer answer.Body.Close()
		_, _ = io.CopyN(io.Discard, answer.Body, 4<<10) // so that the connection can be kept
		if answer.StatusCode/100 != 2 {
			return viewing.Say("notify.answered", "status", strconv.Itoa(answer.StatusCode))
		}
		return nil
	}
}
