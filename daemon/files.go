package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmspool/filmspool/daemon/config"
	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/transfer"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	// maxFileAge is how long an unconfirmed file, and the record of an imported one, are kept.
	maxFileAge = 24 * time.Hour
	// importRetry is how long an import waits for a disk that cannot be written.
	importRetry = 30 * time.Second
	// importBatch is how many rows are committed at once.
	importBatch = 1000
)

// fileImports are the running imports of history files. Each file is stored in the state folder
// together with its record until its import has ended; an interrupted import continues at the
// next start.
type fileImports struct {
	turn      chan struct{}   // held by the one running import
	daemonCtx context.Context // of the daemon, so that imports outlive their request; nil in an offline command
	work      sync.WaitGroup
	mu        sync.Mutex
	jobs      map[string]*fileJob // by id of the file
}

// fileJob is a running import.
type fileJob struct {
	since time.Time
	rows  atomic.Int64
	ended chan struct{}
	stop  context.CancelFunc
	file  control.File // the result
	err   error
}

// filePath returns the path of a history file. Its record is next to it.
func (d *core) filePath(name string) string { return filepath.Join(d.o.Paths.State, "imports", name) }

// AddFile implements [control.API].
func (d *core) AddFile(_ context.Context, name string, content io.Reader) (f control.File, err error) {
	if err := os.MkdirAll(d.filePath(""), 0o700); err != nil {
		return f, fmt.Errorf("keep a history file: %w", err)
	}
	if err := d.removeOldFiles(); err != nil {
		return f, err
	}
	kept, err := os.CreateTemp(d.filePath(""), ".new-*") // of mode 0600
	if err != nil {
		return f, fmt.Errorf("keep a history file: %w", err)
	}
	defer func() { _ = errors.Join(kept.Close(), os.Remove(kept.Name())) }() // it may have been renamed
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(kept, hash), io.LimitReader(content, transfer.MaxSize+1))
	if err != nil {
		return f, fmt.Errorf("keep a history file: %w", err)
	}
	form, _, err := openHistory(kept, size)
	if err != nil {
		return f, err
	}
	f = control.File{ID: hex.EncodeToString(hash.Sum(nil)[:16]), Name: filepath.Base(name), AddedAt: time.Now().UTC()}
	f.Format = form.Name
	if known, err := d.loadFile(f.ID); err == nil && known.Runs() {
		return known, nil
	}
	err = errors.Join(kept.Sync(), kept.Close())
	if err == nil {
		err = os.Rename(kept.Name(), d.filePath(f.ID))
	}
	if err != nil {
		return f, fmt.Errorf("keep a history file: %w", err)
	}
	return f, d.saveFile(f)
}

// openHistory opens a history file and detects its format.
func openHistory(r io.ReaderAt, size int64) (form transfer.Format, file *transfer.File, err error) {
	if file, err = transfer.Open(r, size); err == nil {
		form, err = transfer.Detect(file)
	}
	if err != nil {
		err = fileFault(err)
	}
	return form, file, err
}

// fileFault returns the fault for a file that cannot be read.
func fileFault(err error) error {
	return control.Refused(viewing.MessagesOf(err)[0], viewing.Message{})
}

// loadFile reads the record of a file.
func (d *core) loadFile(id string) (f control.File, err error) {
	text, err := []byte(nil), fs.ErrNotExist
	if _, bad := hex.DecodeString(id); bad == nil {
		text, err = os.ReadFile(d.filePath(id + ".json"))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, control.NotFound(viewing.Say("fault.noFile"), viewing.Message{})
	case err != nil:
		return f, fmt.Errorf("read what is known of a history file: %w", err)
	}
	err = json.Unmarshal(text, &f)
	return f, err
}

func (d *core) saveFile(f control.File) error {
	text, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("keep what is known of a history file: %w", err)
	}
	return config.WriteFile(d.filePath(f.ID+".json"), text)
}

// removeOldFiles removes expired files and records.
func (d *core) removeOldFiles() error {
	all, err := os.ReadDir(d.filePath(""))
	if errors.Is(err, fs.ErrNotExist) { // nothing was ever imported
		return nil
	}
	for _, one := range all {
		f, unknown := d.loadFile(strings.TrimSuffix(one.Name(), ".json"))
		info, gone := one.Info()
		if gone == nil && time.Since(info.ModTime()) > maxFileAge && (unknown != nil || !f.Runs()) {
			err = errors.Join(err, os.Remove(d.filePath(one.Name())))
		}
	}
	return err
}

// Files implements [control.API].
func (d *core) Files(context.Context) ([]control.File, error) {
	names, err := filepath.Glob(d.filePath("*.json"))
	if err != nil {
		return nil, err
	}
	all := []control.File{}
	d.files.mu.Lock()
	defer d.files.mu.Unlock()
	for _, name := range names {
		f, err := d.loadFile(strings.TrimSuffix(filepath.Base(name), ".json"))
		if err != nil {
			continue // it was just removed
		}
		if job := d.files.jobs[f.ID]; job != nil {
			f.Done, f.StartedAt = int(job.rows.Load()), job.since
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b control.File) int { return b.AddedAt.Compare(a.AddedAt) })
	return all, nil
}

// ForgetFile implements [control.API].
func (d *core) ForgetFile(_ context.Context, id string) error {
	if _, err := d.loadFile(id); err != nil {
		return err
	}
	d.files.mu.Lock()
	job := d.files.jobs[id]
	d.files.mu.Unlock()
	if job != nil {
		job.stop()
		<-job.ended
	}
	return errors.Join(os.RemoveAll(d.filePath(id)), os.RemoveAll(d.filePath(id+".json")))
}

// PreviewFile implements [control.API].
func (d *core) PreviewFile(ctx context.Context, o control.FileOrder) (control.File, error) {
	f, err := d.loadFile(o.ID)
	if err != nil || f.Agreed {
		return f, err
	}
	f.Dates, f.Person = o.Dates, o.Person
	i := newFileImport(d, f)
	i.histories = newHistories(d)
	if err := i.read(ctx); err != nil {
		return f, err
	}
	if f.Person != "" && i.count.People[f.Person] == 0 {
		return f, control.Invalid(viewing.Say("fault.noPerson", "name", f.Person), personHint(slices.Sorted(maps.Keys(i.count.People))))
	}
	i.count.SendSeconds = d.sendSeconds(i.count.New - i.count.Unresolved - i.count.Held - i.count.Ignored)
	f.FilePreview = i.count
	return f, d.saveFile(f)
}

// personHint returns a hint with the people in a file.
func personHint(names []string) viewing.Message {
	return viewing.Say("hint.person", "names", strings.Join(names, ", "))
}

// ImportFile implements [control.API].
func (d *core) ImportFile(ctx context.Context, o control.FileOrder) (control.File, error) {
	f, err := d.loadFile(o.ID)
	switch {
	case err != nil || !f.EndedAt.IsZero():
		return f, err
	case f.Skipped == nil:
		return f, control.Refused(viewing.Say("fault.noPreview"), viewing.Message{})
	case f.PeopleToChoose() != nil:
		return f, control.Invalid(viewing.Say("fault.severalPeople"), personHint(f.PeopleToChoose()))
	case f.AmbiguousDates > 0:
		return f, control.Invalid(viewing.Say("fault.ambiguousDates"), viewing.Say("hint.dates"))
	case !f.Agreed:
		f.Agreed = true
		if err := d.saveFile(f); err != nil {
			return f, err
		}
	}
	job, leave := d.startImport(ctx, f), (<-chan struct{})(nil)
	switch {
	case !o.Wait:
		return f, nil
	case d.files.daemonCtx != nil: // else, in an offline command, the job ends with its request
		leave = ctx.Done()
	}
	select {
	case <-job.ended:
		return job.file, job.err
	case <-leave:
		return f, ctx.Err()
	}
}

// resumeFiles continues interrupted imports.
func (d *core) resumeFiles(ctx context.Context) {
	all, err := d.Files(ctx)
	if err == nil {
		err = d.removeOldFiles()
	}
	if err != nil {
		d.log.Warn("the folder of history files cannot be read", "error", err)
	}
	for _, f := range slices.Backward(all) {
		if f.Runs() {
			<-d.startImport(ctx, f).ended
		}
	}
}

// startImport starts a confirmed import unless it is running already.
func (d *core) startImport(ctx context.Context, f control.File) *fileJob {
	d.files.mu.Lock()
	defer d.files.mu.Unlock()
	if job := d.files.jobs[f.ID]; job != nil {
		return job
	}
	if d.files.daemonCtx != nil {
		ctx = d.files.daemonCtx
	}
	job := &fileJob{since: time.Now().UTC(), ended: make(chan struct{}), file: f}
	ctx, job.stop = context.WithCancel(ctx)
	d.files.jobs[f.ID] = job
	d.files.work.Go(func() { d.runImport(ctx, job) })
	return job
}

// runImport imports a file. An interrupted import continues at the next start.
func (d *core) runImport(ctx context.Context, job *fileJob) {
	defer close(job.ended)
	defer job.stop()
	select {
	case d.files.turn <- struct{}{}:
		defer func() { <-d.files.turn }()
	case <-ctx.Done():
	}
	i := newFileImport(d, job.file)
	i.rows = &job.rows
	err := i.read(ctx)
	for errors.Is(err, sqlite.ErrStorage) && ctx.Err() == nil {
		d.log.Warn("an import waits: the queue cannot be written", "file", job.file.ID, "error", err)
		select {
		case <-time.After(importRetry):
		case <-ctx.Done():
		}
		err = i.read(ctx)
	}
	fault, wrong := errors.AsType[*control.Fault](err)
	if err == nil || wrong {
		f := &job.file
		if !i.resumed {
			f.New, f.Known, f.Unresolved, f.Held, f.Ignored = i.count.New-f.AtService, i.count.Known+f.AtService, i.count.Unresolved, i.count.Held, i.count.Ignored
		}
		if f.EndedAt = time.Now().UTC(); wrong {
			f.Problem = fault.Message
		}
		_, kept := d.store.Commit(ctx, viewing.Batch{Source: i.source, State: map[string][]byte{f.ID: nil}})
		err = errors.Join(err, d.saveFile(*f), os.Remove(d.filePath(f.ID)), kept)
	}
	if job.err = err; err != nil && ctx.Err() == nil {
		d.log.Error("an import has failed", "file", job.file.ID, "error", err)
	}
	d.files.mu.Lock()
	delete(d.files.jobs, job.file.ID)
	d.files.mu.Unlock()
}

// fileImport reads a file once, to import it or to count what an import would do.
type fileImport struct {
	d         *core
	f         control.File
	histories *histories               // for a preview; nil for an import
	watchlist map[string]bool          // items read so far
	lists     map[string]viewing.Event // lists read so far, by source and event id
	rows      *atomic.Int64            // the progress
	resumed   bool                     // an earlier run imported some rows
	source    string
	count     control.FilePreview
}

func newFileImport(d *core, f control.File) fileImport {
	return fileImport{
		d: d, f: f, watchlist: map[string]bool{}, lists: map[string]viewing.Event{}, rows: new(atomic.Int64), source: viewing.SourceFile + ":" + f.Format,
	}
}

// read reads the file from its beginning, or from where an import was interrupted.
func (i *fileImport) read(ctx context.Context) error {
	content, err := os.Open(i.d.filePath(i.f.ID))
	if err != nil {
		return fmt.Errorf("open a history file: %w", err)
	}
	defer content.Close()
	info, err := content.Stat()
	if err != nil {
		return fmt.Errorf("open a history file: %w", err)
	}
	form, file, err := openHistory(content, info.Size())
	if err != nil {
		return err
	}
	i.count = control.FilePreview{Format: i.f.Format, Skipped: map[string]int{}}
	done := 0 // rows committed by an earlier run
	if i.histories == nil {
		state, err := i.d.store.State(ctx, i.source)
		if err != nil {
			return err
		}
		done, _ = strconv.Atoi(string(state[i.f.ID]))
		i.resumed = done > 0
	}
	o := transfer.Options{}
	if i.f.Dates != "" {
		first := i.f.Dates == control.DayFirst
		o.DayFirst = &first
	}
	reading, stop := context.WithCancel(ctx)
	chunks := readAhead(reading, form.Read(file, o))
	defer func() {
		stop()
		for range chunks { // until the reader has stopped
		}
	}()
	for c := range chunks {
		batch := map[string][]viewing.Event{}
		for _, row := range c.rows {
			if i.count.Rows++; i.count.Rows > done {
				i.addRow(row, batch)
			}
		}
		if i.count.Rows > done {
			if err := i.commit(ctx, batch); err != nil {
				return err
			}
		}
		if c.err != nil {
			return fileFault(c.err)
		}
	}
	return ctx.Err()
}

// chunk contains rows in file order, and the error that follows them.
type chunk struct {
	rows []transfer.Row
	err  error
}

// readAhead reads rows while earlier ones are committed, until ctx ends.
func readAhead(ctx context.Context, rows iter.Seq2[transfer.Row, error]) <-chan chunk {
	chunks := make(chan chunk, 1)
	go func() {
		defer close(chunks)
		c := chunk{}
		send := func() bool {
			select {
			case chunks <- c:
				c = chunk{}
				return true
			case <-ctx.Done():
				return false
			}
		}
		for row, err := range rows {
			if c.err = err; err != nil {
				break
			}
			if c.rows = append(c.rows, row); len(c.rows) == importBatch && !send() {
				return
			}
		}
		send()
	}()
	return chunks
}

// addRow adds the event of a row to the batch of its source, or counts why it is omitted.
func (i *fileImport) addRow(row transfer.Row, batch map[string][]viewing.Event) {
	if row.Person != "" {
		if i.count.People == nil {
			i.count.People = map[string]int{}
		}
		i.count.People[row.Person]++
	}
	switch {
	case row.Person != i.f.Person && row.Person != "" && i.f.Person != "":
		i.count.Skipped["person"]++
		return
	case row.Skip != "":
		i.count.Skipped[string(row.Skip)]++
		return
	case row.Ambiguous:
		i.count.AmbiguousDates++
		return
	}
	e := row.Event
	switch e.Kind {
	case viewing.KindViewing:
		i.count.Viewings++
	case viewing.KindWatchlist:
		i.count.Watchlist++
	case viewing.KindList:
		i.count.Lists++
	case viewing.KindListItem:
		i.count.ListItems++
	}
	e.Class = cmp.Or(e.Class, viewing.ClassImport)
	if e.EventID = row.Key; row.Source == "" {
		row.Source, e.EventID = i.source, i.f.Format+":"+row.Key
		if e.InList != "" {
			e.InList = i.f.Format + ":" + e.InList
		}
	}
	if e.Kind == viewing.KindWatchlist && e.Media[0].Key() != "" {
		key := e.Media[0].Key()
		if i.watchlist[key] { // a duplicate
			i.count.Known++
			return
		}
		i.watchlist[key] = true
	}
	batch[row.Source] = append(batch[row.Source], e)
}

// commit commits a batch and the position in the file, or counts what that would do. The file's
// own source is last, because its state marks the batch as complete.
func (i *fileImport) commit(ctx context.Context, batch map[string][]viewing.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	own := batch[i.source]
	delete(batch, i.source)
	for _, source := range slices.Sorted(maps.Keys(batch)) {
		if err := i.commitSource(ctx, source, batch[source]); err != nil {
			return err
		}
	}
	return i.commitSource(ctx, i.source, own)
}

// commitSource commits the events of one source and counts the outcomes.
func (i *fileImport) commitSource(ctx context.Context, source string, events []viewing.Event) error {
	b, do, before := viewing.Batch{Source: source, Events: events}, i.d.store.Commit, 0
	switch {
	case i.histories != nil:
		lists := i.earlierLists(source, events)
		b.Events, before = append(lists, events...), len(lists)
		do = i.d.store.Preview
	case source == i.source:
		b.State = map[string][]byte{i.f.ID: strconv.AppendInt(nil, int64(i.count.Rows), 10)}
	}
	outcomes, err := do(ctx, b)
	for n, o := range outcomes[min(before, len(outcomes)):] {
		switch {
		case o.Status == viewing.StatusDuplicate || o.Status == viewing.StatusConflict || o.Joined:
			i.count.Known++
		case i.histories != nil && i.atService(ctx, source, events[n]):
			i.count.Known++
			i.count.AtService++
		case o.Status == viewing.StatusDropped:
			i.count.Ignored++
		case o.Held == viewing.ReasonUnresolved:
			i.count.Unresolved++
		case o.Held != "":
			i.count.Held++
		}
	}
	i.count.New = i.count.Viewings + i.count.Watchlist + i.count.Lists + i.count.ListItems - i.count.Known
	i.rows.Store(int64(i.count.Rows))
	return err
}

// earlierLists returns the lists of earlier batches that the events refer to: a preview has not
// stored them.
func (i *fileImport) earlierLists(source string, events []viewing.Event) (lists []viewing.Event) {
	for _, e := range events {
		list, known := i.lists[source+" "+e.InList]
		if known && (len(lists) == 0 || lists[len(lists)-1].EventID != e.InList) {
			lists = append(lists, list)
		}
	}
	for _, e := range events {
		if e.Kind == viewing.KindList {
			i.lists[source+" "+e.EventID] = e
		}
	}
	return lists
}

// atService reports whether the services of all accounts already have a viewing. Such a viewing
// is found there before it would be sent.
func (i *fileImport) atService(ctx context.Context, source string, v viewing.Event) bool {
	has := i.histories.hasAll(ctx, i.d.store.AccountsOf(source))
	i.count.Unread = i.histories.unread()
	return has != nil && v.Kind == viewing.KindViewing && !slices.ContainsFunc(v.Media, func(m viewing.Media) bool {
		return !has(m, v.WatchedAt, 0)
	})
}
