package demo

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/viewing"
)

// setTheStage starts everything and introduces everybody.
func (t *tour) setTheStage(ctx context.Context) error {
	s := &t.stage
	if err := s.openService(ctx, t.dir); err != nil {
		return err
	}
	t.say("A tracking service of our own answers at %s.", s.baseURL())
	if err := s.openLibrary(t.dir); err != nil {
		return err
	}
	if err := s.startDaemon(ctx, t.dir, t.o); err != nil {
		return err
	}
	t.say("Filmspool runs at http://%s and keeps its queue in %s.", s.listen, s.paths.State)
	login, err := s.control.Login(ctx, control.Login{
		Account: viewing.DefaultAccount, BaseURL: s.baseURL(), Key: s.service.SecretKey(),
	})
	if err != nil {
		return err
	}
	t.say("Login: the service knows the key, it is %s's.", login.User)
	if err := t.pairBrowser(ctx); err != nil {
		return err
	}
	err = t.until(ctx, "Kodi's library is known", func(st control.Status) bool {
		for _, src := range st.Sources {
			if src.Kind == "kodi" && src.LastSeen != nil {
				t.say("Kodi: %s. What was watched before is not sent.", src.Detail)
				return true
			}
		}
		return false
	})
	return err
}

// watchWithTheService lets everybody watch something while all is well.
func (t *tour) watchWithTheService(ctx context.Context) error {
	now := time.Now()
	if err := t.inBrowser(ctx, film(157336, "Gamma", 2014), now.Add(-time.Minute)); err != nil {
		return err
	}
	if err := t.inKodi(ctx, firstFilm, film(603, "Alpha One", 1999)); err != nil {
		return err
	}
	if err := t.byHand(ctx, episode(121361, "Show Blue", 1, 1), now.Add(-2*time.Hour)); err != nil {
		return err
	}
	if err := t.wishes(ctx); err != nil {
		return err
	}
	return t.delivered(ctx)
}

// watchWithout takes the service away and lets everybody go on.
func (t *tour) watchWithout(ctx context.Context) error {
	t.stage.serviceGone()
	t.say("The service is gone. Everybody goes on watching.")
	now := time.Now()
	if err := t.inBrowser(ctx, episode(1396, "Show Red", 1, 2), now.Add(-30*time.Second)); err != nil {
		return err
	}
	if err := t.inBrowser(ctx, film(27205, "Beta", 2010), now.Add(-20*time.Second)); err != nil {
		return err
	}
	// One file with two episodes: Kodi counts one play, two were watched.
	if err := t.inKodi(ctx, doubleEpisode, episode(1396, "Show Red", 1, 4), episode(1396, "Show Red", 1, 5)); err != nil {
		return err
	}
	if err := t.byHand(ctx, film(278, "Delta", 1994), now.Add(-26*time.Hour)); err != nil {
		return err
	}
	return t.until(ctx, "all of it waits", func(st control.Status) bool {
		waits := int(st.Counts.Pending + st.Counts.Sending)
		t.result.OfflineHeld = max(t.result.OfflineHeld, waits)
		if waits < 5 {
			return false
		}
		t.say("Filmspool says: %s", st.Summary)
		return true
	})
}

// restart stops the daemon while the queue is full, and starts it again.
func (t *tour) restart(ctx context.Context) error {
	if err := t.stage.stopDaemon(); err != nil {
		return err
	}
	t.say("Filmspool is stopped, with all that waits on disk.")
	if err := t.stage.startDaemon(ctx, t.dir, t.o); err != nil {
		return err
	}
	st, err := t.stage.control.Status(ctx)
	if err != nil {
		return err
	}
	t.say("It is started again: %d entries wait, as before.", st.Counts.Pending+st.Counts.Sending)
	return t.connectBrowser(ctx)
}

// bringBack brings the service back and waits until all is delivered.
func (t *tour) bringBack(ctx context.Context) error {
	if err := t.stage.serviceBack(ctx); err != nil {
		return err
	}
	t.say("The service is back.")
	return t.delivered(ctx)
}

// inKodi plays a file of the library to its end now, as Kodi writes it.
func (t *tour) inKodi(ctx context.Context, file int, parts ...viewing.Media) error {
	// Two ends within two seconds look like marks, not like playbacks.
	select {
	case <-time.After(time.Until(t.played.Add(3 * time.Second))):
	case <-ctx.Done():
		return ctx.Err()
	}
	at := time.Now()
	t.played = at
	if err := playToEnd(ctx, t.stage.kodi, file, at); err != nil {
		return err
	}
	for _, m := range parts {
		t.plan.watched = append(t.plan.watched, act{library, m, seconds(at)})
		t.say("Kodi      played %s to its end.", m.Label())
	}
	return nil
}

// byHand adds a viewing as "filmspool add" does.
func (t *tour) byHand(ctx context.Context, m viewing.Media, at time.Time) error {
	at = seconds(at)
	e, err := t.stage.control.Add(ctx, viewing.Event{
		Kind: viewing.KindViewing, EventID: rand.Text(), Media: []viewing.Media{m}, WatchedAt: viewing.At(at), Count: 1,
	})
	if err != nil {
		return err
	}
	t.plan.watched = append(t.plan.watched, act{command, m, at})
	t.say("CLI       added %s; it is entry %d.", m.Label(), e.ID)
	return nil
}

// wishes puts a series on the watchlist and creates a list.
func (t *tour) wishes(ctx context.Context) error {
	series := viewing.Media{Type: viewing.TV, IDs: viewing.IDs{TMDB: 1396}, Title: "Show Red"}
	if _, err := t.stage.control.Add(ctx, viewing.Event{
		Kind: viewing.KindWatchlist, EventID: rand.Text(), Media: []viewing.Media{series},
	}); err != nil {
		return err
	}
	t.plan.watchlist = append(t.plan.watchlist, series)
	list := viewing.List{Name: "Rainy days", Description: "For when it rains"}
	if _, err := t.stage.control.Add(ctx, viewing.Event{
		Kind: viewing.KindList, EventID: rand.Text(), List: &list,
	}); err != nil {
		return err
	}
	t.plan.lists = append(t.plan.lists, list.Name)
	t.say("CLI       put %s on the watchlist and created the list “%s”.", series.Label(), list.Name)
	return nil
}

// delivered waits until nothing waits any more and everything that was
// watched so far has been seen.
func (t *tour) delivered(ctx context.Context) error {
	want := int64(len(t.plan.watched) + len(t.plan.watchlist) + len(t.plan.lists))
	return t.until(ctx, "all is delivered", func(st control.Status) bool {
		if st.Counts.Pending+st.Counts.Sending > 0 || st.Counts.Delivered+control.NeedUser(st.Counts) < want {
			return false
		}
		t.say("Filmspool says: %s %d delivered so far.", st.Summary, st.Counts.Delivered)
		return true
	})
}

// until asks for the status until it is good.
func (t *tour) until(ctx context.Context, what string, good func(control.Status) bool) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last control.Status
	for {
		st, err := t.stage.control.Status(ctx)
		if err == nil && good(st) {
			return nil
		}
		if err == nil {
			last = st
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w; last status: %s", what, ctx.Err(), last.Summary)
		case <-tick.C:
		}
	}
}
