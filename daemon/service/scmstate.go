package service

import (
	"crypto/sha1" //nolint:gosec // see serviceSID
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// What the Windows service manager calls the states (winsvc.h), and an error of
// its own (winerror.h).
const (
	scmStopped = iota + 1
	scmStarting
	scmStopping
	scmRunning

	codeNeverStarted = 1077
)

// scmStatus reads the manager's answer: the state's number, and the code of the
// last end. said is what the service itself left.
func scmStatus(state, code uint32, said record) Status {
	s := Status{Installed: true, State: Stopped}
	failed := said.State == Failed && said.Detail != ""
	switch {
	case state == scmRunning:
		s.State = Running
	case state == scmStarting:
		s.State = Starting
	case state == scmStopping:
		s.State = Stopping
	case state != scmStopped:
		s.Detail = "it is paused by the Windows service manager"
	case failed && code == 0:
		s.State, s.Detail = Failed, notAgain+said.Detail
	case failed:
		s.State, s.Detail = Failed, "Windows starts it again: "+said.Detail
	case code != 0 && code != codeNeverStarted:
		s.State, s.Detail = Failed, fmt.Sprintf("Windows starts it again: its process was ended (Windows error %d)", code)
	}
	return s
}

// serviceSID is the identifier of the virtual account of a service: Windows
// takes it from the name alone (the Windows security documentation, "Service
// SIDs").
func serviceSID(name string) string {
	var wide []byte
	for _, unit := range utf16.Encode([]rune(strings.ToUpper(name))) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	sum := sha1.Sum(wide) //nolint:gosec // Windows' choice; nothing rests on it
	sid := "S-1-5-80"
	for part := range slices.Chunk(sum[:], 4) {
		sid += fmt.Sprintf("-%d", binary.LittleEndian.Uint32(part))
	}
	return sid
}

// inside reports whether a Windows path lies in a folder.
func inside(path, folder string) bool {
	clean := func(s string) string {
		return strings.TrimRight(strings.ToLower(strings.ReplaceAll(s, "/", `\`)), `\`) + `\`
	}
	return folder != "" && strings.HasPrefix(clean(path), clean(folder))
}
