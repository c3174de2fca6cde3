package control

import (
	"context"
	"io"

	"github.com/filmspool/filmspool/connector/pairing"
	"github.com/filmspool/filmspool/kodi"
	"github.com/filmspool/filmspool/queue/entry"
	"github.com/filmspool/filmspool/queue/resolve"
	"github.com/filmspool/filmspool/queue/viewing"
)

// API is what a person can ask of one instance, running or not: one function
// for each question, all of them set. A new question is a field here and a method of
// the daemon with its name.
type API struct {
	// Status is how things stand.
	Status func(context.Context) (Status, error)
	// Check is Status after everything was looked at now, with every problem that there
	// is, also those that another one causes.
	Check func(context.Context) (Status, error)
	// Open makes a ticket that signs one browser in to the pages, or waits until the one that
	// is named is used, or at its end.
	Open func(ctx context.Context, await string) (Opened, error)
	// About is what runs, where its files are, and a report for somebody who helps.
	About func(context.Context) (About, error)
	// Add commits one viewing, wish or list of the command line. The answer for a wish or
	// list that is there already is its entry: it is not added twice.
	Add func(context.Context, viewing.Event) (entry.Entry, error)
	// List is the outbox, newest first; a limit of 0 is none.
	List func(context.Context, entry.Filter) ([]entry.Entry, error)
	// Questions are the films and series that are not identified yet, the one with the most
	// viewings first.
	Questions func(context.Context) ([]entry.Question, error)
	// Days is what was watched on the last n days, today included, in numbers; days without
	// a viewing are left out.
	Days func(ctx context.Context, n int) ([]entry.Day, error)
	// Year is what was watched in a calendar year, in numbers.
	Year func(ctx context.Context, year int) (entry.Year, error)
	// Explain tells everything about one entry; [CodeNotFound] when there is none.
	Explain func(ctx context.Context, id int64) (Explanation, error)
	// Edit corrects one entry that has not been delivered; a dry run tells what
	// it would be.
	Edit func(context.Context, Edit) (entry.Entry, error)
	// Undo takes a delivered viewing back from the service, where that takes
	// nothing else along; a dry run only finds out.
	Undo func(context.Context, Undo) (Undone, error)
	// Operate retries, holds, releases, rechecks, settles, drops or moves entries.
	Operate func(context.Context, entry.Order) (entry.Changed, error)
	// Pause stops sending for one account, or for all when it is empty, until
	// Resume; nothing is relabelled. Both tell how the accounts stand.
	Pause  func(context.Context, Pause) ([]Account, error)
	Resume func(context.Context, Pause) ([]Account, error)
	// Acknowledge forgets a notice of the status.
	Acknowledge func(ctx context.Context, id int64) error
	// TestNotices sends a test by each way that notices take.
	TestNotices func(context.Context) ([]NoticeTest, error)
	// Export writes the diary, the watchlist and the lists in a form.
	Export func(context.Context, Export, io.Writer) (Exported, error)
	// MoveHistory has what was delivered for one account sent to another, too; a dry run
	// tells what that would be. Cut short or asked again, it adds what is missing.
	MoveHistory func(context.Context, HistoryMove) (HistoryMoved, error)
	// Backup writes a copy of the whole queue, a database. A service may be kept
	// from writing files but its own, so whoever asks makes the file.
	Backup func(context.Context, io.Writer) error

	// Resolve tells what an item is, by the rule that entries without an
	// identifier are resolved by. It records nothing.
	Resolve func(context.Context, viewing.Media) (Resolution, error)

	// Fix says what the film or series of an entry is, and remembers that. While it
	// is not said, the answer tells what it may be, and nothing changes.
	Fix func(context.Context, Fix) (Fixed, error)
	// Corrections are what was remembered so.
	Corrections func(context.Context) ([]resolve.Correction, error)
	// ForgetCorrection forgets one; what it has changed stays. [CodeNotFound] when
	// there is none.
	ForgetCorrection func(ctx context.Context, id int64) error

	// Login proves a key and keeps it.
	Login func(context.Context, Login) (LoginResult, error)
	// Pair makes a new one-time code; the one before is void.
	Pair func(context.Context) (pairing.Code, error)
	// Clients are the paired browsers and the programs.
	Clients func(context.Context) ([]ClientInfo, error)
	// AddClient lets a program add viewings; its token is told this once.
	AddClient func(context.Context, NewProgram) (AddedClient, error)
	// RenameSource gives a browser, a program or a Kodi library another name.
	RenameSource func(context.Context, Renaming) error
	// Revoke forgets a client; its sockets close at once.
	Revoke func(ctx context.Context, id string) error

	// Settings are the settings that are safe to change, and where each value comes
	// from.
	Settings func(context.Context) (Settings, error)
	// Set changes one in the file and has that taken in. [CodeInvalid] when the key
	// or the value is wrong; [CodeRefused] when a stronger source has the value, or
	// the file cannot be written, or changed meanwhile; [CodeBusy] while work goes on
	// that a change would cut.
	Set func(context.Context, Set) (SetDone, error)
	// Reload reads the configuration again. A fault in it is [CodeInvalid], and the
	// one of before counts on; [CodeBusy] is as for Set.
	Reload func(context.Context) error

	// IgnoreUntitled has videos without a title ignored on a site, or no more. It changes
	// the file as Set does.
	IgnoreUntitled func(context.Context, UntitledSite) error

	// FindKodi are the Kodi libraries of this machine, and those of the configuration.
	FindKodi func(context.Context) ([]kodi.Library, error)
	// AddKodi has a library watched that was not; RemoveKodi ends that. Both change the
	// file as Set does. [CodeNotFound] when there is no such folder, or it is not
	// watched; [CodeInvalid] when it is not Kodi's; [CodeRefused] when it cannot be read.
	AddKodi    func(ctx context.Context, userdata string) (kodi.Library, error)
	RemoveKodi func(ctx context.Context, userdata string) (kodi.Library, error)
	// ImportKodi hands over what was watched before first contact; a dry run
	// tells what that would be. A library that cannot be read is part of the
	// answer. Cut short, it goes on when it is asked again.
	ImportKodi func(context.Context, KodiImport) (KodiImported, error)
	// KodiProgress is how far imports have come that are under way or were cut
	// short.
	KodiProgress func(context.Context) ([]KodiProgress, error)

	// AddFile keeps a history file until it is imported or forgotten. [CodeRefused] when it
	// has no form that is known.
	AddFile func(ctx context.Context, name string, content io.Reader) (File, error)
	// PreviewFile counts what an import of the file would do.
	PreviewFile func(context.Context, FileOrder) (File, error)
	// ImportFile imports a file as its last preview says. A daemon goes on when the asker
	// goes away, and after a restart. [CodeRefused] where there is no
	// preview, or the order of day and month is not known.
	ImportFile func(context.Context, FileOrder) (File, error)
	// Files are those that are kept, and those that were imported within a day, the newest
	// first.
	Files func(context.Context) ([]File, error)
	// ForgetFile forgets a file that is not being imported.
	ForgetFile func(ctx context.Context, id string) error
}
