package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/sqlite"
	"github.com/filmspool/filmspool/queue/transfer"
	"github.com/filmspool/filmspool/queue/viewing"
)

const (
	// maxUpload bounds a history file, in bytes.
	maxUpload = 2 << 30
	// fileAge is how long a file is kept that nobody has agreed to import, and what is known
	// of one that was imported.
	fileAge = 24 * time.Hour
	// retryImport is how long an import waits for a disk that cannot be written.
	retryImport = 30 * time.Second
)

// fileImports are the imports of history files that run. Each file lies in the state folder
// beside what is known of it until its import has ended: an import that was cut goes on at
// the next start.
type fileImports struct {
	turn sync.Mutex // of one import after another
	mu   sync.Mutex
	jobs map[string]*fileJob // by file
	// run begins an import that outlives its asker. Nil is while no daemon runs.
	run func(func(context.Context))
}

// fileJob is an import that runs.
type fileJob struct {
	since time.Time
	rows  atomic.Int64
	ended chan struct{}
	stop  context.CancelFunc
	file  control.File // what became of it
	err   error
}

// fileFolder is where history files are kept.
func (d *core) fileFolder() string { return filepath.Join(d.o.Paths.State, "imports") }

// AddFile implements [control.API].
func (d *core) AddFile(_ context.Context, name string, content io.Reader) (control.File, error) {
	if err := os.MkdirAll(d.fileFolder(), 0o700); err != nil {
		return control.File{}, fmt.Errorf("keep a history file: %w", err)
	}
	if err := d.sweepFiles(); err != nil {
		return control.File{}, err
	}
	kept, err := os.CreateTemp(d.fileFolder(), ".new-*") // of mode 0600
	if err != nil {
		return control.File{}, fmt.Errorf("keep a history file: %w", err)
	}
	defer func() { _ = errors.Join(kept.Close(), os.Remove(kept.Name())) }() // it may have been renamed
	hash := sha256.New()
	size, err := io.Copy(io.MultiWriter(kept, hash), io.LimitReader(content, maxUpload+1))
	switch {
	case err != nil:
		return control.File{}, fmt.Errorf("keep a history file: %w", err)
	case size > maxUpload:
		return control.File{}, control.Refused(viewing.Say("fault.fileLarge"), viewing.Message{})
	}
	form, _, err := openHistory(kept, size)
	if err != nil {
		return control.File{}, err
	}
	f := control.File{ID: hex.EncodeToString(hash.Sum(nil)[:16]), Name: filepath.Base(name), AddedAt: time.Now().UTC()}
	f.Format = form.Name
	if known, err := d.file(f.ID); err == nil && known.Agreed && known.EndedAt.IsZero() {
		return known, nil
	}
	err = errors.Join(kept.Sync(), kept.Close())
	if err == nil {
		err = os.Rename(kept.Name(), filepath.Join(d.fileFolder(), f.ID))
	}
	if err != nil {
		return control.File{}, fmt.Errorf("keep a history file: %w", err)
	}
	return f, d.saveFile(f)
}

// openHistory looks into a history file, and finds its form.
func openHistory(r io.ReaderAt, size int64) (form transfer.Format, file *transfer.File, err error) {
	if file, err = transfer.Open(r, size); err == nil {
		form, err = transfer.Detect(file)
	}
	if err != nil {
		err = unreadable(err)
	}
	return form, file, err
}

// unreadable refuses a file in a person's words.
func unreadable(err error) error {
	return control.Refused(viewing.MessagesOf(err)[0], viewing.Message{})
}

// file reads what is known of a file.
func (d *core) file(id string) (f control.File, err error) {
	text, err := []byte(nil), fs.ErrNotExist
	if _, bad := hex.DecodeString(id); bad == nil {
		text, err = os.ReadFile(filepath.Join(d.fileFolder(), id+".json"))
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
	return config.WriteFile(filepath.Join(d.fileFolder(), f.ID+".json"), text)
}

func (d *core) removeFile(id string) error {
	err := os.Remove(filepath.Join(d.fileFolder(), id))
	if errors.Is(err, fs.ErrNotExist) { // it has been imported
		err = nil
	}
	return errors.Join(err, os.Remove(filepath.Join(d.fileFolder(), id+".json")))
}

// sweepFiles removes what is too old.
func (d *core) sweepFiles() error {
	all, err := os.ReadDir(d.fileFolder())
	if errors.Is(err, fs.ErrNotExist) { // nothing was ever imported
		return nil
	}
	for _, one := range all {
		id := strings.TrimSuffix(one.Name(), ".json")
		if f, unknown := d.file(id); unknown == nil && f.Agreed && f.EndedAt.IsZero() {
			continue
		}
		if info, gone := one.Info(); gone == nil && time.Since(info.ModTime()) > fileAge {
			err = errors.Join(err, os.Remove(filepath.Join(d.fileFolder(), one.Name())))
		}
	}
	return err
}

// Files implements [control.API].
func (d *core) Files(context.Context) ([]control.File, error) {
	names, err := filepath.Glob(filepath.Join(d.fileFolder(), "*.json"))
	if err != nil {
		return nil, err
	}
	all := []control.File{}
	d.files.mu.Lock()
	defer d.files.mu.Unlock()
	for _, name := range names {
		f, err := d.file(strings.TrimSuffix(filepath.Base(name), ".json"))
		if err != nil {
			continue // it has just gone
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
	if _, err := d.file(id); err != nil {
		return err
	}
	d.files.mu.Lock()
	job := d.files.jobs[id]
	d.files.mu.Unlock()
	if job != nil {
		job.stop()
		<-job.ended
	}
	return d.removeFile(id)
}

// PreviewFile implements [control.API].
func (d *core) PreviewFile(ctx context.Context, o control.FileOrder) (control.File, error) {
	f, err := d.file(o.ID)
	if err != nil || f.Agreed {
		return f, err
	}
	f.Dates, f.Person = o.Dates, o.Person
	i := fileImport{d: d, f: f, dry: true, past: newPast(d), wishes: map[string]bool{}}
	if err := i.read(ctx); err != nil {
		return f, err
	}
	if f.Person != "" && i.count.People[f.Person] == 0 {
		return f, control.Invalid(viewing.Say("fault.noPerson", "name", f.Person), personHint(slices.Sorted(maps.Keys(i.count.People))))
	}
	i.count.SendSeconds = d.toSend(i.count.New - i.count.Unresolved - i.count.Held - i.count.Ignored)
	f.FilePreview = i.count
	return f, d.saveFile(f)
}

// personHint says whose rows a file holds.
func personHint(names []string) viewing.Message {
	return viewing.Say("hint.person", "names", strings.Join(names, ", "))
}

// ImportFile implements [control.API].
func (d *core) ImportFile(ctx context.Context, o control.FileOrder) (control.File, error) {
	f, err := d.file(o.ID)
	switch {
	case err != nil:
		return f, err
	case f.Skipped == nil:
		return f, control.Refused(viewing.Say("fault.noPreview"), viewing.Message{})
	case f.Whose() != nil:
		return f, control.Refused(viewing.Say("fault.severalPeople"), personHint(f.Whose()))
	case f.AmbiguousDates > 0:
		return f, control.Refused(viewing.Say("fault.ambiguousDates"), viewing.Say("hint.dates"))
	}
	if !f.Agreed {
		f.Agreed = true
		if err := d.saveFile(f); err != nil {
			return f, err
		}
	}
	return d.runFile(ctx, f, o.Wait)
}

// resumeFiles goes on with the imports that were cut.
func (d *core) resumeFiles(ctx context.Context) {
	all, err := d.Files(ctx)
	if err == nil {
		err = d.sweepFiles()
	}
	if err != nil {
		d.log.Warn("the folder of history files cannot be read", "error", err)
	}
	for _, f := range slices.Backward(all) {
		if f.Agreed && f.EndedAt.IsZero() {
			_, _ = d.runFile(ctx, f, true) // it logs what goes wrong
		}
	}
}

// runFile imports a file that a person has agreed to, unless that is under way, and may wait
// for the end.
func (d *core) runFile(ctx context.Context, f control.File, wait bool) (control.File, error) {
	d.files.mu.Lock()
	job := d.files.jobs[f.ID]
	if job == nil && f.EndedAt.IsZero() {
		job = &fileJob{since: time.Now().UTC(), ended: make(chan struct{}), file: f}
		if d.files.jobs == nil {
			d.files.jobs = map[string]*fileJob{}
		}
		d.files.jobs[f.ID] = job
		run := d.files.run
		if run == nil {
			run = func(do func(context.Context)) { go do(ctx) }
		}
		begun := make(chan struct{})
		run(func(ctx context.Context) {
			ctx, job.stop = context.WithCancel(ctx)
			close(begun)
			defer job.stop()
			d.importFile(ctx, job)
		})
		<-begun
	}
	d.files.mu.Unlock()
	if job == nil || !wait && d.files.run != nil {
		return f, nil
	}
	select {
	case <-job.ended:
		return job.file, job.err
	case <-ctx.Done():
		if d.files.run == nil { // nobody else goes on with it
			<-job.ended
		}
		return f, ctx.Err()
	}
}

// importFile imports a file. What was cut, for whatever reason, goes on at the next start.
func (d *core) importFile(ctx context.Context, job *fileJob) {
	defer close(job.ended)
	d.files.turn.Lock()
	defer d.files.turn.Unlock()
	i := fileImport{d: d, f: job.file, rows: &job.rows}
	err := i.read(ctx)
	for errors.Is(err, sqlite.ErrStorage) && ctx.Err() == nil {
		d.log.Warn("an import waits: the queue cannot be written", "file", job.file.ID, "error", err)
		select {
		case <-time.After(retryImport):
		case <-ctx.Done():
		}
		err = i.read(ctx)
	}
	fault, wrong := errors.AsType[*control.Fault](err)
	if err == nil || wrong {
		f := &job.file
		if f.EndedAt = time.Now().UTC(); !i.resumed {
			f.New, f.Known, f.Unresolved, f.Held, f.Ignored = i.count.New-f.AtService, i.count.Known+f.AtService, i.count.Unresolved, i.count.Held, i.count.Ignored
		}
		if wrong {
			f.Problem = fault.Message
		}
		err = errors.Join(err, d.saveFile(*f), os.Remove(filepath.Join(d.fileFolder(), f.ID)))
		_, kept := d.store.Commit(ctx, viewing.Batch{Source: i.source, State: map[string][]byte{f.ID: nil}})
		err = errors.Join(err, kept)
	}
	if job.err = err; err != nil && ctx.Err() == nil {
		d.log.Error("an import has failed", "file", job.file.ID, "error", err)
	}
	d.files.mu.Lock()
	delete(d.files.jobs, job.file.ID)
	d.files.mu.Unlock()
}

// fileImport reads a file once: it imports it, or only counts what that would do.
type fileImport struct {
	d       *core
	f       control.File
	dry     bool
	past    *past           // what services have; of a dry run
	wishes  map[string]bool // of the file so far, by item; of a dry run
	rows    *atomic.Int64   // shows how far it is
	resumed bool            // some rows were imported before
	source  string
	batch   []transfer.Row
	count   control.FilePreview
}

// importBatch is how many rows are committed at once.
const importBatch = 500

// read reads the file from its beginning, or from where an earlier read was cut.
func (i *fileImport) read(ctx context.Context) error {
	content, err := os.Open(filepath.Join(i.d.fileFolder(), i.f.ID))
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
	i.source = viewing.SourceFile + ":" + form.Name
	i.count = control.FilePreview{Format: form.Name, Skipped: map[string]int{}}
	done := 0 // rows that are on disk
	if !i.dry {
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
	n := 0
	for row, err := range form.Read(file, o) {
		if err != nil {
			return errors.Join(unreadable(err), i.flush(ctx))
		}
		if n++; n <= done {
			continue
		}
		i.count.Rows = n
		if i.take(row); len(i.batch) == importBatch {
			if err := i.flush(ctx); err != nil {
				return err
			}
		}
	}
	return i.flush(ctx)
}

// take takes a row into the batch, or counts why it is left out.
func (i *fileImport) take(row transfer.Row) {
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
	switch row.Event.Kind {
	case viewing.KindViewing:
		i.count.Viewings++
	case viewing.KindWatchlist:
		i.count.Watchlist++
	case viewing.KindList:
		i.count.Lists++
	case viewing.KindListItem:
		i.count.ListItems++
	}
	if row.Event.Class == "" {
		row.Event.Class = viewing.ClassImport
	}
	if row.Event.EventID = row.Key; row.Source == "" {
		row.Source, row.Event.EventID = i.source, i.f.Format+":"+row.Key
		if row.Event.InList != "" {
			row.Event.InList = i.f.Format + ":" + row.Event.InList
		}
	}
	i.batch = append(i.batch, row)
}

// flush commits the batch, with how far the file is read, or counts what that would do.
func (i *fileImport) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var sources []string // our own last: its state says that the batch is done
	bySource := map[string][]viewing.Event{i.source: nil}
	for _, row := range i.batch {
		known, err := i.wished(ctx, row)
		switch {
		case err != nil:
			return err
		case known:
			i.count.Known++
			continue
		}
		if _, seen := bySource[row.Source]; !seen {
			sources = append(sources, row.Source)
		}
		bySource[row.Source] = append(bySource[row.Source], row.Event)
	}
	i.batch = i.batch[:0]
	for _, source := range append(sources, i.source) {
		if err := i.commit(ctx, viewing.Batch{Source: source, Events: bySource[source]}); err != nil {
			return err
		}
	}
	if i.rows != nil {
		i.rows.Store(int64(i.count.Rows))
	}
	return nil
}

// commit commits events of one source, with how far the file is read, and counts what
// becomes of them.
func (i *fileImport) commit(ctx context.Context, b viewing.Batch) error {
	do := i.d.store.Commit
	switch {
	case i.dry:
		do = i.d.store.Preview
	case b.Source == i.source:
		b.State = map[string][]byte{i.f.ID: strconv.AppendInt(nil, int64(i.count.Rows), 10)}
	}
	outcomes, err := do(ctx, b)
	for n, o := range outcomes {
		known := o.Status == viewing.StatusDuplicate || o.Status == viewing.StatusConflict || o.Joined
		switch {
		case known:
			i.count.Known++
		case i.dry && i.atService(ctx, b.Source, b.Events[n]):
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
	return err
}

// atService reports whether the services of all accounts have a viewing already: they tell
// before it is sent, and it is not sent then.
func (i *fileImport) atService(ctx context.Context, source string, v viewing.Event) bool {
	accounts := i.d.store.AccountsOf(source)
	for _, name := range accounts {
		i.past.consult(ctx, name)
	}
	i.count.Unread = i.past.unread()
	has, _ := i.past.has(accounts)
	return has != nil && v.Kind == viewing.KindViewing && !slices.ContainsFunc(v.Media, func(m viewing.Media) bool {
		return !has(m, v.WatchedAt, 0)
	})
}

// wished reports whether the item of a wish is on the watchlist already.
func (i *fileImport) wished(ctx context.Context, row transfer.Row) (bool, error) {
	if row.Event.Kind != viewing.KindWatchlist || row.Event.Media[0].Key() == "" {
		return false, nil
	}
	key := row.Event.Media[0].Key()
	before := i.wishes[key]
	if i.dry {
		i.wishes[key] = true
	}
	for _, account := range i.d.store.AccountsOf(row.Source) {
		all, err := i.d.store.Entries(ctx, entry.Filter{Kind: viewing.KindWatchlist, Item: key, Account: account, Kept: true, Limit: 1})
		if err != nil || len(all) == 0 {
			return before, err
		}
	}
	return true, nil
}
