package page

import (
	"errors"
	"io"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/transfer"
)

// uploadPath is the address for history files. The limits of other forms do not apply to it.
const uploadPath = "/import/file"

// formSize is the maximum size of a form without its file, in bytes.
const formSize = 64 << 10

// maxUploadTime is the maximum time for uploading a file and counting its rows.
const maxUploadTime = time.Hour

// importActs are what a person can do about history files.
var importActs = map[string]act{"file": addFile, "preview": previewFile, "begin": beginImport, "forget": forgetFile}

// MaxFile returns how large a history file may be, in bytes.
func (*view) MaxFile() int64 { return transfer.MaxSize }

// TooLarge returns the text for a larger history file.
func (v *view) TooLarge() string {
	return v.Message(control.FaultOf(control.TooLarge(transfer.MaxSize + 1)).Message)
}

func showImport(v *view) (any, error) { return v.api().Files(v.ctx()) }

// addFile stores an uploaded file and previews its import.
func addFile(v *view) error {
	if err := control.TooLarge(v.ContentLength - formSize); err != nil {
		return err
	}
	parts, err := v.MultipartReader()
	if err != nil {
		return v.refuse("page.badForm")
	}
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return v.refuse("import.none")
		case err != nil:
			return v.refuse("page.badForm")
		case part.FormName() != "file" || part.FileName() == "":
			continue
		}
		f, err := v.api().AddFile(v.ctx(), part.FileName(), part)
		if err == nil {
			_, err = v.api().PreviewFile(v.ctx(), control.FileOrder{ID: f.ID})
		}
		return err
	}
}

// SendLeft returns about how many seconds the entries of an ended import still need to be sent.
func (*view) SendLeft(f control.File) int64 {
	return max(0, f.SendSeconds-int64(time.Since(f.EndedAt).Seconds()))
}

func previewFile(v *view) error {
	_, err := v.api().PreviewFile(v.ctx(), control.FileOrder{ID: v.Typed("id"), Dates: v.Typed("dates"), Person: v.Typed("person")})
	return err
}

func beginImport(v *view) error {
	f, err := v.api().ImportFile(v.ctx(), control.FileOrder{ID: v.Typed("id")})
	return v.done(err, "import.begun", "file", f.Name)
}

func forgetFile(v *view) error {
	return v.done(v.api().ForgetFile(v.ctx(), v.Typed("id")), "import.forgotten")
}

// Progress returns the progress of an import in words; "" before its rate is known.
func (v *view) Progress(f control.File) string {
	left, rate := f.Remaining(time.Now())
	if rate == 0 {
		return ""
	}
	return v.Say("import.progress", "done", f.Done, "rows", f.Rows, "rate", rate, "time", left)
}
