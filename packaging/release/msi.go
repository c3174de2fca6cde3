package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
)

// errSummary means that a package's summary is not where it should be.
var errSummary = errors.New("no summary is found in it")

// The properties of a package's summary (the MSI documentation, "Summary
// Information Stream Property Set") and the kinds of their values.
const (
	propertyCode    = 9  // the package's own code
	propertyCreated = 12 // when it was made
	propertySaved   = 13 // when it was last written
	kindText        = 30 // VT_LPSTR
	kindTime        = 64 // VT_FILETIME
)

// stampMSI replaces the two things in a package that differ from one run of
// wixl to the next: a random code, and the time of day.
func stampMSI(path, code string, when time.Time) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("stamp: %w", err)
	}
	if err := stamp(content, code, when); err != nil {
		return fmt.Errorf("stamp: %w", err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("stamp: %w", err)
	}
	return nil
}

// stamp changes a package in place. The summary is a property set in the form
// of [MS-OLEPS], known by the identifier of its kind.
func stamp(msi []byte, code string, when time.Time) error {
	kind := []byte{0xe0, 0x85, 0x9f, 0xf2, 0xf9, 0x4f, 0x68, 0x10, 0xab, 0x91, 0x08, 0x00, 0x2b, 0x27, 0xb3, 0xd9}
	at := bytes.LastIndex(msi, kind)
	const header = 28 // what stands before the identifier
	if at < header || at+20 > len(msi) {
		return errSummary
	}
	section := at - header + int(binary.LittleEndian.Uint32(msi[at+16:]))
	if section+8 > len(msi) {
		return errSummary
	}
	values := msi[section:]
	found := 0
	for i := range int(binary.LittleEndian.Uint32(values[4:])) {
		entry := 8 + 8*i
		if entry+8 > len(values) {
			return errSummary
		}
		property, offset := binary.LittleEndian.Uint32(values[entry:]), int(binary.LittleEndian.Uint32(values[entry+4:]))
		if offset+8+40 > len(values) {
			return errSummary
		}
		if stampValue(values[offset:], property, code, when) {
			found++
		}
	}
	if found != 3 {
		return errSummary
	}
	return nil
}

// stampValue writes one property, if it is one of ours and in the form it has
// to be.
func stampValue(value []byte, property uint32, code string, when time.Time) bool {
	kind := binary.LittleEndian.Uint32(value)
	switch {
	case property == propertyCode && kind == kindText:
		return copy(value[8:], "{"+code+"}") == 38 && value[8+38] == 0
	case (property == propertyCreated || property == propertySaved) && kind == kindTime:
		// Windows counts tenths of a microsecond since 1601.
		const since1601 = 11644473600
		binary.LittleEndian.PutUint64(value[4:], uint64(when.Unix()+since1601)*10_000_000)
		return true
	}
	return false
}
