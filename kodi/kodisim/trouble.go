package kodisim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// SwitchToWAL does what some add-ons do to a library: from then on, and in
// every program, changes go to a file beside it first.
func (s *Sim) SwitchToWAL() error {
	var mode string
	if err := s.db.QueryRow(`pragma journal_mode = wal`).Scan(&mode); err != nil {
		return fmt.Errorf("switch to WAL: %w", err)
	}
	if mode != "wal" {
		return fmt.Errorf("switch to WAL: it stays %s", mode)
	}
	return nil
}

// Crash performs an act and leaves the library as a Kodi that died while it
// committed: pages written, and the journal that undoes them still there. The
// Sim is closed by it. [Open] undoes the act, as Kodi does at its next start.
// Nobody else in this process may have the file open, since closing it drops
// all locks of the process.
func (s *Sim) Crash(act func() error) error {
	before, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	if err := errors.Join(act(), s.Close()); err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	after, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	journal, err := undo(before, after)
	if err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	if err := os.WriteFile(s.path+"-journal", journal, 0o644); err != nil {
		return fmt.Errorf("crash: %w", err)
	}
	return nil
}

// undo is a rollback journal that turns after back into before, in SQLite's
// format: a header of one sector, then each old page with number and checksum.
func undo(before, after []byte) ([]byte, error) {
	const sector, nonce = 512, 20
	size := int(binary.BigEndian.Uint16(before[16:])) // 1 stands for 65536, which Kodi does not use
	if size < sector || before[18] != 1 || len(after) < len(before) {
		return nil, errors.New("the library is in WAL mode, has pages of unknown size, or shrank")
	}
	var pages bytes.Buffer
	count := 0
	for start := 0; start < len(before); start += size {
		page := before[start : start+size]
		if bytes.Equal(page, after[start:start+size]) {
			continue
		}
		sum := uint32(nonce)
		for i := size - 200; i > 0; i -= 200 {
			sum += uint32(page[i])
		}
		pages.Write(binary.BigEndian.AppendUint32(nil, uint32(start/size+1)))
		pages.Write(page)
		pages.Write(binary.BigEndian.AppendUint32(nil, sum))
		count++
	}
	head := []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}
	for _, n := range []int{count, nonce, len(before) / size, sector, size} {
		head = binary.BigEndian.AppendUint32(head, uint32(n))
	}
	return append(append(head, make([]byte, sector-len(head))...), pages.Bytes()...), nil
}
