package replay

import (
	"errors"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/account"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/tracker"
	"github.com/filmspool/filmspool/queue/viewing"
)

func TestIdentifyReportsAnUnavailableService(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.advance(time.Second)
		b.armFault(batchEndpoint, "retry-after:90", 1)
		_, err := b.loop.Identify(b.Context(), resolve.Evidence{Media: filmBy("", "Dune", 2021)})
		if !errors.Is(err, ErrNotNow) || retryAfterOf(err) != 90*time.Second {
			b.Errorf("got %v, wait %s", err, retryAfterOf(err))
		}
		b.armFault(batchEndpoint, "status:503", 1)
		if _, err := b.loop.Identify(b.Context(), resolve.Evidence{Media: filmBy("", "Dune", 2021)}); !errors.Is(err, ErrNotNow) {
			b.Errorf("got %v", err)
		}
		why := func() string {
			b.loop.Wake()
			b.advance(time.Second)
			_, err := b.loop.Identify(b.Context(), resolve.Evidence{Media: filmBy("", "Dune", 2021)})
			if !errors.Is(err, ErrNotNow) {
				b.Errorf("got %v", err)
			}
			return viewing.MessagesOf(err)[0].Code
		}
		if err := b.store.UpdateAccount(b.Context(), "default", func(a *account.Row) { a.Pause = account.ByUser(time.Now(), time.Time{}, false) }); err != nil {
			b.Fatal(err)
		}
		if code := why(); code != "paused" {
			b.Errorf("while the user pauses: %s", code)
		}
		b.loop.SetService(nil)
		if code := why(); code != "why.notYet" {
			b.Errorf("without a key: %s", code)
		}
	})
}

// A Retry-After in the response to an entry also delays Identify.
func TestIdentifyRespectsRetryAfterOfEntries(t *testing.T) {
	withSandbox(t, false, nil, func(b *fixture) {
		b.advance(time.Second)
		b.armHistoryFault("retry-after:90", 1)
		b.commit(filmAgo(603, time.Hour))
		b.advance(10 * time.Second)
		asked := b.requestCount(batchEndpoint)
		_, err := b.loop.Identify(b.Context(), resolve.Evidence{Media: filmBy("", "Dune", 2021)})
		if wait := retryAfterOf(err); !errors.Is(err, ErrNotNow) || wait < time.Minute || wait > 90*time.Second || b.requestCount(batchEndpoint) != asked {
			b.Errorf("got %v, wait %s, asked %d times", err, wait, b.requestCount(batchEndpoint)-asked)
		}
		b.advance(2 * time.Minute)
		if got, err := b.loop.Identify(b.Context(), resolve.Evidence{Media: filmBy("", "Dune", 2021)}); err != nil || got.Item == nil {
			b.Errorf("afterwards: %+v, %v", got, err)
		}
	})
}

// retryAfterOf returns the Retry-After in an error.
func retryAfterOf(err error) time.Duration {
	v, _ := tracker.VerdictOf(err)
	return v.RetryAfter
}
