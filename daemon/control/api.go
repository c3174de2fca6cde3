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

// API contains all calls to one instance, running or not. All fields are set. A new call is a
// field here and a method of the daemon with the same name.
type API struct {
	// Status returns the status.
	Status func(context.Context) (Status, error)
	// Check returns the status after checking everything now. It includes problems that have just
	// streamWriter and those that another problem causes.
	Check func(context.Context) (Status, error)
	// Open returns a ticket that signs one browser in to the pages. With a ticket in await it waits
	// until that one is used or expires.
	Open func(ctx context.Context, await string) (Opened, error)
	// About returns the version, the paths and a report for helpers.
	About func(context.Context) (About, error)
	// Add commits an event of the command line. If the watchlist or list item exists already, it
	// returns that entry and adds nothing.
	Add func(context.Context, viewing.Event) (entry.Entry, error)
	// List returns entries, the newest first. A limit of 0 means all.
	List func(context.Context, entry.Filter) ([]entry.Entry, error)
	// Questions returns the films and series that are not identified yet, those with the most
	// viewings first.
	Questions func(context.Context) ([]entry.Question, error)
	// Days returns the number of viewings on each of the last n days, including today; days without
	// viewings are omitted.
	Days func(ctx context.Context, n int) ([]entry.Day, error)
	// Year returns the statistics of a calendar year.
	Year func(ctx context.Context, year int) (entry.Year, error)
	// Explain returns everything known about an entry, or [CodeNotFound].
	Explain func(ctx context.Context, id int64) (Explanation, error)
	// Edit corrects an entry that is not delivered yet. A dry run returns the result without
	// storing it.
	Edit func(context.Context, Edit) (entry.Entry, error)
	// Undo deletes a delivered viewing at the service if that deletes nothing else. A dry run only
	// checks whether it is possible.
	Undo func(context.Context, Undo) (Undone, error)
	// Operate sends, retries, holds, releases, rechecks, settles, drops or moves entries.
	Operate func(context.Context, entry.Order) (entry.Changed, error)
	// Pause stops sending for one account, or for all if it is empty, until Resume; entries keep
	// their state. Both return the accounts.
	Pause  func(context.Context, Pause) ([]Account, error)
	Resume func(context.Context, Pause) ([]Account, error)
	// Acknowledge removes a notice from the status.
	Acknowledge func(ctx context.Context, id int64) error
	// TestNotices sends a test notice through each channel.
	TestNotices func(context.Context) ([]NoticeTest, error)
	// Export writes the diary, the watchlist and the lists in a format.
	Export func(context.Context, Export, io.Writer) (Exported, error)
	// MoveHistory queues the delivered entries of one account for another account, too. A dry run
	// counts them. A repeated call adds what is missing.
	MoveHistory func(context.Context, HistoryMove) (HistoryMoved, error)
	// Backup writes a copy of the database to a stream. The caller creates the file, because a
	// service may only be able to write to its own folder.
	Backup func(context.Context, io.Writer) error

	// Resolve identifies an item in the same way as entries without an identifier. It records
	// nothing.
	Resolve func(context.Context, viewing.Media) (Resolution, error)

	// Fix sets the film or series of an entry and remembers that as a correction. Without a choice
	// it returns candidates and changes nothing.
	Fix func(context.Context, Fix) (Fixed, error)
	// Corrections returns the remembered corrections.
	Corrections func(context.Context) ([]resolve.Correction, error)
	// ForgetCorrection deletes a correction; entries that it changed stay as they are.
	// [CodeNotFound] if it does not exist.
	ForgetCorrection func(ctx context.Context, id int64) error

	// Login checks a key with the service and stores it.
	Login func(context.Context, Login) (LoginResult, error)
	// Pair returns a new one-time code and invalidates the previous one.
	Pair func(context.Context) (pairing.Code, error)
	// Clients returns the paired browsers and the programs.
	Clients func(context.Context) ([]ClientInfo, error)
	// AddClient registers a program that may post viewings. Its token is returned only here.
	AddClient func(context.Context, NewProgram) (AddedClient, error)
	// RenameSource renames a browser, a program or a Kodi library.
	RenameSource func(context.Context, Renaming) error
	// Revoke removes a client and closes its sockets.
	Revoke func(ctx context.Context, id string) error

	// Settings returns the settings that can be changed while the program runs, with the source of
	// each value.
	Settings func(context.Context) (Settings, error)
	// Set changes a setting in settings.toml and applies it. [CodeInvalid] for a wrong key or
	// value; [CodeRefused] if a source with precedence sets the value, or the file cannot be
	// written; [CodeBusy] while a job runs that a reload would interrupt.
	Set func(context.Context, Set) (SetDone, error)
	// Reload reads the configuration again. [CodeInvalid] if it is invalid: the current one stays
	// in use. [CodeBusy] as for Set.
	Reload func(context.Context) error

	// IgnoreUntitled sets whether videos without a title on a site are ignored. It changes the file
	// like Set.
	IgnoreUntitled func(context.Context, UntitledSite) error

	// FindKodi returns the Kodi libraries of this machine and those of the configuration.
	FindKodi func(context.Context) ([]kodi.Library, error)
	// AddKodi starts watching a library and RemoveKodi stops it. Both change the file like Set.
	// [CodeNotFound] if the folder does not exist or is not watched; [CodeInvalid] if it is not a
	// Kodi folder; [CodeRefused] if it cannot be read.
	AddKodi    func(ctx context.Context, userdata string) (kodi.Library, error)
	RemoveKodi func(ctx context.Context, userdata string) (kodi.Library, error)
	// ImportKodi queues the viewings that a library contained before its first reading. A dry run
	// counts them. Libraries that cannot be read are reported in the result. A repeated call
	// continues an interrupted import.
	ImportKodi func(context.Context, KodiImport) (KodiImported, error)
	// KodiProgress returns the progress of running and interrupted imports.
	KodiProgress func(context.Context) ([]KodiProgress, error)

	// AddFile stores a history file until it is imported or forgotten. [CodeRefused] for an unknown
	// format.
	AddFile func(ctx context.Context, name string, content io.Reader) (File, error)
	// PreviewFile counts what an import of the file would do.
	PreviewFile func(context.Context, FileOrder) (File, error)
	// ImportFile imports a file as its last preview showed. A daemon continues if the client
	// disconnects, and after a restart. [CodeRefused] without a preview, or if the order of day and
	// month is unknown.
	ImportFile func(context.Context, FileOrder) (File, error)
	// Files returns the stored files, and those imported within the last day, the newest first.
	Files func(context.Context) ([]File, error)
	// ForgetFile deletes a file that is not being imported.
	ForgetFile func(ctx context.Context, id string) error
}
