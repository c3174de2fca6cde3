//go:build unix

package service

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// checkPlist refuses a property list that launchd could not read: broken XML,
// an element it does not know, or one where it does not belong. plutil(1) says
// the same on macOS; this holds where that tool is not.
func checkPlist(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	var open []plistElement
	closed := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && closed {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := enter(open, t.Name.Local); err != nil {
				return err
			}
			if len(open) > 0 {
				open[len(open)-1].add(t.Name.Local)
			}
			open = append(open, plistElement{name: t.Name.Local})
		case xml.EndElement:
			if err := open[len(open)-1].complete(); err != nil {
				return err
			}
			open = open[:len(open)-1]
			closed = len(open) == 0
		}
	}
}

// plistElement is an element that is open, with how many keys and values it has.
type plistElement struct {
	name         string
	keys, values int
}

func (e *plistElement) add(child string) {
	if child == "key" {
		e.keys++
		return
	}
	e.values++
}

func (e *plistElement) complete() error {
	switch {
	case e.name == "plist" && e.values != 1:
		return fmt.Errorf("<plist> holds %d values, not one", e.values)
	case e.name == "dict" && e.keys != e.values:
		return fmt.Errorf("<dict> holds %d keys for %d values", e.keys, e.values)
	}
	return nil
}

// enter reports whether an element may stand where it does.
func enter(open []plistElement, name string) error {
	if len(open) == 0 {
		if name != "plist" {
			return fmt.Errorf("it begins with <%s>", name)
		}
		return nil
	}
	in := open[len(open)-1]
	known := []string{"dict", "array", "string", "integer", "true", "false"}
	switch {
	case !slices.Contains([]string{"plist", "dict", "array"}, in.name), name != "key" && !slices.Contains(known, name):
		return fmt.Errorf("<%s> cannot stand in <%s>", name, in.name)
	case name == "key" && (in.name != "dict" || in.keys != in.values):
		return fmt.Errorf("a <key> without its value in <%s>", in.name)
	case in.name == "dict" && name != "key" && in.keys != in.values+1:
		return fmt.Errorf("<%s> without a <key> in <dict>", name)
	}
	return nil
}
