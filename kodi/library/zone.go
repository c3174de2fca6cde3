package library

import (
	"encoding/xml"
	"path/filepath"
	"strings"
	"time"
)

// Zone is the zone in which a Kodi writes times, as its settings have it
// (locale.timezone in guisettings.xml). It is nil when they do not say, as on
// Windows, macOS and Android: there it is the machine's.
func Zone(userdata string) *time.Location {
	text, err := readSmall(ZoneFile(userdata))
	if err != nil {
		return nil
	}
	var settings struct {
		All []struct {
			ID    string `xml:"id,attr"`
			Value string `xml:",chardata"`
		} `xml:"setting"`
		Old string `xml:"locale>timezone"` // before Kodi 18
	}
	if xml.Unmarshal(text, &settings) != nil {
		return nil
	}
	name := settings.Old
	for _, s := range settings.All {
		if s.ID == "locale.timezone" {
			name = s.Value
		}
	}
	return zoneNamed(strings.TrimSpace(name))
}

// ZoneFile is the file that [Zone] reads.
func ZoneFile(userdata string) string { return filepath.Join(userdata, "guisettings.xml") }

// zoneNamed is nil for a name that is none; "Local" would be this machine's.
func zoneNamed(name string) *time.Location {
	if name == "" || name == "Local" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}
