package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ControlFile is how a running daemon says where it can be reached and with
// which token.
type ControlFile struct {
	Address string `json:"address"` // host and port
	Token   string `json:"token"`   // for the Authorization header
	PID     int    `json:"pid"`
	State   string `json:"state"` // the state folder; "" where an older version wrote it
}

// ReadControlFile reads what a daemon wrote. Without a file the error wraps
// [fs.ErrNotExist]; a daemon that was killed leaves its file behind, so a
// file is no proof that anybody answers. The file is opened before check looks
// at it, so that nobody can change it in between; check's error is returned.
func ReadControlFile(name string, check func(*os.File) error) (ControlFile, error) {
	var c ControlFile
	text, err := readChecked(name, check)
	if errors.Is(err, fs.ErrPermission) {
		return c, &Fault{
			Code: CodeRefused, Message: "you may not control this instance: " + name + " is not yours to read",
			Hint: mayControl(),
		}
	}
	if err != nil {
		return c, unreachable(filepath.Dir(name), err)
	}
	if err := json.Unmarshal(text, &c); err != nil || c.Address == "" || c.Token == "" {
		return c, fmt.Errorf("find the daemon: %s is not what a daemon writes", name)
	}
	return c, nil
}

// unreachable says what is wrong with a folder in which nothing can be read.
func unreachable(folder string, err error) error {
	if info, statErr := os.Stat(folder); statErr == nil && !info.IsDir() {
		return &Fault{Code: CodeInvalid, Message: folder + " is not a folder", Hint: "name a folder with --state-dir, or leave it out"}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("look into the folder %s: %w", folder, err)
}

// maxControlFile is far above what a daemon writes, in bytes.
const maxControlFile = 64 << 10

// readChecked reads a file if check has nothing against it.
func readChecked(name string, check func(*os.File) error) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := check(file); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, maxControlFile))
}

// mayControl tells how to come to control a machine's instance.
func mayControl() string {
	if runtime.GOOS == "windows" {
		return "open the terminal with \"Run as administrator\", and say it again"
	}
	return "sudo usermod -aG filmspool $USER, then log in again"
}
