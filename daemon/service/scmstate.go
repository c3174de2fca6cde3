package service

import (
	"crypto/sha1" //nolint:gosec // see serviceSID
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// What the Windows service manager calls the states (winsvc.h), and two of its
// errors (winerror.h).
const (
	scmStopped = iota + 1
	scmStarting
	scmStopping
	scmRunning

	codeNeverStarted = 1077
	codeSpecific     = 1066 // the service's own code says more
)

// scmStatus reads the manager's answer: the state's number, and the code of the
// last end. said is what the service itself left.
func scmStatus(state, code, specific uint32, said record) Status {
	s := Status{Installed: true}
	switch state {
	case scmRunning:
		s.State = Running
	case scmStarting:
		s.State = Starting
	case scmStopping:
		s.State = Stopping
	case scmStopped:
		s.State = Stopped
		s.Detail = scmEnd(code, specific, said)
		if s.Detail != "" {
			s.State = Failed
		}
	default:
		s.State = Stopped
		s.Detail = "it is paused by the Windows service manager"
	}
	return s
}

// scmEnd tells how a stopped service failed, or nothing when it did not. The
// manager starts one again that ended with a code.
func scmEnd(code, specific uint32, said record) string {
	const again = "Windows starts it again: "
	failed := said.State == Failed && said.Detail != ""
	switch {
	case failed && code == 0:
		return notAgain + said.Detail
	case code == 0, code == codeNeverStarted:
		return ""
	case failed:
		return again + said.Detail
	case code == codeSpecific:
		return fmt.Sprintf("%sit ended with exit code %d", again, specific)
	default:
		return fmt.Sprintf("%sits process was ended (Windows error %d)", again, code)
	}
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
