package library

import (
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Profile is one profile of a Kodi.
type Profile struct {
	Name     string // as its user called it
	Userdata string // its folder, which [Find] takes
	Main     bool   // the main profile, whose folder holds all others
	Own      bool   // it has a library of its own; else it shares the main one's
}

// Profiles lists the profiles of the Kodi whose main userdata folder is given,
// the main one first. Without a profiles.xml that can be read that is the only
// one. The errors are those of this package.
func Profiles(userdata string) ([]Profile, error) {
	all := []Profile{{Name: "Master user", Userdata: userdata, Main: true, Own: true}}
	text, err := readSmall(filepath.Join(userdata, "profiles.xml"))
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			return all, nil
		}
		return all, fmt.Errorf("read profiles of %s: %w", userdata, err)
	}
	var file struct {
		Profiles []struct {
			Name      string `xml:"name"`
			Directory string `xml:"directory"`
			Own       string `xml:"hasdatabases"`
		} `xml:"profile"`
	}
	if xml.Unmarshal(text, &file) != nil {
		return all, nil
	}
	for _, p := range file.Profiles {
		place, ok := profilePlace(p.Directory)
		switch {
		case !ok:
		case place == ".":
			all[0].Name = strings.TrimSpace(p.Name)
		default:
			own := strings.EqualFold(strings.TrimSpace(p.Own), "true")
			all = append(all, Profile{Name: strings.TrimSpace(p.Name), Userdata: filepath.Join(userdata, place), Own: own})
		}
	}
	return all, nil
}

// profilePlace is a profile's folder below the main one. Kodi writes it with
// or without its own name for that one.
func profilePlace(directory string) (string, bool) {
	place := strings.TrimSpace(directory)
	place, _ = strings.CutPrefix(place, "special://masterprofile")
	place = filepath.Clean(filepath.FromSlash(strings.Trim(strings.ReplaceAll(place, `\`, "/"), "/")))
	return place, filepath.IsLocal(place)
}

// mainOf is the main userdata folder of a profile's folder; "" when it is none.
func mainOf(userdata string) string {
	parent := filepath.Dir(filepath.Clean(userdata))
	if filepath.Base(parent) != "profiles" {
		return ""
	}
	return filepath.Dir(parent)
}
