package page

import (
	"errors"
	"io"
	"time"

	"github.com/filmspool/filmspool/daemon/control"
	"github.com/filmspool/filmspool/queue/transfer"
)

// uploadPath is where history files are sent. No bound of other forms holds there.
const uploadPath = "/import/file"

// formSize is how much a form may add to its file, in bytes.
const formSize = 64 << 10

// maxUploadTime is how long a file may take to come and to be counted.
const maxUploadTime = time.Hour

// importActs are what a person can do about history files.
var importActs = map[string]act{"file": addFile, "preview": previewFile, "begin": beginImport, "forget": forgetFile}

// MaxFile returns how large a history file may be, in bytes.
func (*view) MaxFile() int64 { return transfer.MaxSize }

// TooLarge says that a history file is larger.
func (v *view) TooLarge() string {
	return v.Message(control.FaultOf(control.TooLarge(transfer.MaxSize + 1)).Message)
}

func showImport(v *view) (any, error) { return v.api().Files(v.ctx()) }

// addFile keeps a file that is sent, and counts what an import of it would do.
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

// Progress returns how far an import is, in words; "" while nobody knows.
func (v *view) Progress(f control.File) string {
	left, rate := f.Left(time.Now())
	if rate == 0 {
		return ""
	}
	return v.Say("import.progress", "done", f.Done, "rows", f.Rows, "rate", rate, "time", left)
}
