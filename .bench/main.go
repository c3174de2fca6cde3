//go:build linux

// Command bench measures the queue beside its peers: one durable event at a
// time, from one caller and from 64, in one run with the disk's own floor.
//
//	cd .bench && go run . [-rounds N] [-for 500ms] [-dir DIR]
//
// Every contender does the same: it takes an event of about 330 bytes under a
// key of its own and answers once the disk has it. Rounds go in turn, so that
// a noisy minute harms all alike; medians over the rounds are printed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// callers is how many add at once in the second column.
const callers = 64

// contender takes events and answers when each is on disk.
type contender struct {
	name  string
	alone func(n int) error // from one caller; n is another for each event
	many  func(n int) error // from one of many at once; nil is as alone
	close func() error
}

// open makes a contender in a folder of its own.
type open func(ctx context.Context, dir string) (contender, error)

func main() {
	rounds := flag.Int("rounds", 5, "how many rounds; the first is for warming up")
	span := flag.Duration("for", 500*time.Millisecond, "how long each contender adds in each round")
	dir := flag.String("dir", "", "folder on the disk to measure; empty is the system's for temporary files")
	flag.Parse()
	if err := bench(*dir, *rounds, *span); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func bench(parent string, rounds int, span time.Duration) error {
	dir, err := os.MkdirTemp(parent, "filmspool-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all []*race
	for i, opens := range []open{openFloor, openOurs, openBacklite, openBolt} {
		own := fmt.Sprintf("%s/%d", dir, i)
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		c, err := opens(ctx, own)
		if err != nil {
			return fmt.Errorf("open contender %d: %w", i, err)
		}
		defer c.close()
		all = append(all, &race{contender: c})
	}
	for round := range rounds {
		for _, r := range all {
			if err := r.run(span, round > 0 || rounds == 1); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	table(all)
	return nil
}

// race is a contender with its figures, one of each for a round.
type race struct {
	contender
	added  int
	p50    []time.Duration // of one caller
	each   []time.Duration // of one of many
	perSec []float64       // by many
}

// run is one round.
func (r *race) run(span time.Duration, counts bool) error {
	took, err := r.add(span, r.alone, 1)
	if err != nil {
		return err
	}
	many := r.many
	if many == nil {
		many = r.alone
	}
	begun := time.Now()
	each, err := r.add(span, many, callers)
	if err != nil || !counts {
		return err
	}
	r.p50 = append(r.p50, median(took))
	r.each = append(r.each, median(each))
	r.perSec = append(r.perSec, float64(len(each))/time.Since(begun).Seconds())
	return nil
}

// add has n callers add one event after the other, and says how long each took.
func (r *race) add(span time.Duration, add func(int) error, n int) (took []time.Duration, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	end := time.Now().Add(span)
	for range n {
		all.Go(func() {
			for {
				mu.Lock()
				r.added++
				number, stop := r.added, err != nil
				mu.Unlock()
				begun := time.Now()
				if stop || begun.After(end) {
					return
				}
				fault := add(number)
				mu.Lock()
				took, err = append(took, time.Since(begun)), orElse(err, fault)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return took, err
}

func orElse(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func median[T time.Duration | float64](of []T) T {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

// table prints them; the first contender is the floor, the second ours.
func table(all []*race) {
	floor, ours := median(all[0].p50), median(all[1].perSec)
	fmt.Printf("%-22s %14s %9s %16s %14s %12s\n", "durable add", "1 caller p50", "× floor", "64 callers /s", "64 p50", "ours is")
	for i, r := range all {
		p50, rate := median(r.p50), median(r.perSec)
		ahead := ""
		if i > 1 {
			ahead = fmt.Sprintf("%.1f ×", ours/rate)
		}
		fmt.Printf("%-22s %14s %9.2f %16.0f %14s %12s\n", r.name,
			p50.Round(time.Microsecond), float64(p50)/float64(floor), rate, median(r.each).Round(10*time.Microsecond), ahead)
	}
}
