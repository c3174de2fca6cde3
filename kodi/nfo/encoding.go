package nfo

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// decode makes UTF-8 of a file. What the file declares is not asked: many
// declare wrongly. Bytes that are UTF-8 are taken as such, any other byte as
// windows-1252, of which ISO 8859-1 is a part. UTF-16 is told by its mark or
// by how "<" is written. Identifiers and numbers are ASCII in all of these.
func decode(raw []byte) []byte {
	switch {
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		return clean(raw[3:])
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return clean(from16(raw[2:], 0, 1))
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return clean(from16(raw[2:], 1, 0))
	case bytes.HasPrefix(raw, []byte("<\x00")):
		return clean(from16(raw, 0, 1))
	case bytes.HasPrefix(raw, []byte("\x00<")):
		return clean(from16(raw, 1, 0))
	default:
		return clean(raw)
	}
}

// from16 reads UTF-16; low and high are the places of a unit's bytes.
func from16(raw []byte, low, high int) []byte {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i+low]) | uint16(raw[2*i+high])<<8
	}
	return []byte(string(utf16.Decode(units)))
}

// clean drops control characters, which XML does not allow, and makes the rest
// valid UTF-8. It returns text itself when nothing is to be done.
func clean(text []byte) []byte {
	if utf8.Valid(text) && !bytes.ContainsFunc(text, control) {
		return text
	}
	var out []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = utf8.AppendRune(out, windows1252(text[0]))
		case !control(r):
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

// control reports a character that no XML document may hold.
func control(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

// windows1252 is the character of a byte from 0x80 on.
func windows1252(b byte) rune {
	const odd = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ" // 0x80 to 0x9f
	if b >= 0xa0 {
		return rune(b)
	}
	return []rune(odd)[b-0x80]
}
