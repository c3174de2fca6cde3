// Package setting owns what one setting is, and the change of one setting in a
// TOML file.
//
// It promises that a change touches nothing else. Each other byte of the text stays
// where it was: comments, order, blank lines, ends of lines and a byte order mark.
//
// It refuses to know which settings there are and what they may be. Package config
// says that.
package setting

// The types of a [Setting].
const (
	Word     = "word"     // one of Allowed
	Number   = "number"   // whole, from Min to Max
	Decimal  = "decimal"  // from Min to Max
	Switch   = "switch"   // true or false
	Text     = "text"     // any, or empty for none
	Duration = "duration" // a text such as 90s, 10m or 1h30m, up to Max seconds
)

// Setting is one setting that is safe to change while the program runs.
type Setting struct {
	Key     string   `json:"key"` // as in "replay.grace"
	Type    string   `json:"type"`
	Allowed []string `json:"allowed,omitempty"` // the words that a [Word] may be
	Min     float64  `json:"min,omitzero"`
	Max     float64  `json:"max,omitzero"`
	Value   any      `json:"value"`   // what counts: text, a number, or true or false
	Default any      `json:"default"` // what counts where nothing is set
	// From is where the value comes from: "default", the file, an environment
	// variable or a flag.
	From string `json:"from"`
	Line int    `json:"line,omitempty"` // in the file; 0 where it does not stand there
	// Fixed says that a stronger source than the file has the value, so that no
	// change of the file would count.
	Fixed bool   `json:"fixed"`
	About string `json:"about"` // what it does, in one sentence
}
