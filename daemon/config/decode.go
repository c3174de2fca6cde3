package config

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/filmspool/filmspool/daemon/setting"
)

//go:embed example.toml
var example []byte

// Example is a configuration with every setting that a person may want, each
// explained, and each a comment: as it stands it sets nothing.
func Example() []byte { return bytes.Clone(example) }

// maxFaults bounds how many faults of the file are told at once.
const maxFaults = 50

// decode reads TOML strictly. It goes on behind each setting that is of the
// wrong kind, and returns every fault, shown with its line. Without c.lines the
// text is not TOML.
func (c *Config) decode(file string, text []byte) error {
	text = bytes.TrimPrefix(text, []byte(setting.BOM))
	var given map[string]any
	if err := toml.Unmarshal(text, &given); err != nil {
		return shown(file, err)
	}
	for name := range given {
		c.origins[name] = file
	}
	c.lines = setting.Lines(text)
	rest := bytes.Clone(text)
	var faults []error
	for len(faults) < maxFaults {
		fresh := Default()
		err := toml.NewDecoder(bytes.NewReader(rest)).DisallowUnknownFields().Decode(&fresh)
		var wrong *toml.DecodeError
		if err != nil {
			faults = append(faults, shown(file, err))
		}
		if errors.As(err, &wrong) && !unknown(err) {
			if row, _ := wrong.Position(); blank(rest, row) {
				continue
			}
		}
		if err == nil || unknown(err) {
			fresh.origins, fresh.lines, fresh.given = c.origins, c.lines, given
			*c = fresh
		}
		break
	}
	return errors.Join(faults...)
}

// unknown reports that the only fault is settings that do not exist.
func unknown(err error) bool {
	var strict *toml.StrictMissingError
	return errors.As(err, &strict)
}

// blank takes a line out of a text, and reports whether the rest is TOML.
func blank(text []byte, row int) bool {
	start := 0
	for range row - 1 {
		start += bytes.IndexByte(text[start:], '\n') + 1
	}
	line := text[start:]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return false
	}
	for i := range line {
		line[i] = ' '
	}
	var rest map[string]any
	return toml.Unmarshal(text, &rest) == nil
}

// shown is a fault of the file with its line, in a person's words.
func shown(file string, err error) error {
	var strict *toml.StrictMissingError
	var wrong *toml.DecodeError
	r := &refusal{problem: fmt.Sprintf("%s: %v", file, err)}
	switch {
	case errors.As(err, &strict):
		r.line, _ = strict.Errors[0].Position()
		r.problem = fmt.Sprintf("%s has settings that do not exist\n%s", file, strict.String())
	case errors.As(err, &wrong):
		row, column := wrong.Position()
		said := strings.TrimPrefix(wrong.Error(), "toml: ")
		r.line = row
		r.problem = fmt.Sprintf("%s, line %d, column %d\n%s", file, row, column, strings.ReplaceAll(wrong.String(), said, inWords(said)))
	}
	return r
}

// inWords is what the decoder says of a setting of the wrong kind, in words for
// who writes the file.
func inWords(said string) string {
	found, wanted, ok := strings.Cut(strings.TrimPrefix(said, "cannot decode TOML "), " into ")
	if !ok {
		found, wanted, ok = strings.Cut(strings.TrimPrefix(said, "cannot store "), " in ")
	}
	if !ok {
		return said
	}
	if _, kind, ok := strings.Cut(wanted, " of type "); ok {
		wanted = kind
	}
	return "this is " + kindWords(found) + ", and " + wantedWords(wanted) + " is wanted here"
}

// kindWords is a kind of value that was found.
func kindWords(kind string) string {
	switch kind {
	case "integer", "float":
		return "a number"
	case "string":
		return "text"
	case "boolean":
		return "true or false"
	case "array":
		return "a list"
	case "an array table", "array table":
		return "a list of tables"
	case "a table", "table", "inline table":
		return "a table"
	case "local date", "local time", "local datetime", "datetime":
		return "a date or time"
	default:
		return "something else"
	}
}

// wantedWords is the kind of value that a setting takes.
func wantedWords(kind string) string {
	switch kind = strings.TrimPrefix(kind, "a "); {
	case kind == "string":
		return "text in quotes"
	case kind == "int":
		return "a whole number without quotes"
	case kind == "float64":
		return "a number without quotes"
	case kind == "bool":
		return "true or false without quotes"
	case kind == "[]string":
		return "a list of texts in quotes"
	case strings.HasPrefix(kind, "[]"):
		return "a list of tables, each under [[its name]],"
	default:
		return "a table, under [its name],"
	}
}
