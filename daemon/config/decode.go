package config

import (
	"bytes"
	_ "embed"
	"errors"
	"strconv"

	"github.com/pelletier/go-toml/v2"

	"github.com/filmspool/filmspool/daemon/setting"
	"github.com/filmspool/filmspool/queue/viewing"
)

//go:embed example.toml
var example []byte

// Example is a configuration with every setting that a person may want, each
// explained, and each a comment: as it stands it sets nothing.
func Example() []byte { return bytes.Clone(example) }

// decode reads TOML strictly, and says where it is wrong.
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
	fresh := Default()
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&fresh)
	if err == nil || errors.As(err, new(*toml.StrictMissingError)) {
		fresh.origins, fresh.lines, fresh.given = c.origins, c.lines, given
		*c = fresh
	}
	return shown(file, err)
}

// shown is a fault of the file with its lines.
func shown(file string, err error) error {
	var strict *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &strict):
		line, _ := strict.Errors[0].Position()
		return &refusal{problem: viewing.Say("fault.unknownSettings", "file", file, "detail", strict.String()), line: line}
	case errors.As(err, &wrong):
		row, column := wrong.Position()
		return &refusal{
			problem: viewing.Say("fault.inFile", "file", file, "line", strconv.Itoa(row), "column", strconv.Itoa(column), "detail", wrong.String()),
			line:    row,
		}
	default:
		return &refusal{problem: viewing.Say("fault.unreadFile", "file", file).Because(viewing.Said(err.Error()))}
	}
}
