package replay

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// oracle is a TMDB that finds by title and by a site's number, and counts how often it
// is asked.
type oracle struct {
	knows map[string]int64 // the film of a title, of any year
	may   map[string]int64 // what it may be: a film of another name

	mu    sync.Mutex
	fault error
	asked int
}

// times is how often it was asked.
func (o *oracle) times() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked
}

// fails has it fail from now on; nil ends that.
func (o *oracle) fails(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fault = err
}

func (o *oracle) Fetch(_ context.Context, wanted []resolve.Question) (map[resolve.Question]*resolve.Answer, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fault != nil {
		o.asked++
		return nil, o.fault
	}
	found := map[resolve.Question]*resolve.Answer{}
	for _, q := range wanted {
		a := resolve.Answer{}
		for _, id := range o.knows {
			if q.Ask == resolve.Details && q.Number == id {
				a.Works = []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id}}}
			}
		}
		if id := o.knows[q.Text]; id > 0 {
			a.Works = []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id, Title: q.Text, Year: q.Year}}}
		}
		if id := o.may[q.Text]; id > 0 {
			a.Works = []resolve.Work{{Candidate: resolve.Candidate{Type: viewing.Movie, TMDB: id, Title: "Like It", Year: 2001}}}
		}
		found[q] = &a
	}
	if q := wanted[0]; q.Ask != resolve.Details { // the names of a hit are asked about in the same breath
		o.asked++
	}
	return found, nil
}

func (o *oracle) asks(options *Options) {
	p := &resolve.Provider{Name: "TMDB", Asker: o, Log: slog.New(slog.DiscardHandler)}
	options.Others = func() resolve.Chain { return resolve.Chain{p} }
}

// What the service is not certain of is asked of others. What they are certain
// of leaves, and the rest says what it may be.
func TestOthersAreAskedAfterTheService(t *testing.T) {
	o := &oracle{knows: map[string]int64{"Nobody Knows": 11, "Dune": 438631}, may: map[string]int64{"Perhaps": 12}}
	inBed(t, false, o.asks, func(b *bed) {
		b.pass(time.Second)
		b.commit(
			nameless(filmBy("", "Dune", 2021)), // the service knows it
			nameless(filmBy("", "Nobody Knows", 2004)), nameless(filmBy("", "Perhaps", 2001)), nameless(filmBy("", "Not At All", 2001)),
		)
		b.pass(5 * time.Second)
		b.stands(1, viewing.StateDelivered, "", "movie:438631")
		b.stands(2, viewing.StateDelivered, "", "movie:11")
		b.stands(3, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.stands(4, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.explained(2, "resolve.asked by=TMDB: resolve.certain: why.title")
		b.explained(3, `resolve.may may="Like It" (2001; film tmdb 12)`)
		b.explained(4, "resolve.asked by=TMDB: resolve.uncertain: why.noTitle")
		b.mayBe(3, 12)
		b.mayBe(4)
		if got := o.times(); got != 1 {
			b.Errorf("asked %d times", got)
		}
		b.pass(day + time.Minute)
		if got := o.times(); got != 2 {
			b.Errorf("a day later: asked %d times", got)
		}
	})
}

// Where others cannot be asked, the service is asked as if there were none. Once
// somebody says that they can be asked again, they are.
func TestOthersThatCannotBeAskedAreAskedAgain(t *testing.T) {
	o := &oracle{knows: map[string]int64{"Alpha": 11}, fault: errors.New("away")}
	inBed(t, false, o.asks, func(b *bed) {
		b.pass(time.Second)
		b.commit(nameless(filmBy("", "Alpha", 2004)))
		b.pass(time.Minute)
		b.stands(1, viewing.StateHeld, viewing.ReasonUnresolved, "")
		b.pass(60 * day)
		if got := o.times(); got != 4 {
			b.Errorf("asked %d times in sixty days", got)
		}
		o.fails(nil)
		if err := b.store.AskAnew(b.Context(), "default"); err != nil {
			b.Fatal(err)
		}
		b.pass(time.Minute)
		b.stands(1, viewing.StateDelivered, "", "movie:11")
	})
}
