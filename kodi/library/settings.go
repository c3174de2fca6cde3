package library

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxSettings bounds Kodi's small XML files, in bytes.
const maxSettings = 1 << 20

// readXML reads one of Kodi's settings files. One that Kodi could not read either
// says nothing; one that we may not read is an error.
func readXML[T any](path string) (settings T, err error) {
	if info, err := os.Stat(path); err == nil && (!info.Mode().IsRegular() || info.Size() > maxSettings) {
		return settings, fmt.Errorf("%w: %s is no settings file, or larger than %d bytes", ErrUnsupported, path, maxSettings)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return settings, classifyFile(err)
	}
	var read T
	if xml.Unmarshal(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &read) == nil {
		settings = read
	}
	return settings, nil
}

// advancedSettings is what is of interest in advancedsettings.xml.
type advancedSettings struct {
	XMLName xml.Name `xml:"advancedsettings"`
	Video   struct {
		Type string `xml:"type"`
		Host string `xml:"host"`
		Port string `xml:"port"`
		User string `xml:"user"`
		Pass string `xml:"pass"`
		Name string `xml:"name"`
	} `xml:"videodatabase"`
	Port    string `xml:"jsonrpc>tcpport"`
	Percent string `xml:"video>playcountminimumpercent"`
}

// advanced reads advancedsettings.xml. A profile without one of its own has the
// one of the main profile. When it cannot be read, it may say that the library
// here is stale.
func advanced(userdata string) (settings advancedSettings, err error) {
	for _, folder := range []string{userdata, mainOf(userdata)} {
		if folder == "" {
			continue
		}
		settings, err = readXML[advancedSettings](filepath.Join(folder, "advancedsettings.xml"))
		if !errors.Is(err, ErrNotFound) {
			return settings, err
		}
	}
	return settings, nil
}

// server is the server of the settings; nil when the library is in files.
func (s advancedSettings) server() *Server {
	v := s.Video
	if !strings.EqualFold(strings.TrimSpace(v.Type), "mysql") {
		return nil
	}
	server := Server{
		Host: strings.TrimSpace(v.Host), Port: cmp.Or(strings.TrimSpace(v.Port), "3306"), Name: cmp.Or(strings.TrimSpace(v.Name), "MyVideos"),
	}
	return server.As(v.User, v.Pass)
}

// AnnouncementsPort is the port of this machine at which a Kodi announces what
// happens: tcpport of jsonrpc in advancedsettings.xml, else 9090.
func AnnouncementsPort(userdata string) string {
	settings, _ := advanced(userdata) // what cannot be read has no say
	port := strings.TrimSpace(settings.Port)
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "9090"
	}
	return port
}

// UsualPercent is how far Kodi must have played, if not set otherwise.
const UsualPercent = 90

// WatchedPercent is how far a Kodi must play, in percent, to count a playback:
// playcountminimumpercent of advancedsettings.xml, else 90.
func WatchedPercent(userdata string) float64 {
	settings, _ := advanced(userdata) // what cannot be read has no say
	percent, err := strconv.ParseFloat(strings.TrimSpace(settings.Percent), 64)
	if err != nil {
		return UsualPercent
	}
	return percent
}

// ZoneFile is the file that [Zone] reads.
func ZoneFile(userdata string) string { return filepath.Join(userdata, "guisettings.xml") }

// Zone is the zone in which a Kodi writes times, as its settings have it
// (locale.timezone in guisettings.xml). It is nil when they do not say, as on
// Windows, macOS and Android: there it is the machine's.
func Zone(userdata string) *time.Location {
	settings, _ := readXML[struct { // what cannot be read has no say
		All []struct {
			ID    string `xml:"id,attr"`
			Value string `xml:",chardata"`
		} `xml:"setting"`
		Old string `xml:"locale>timezone"` // before Kodi 18
	}](ZoneFile(userdata))
	name := settings.Old
	for _, s := range settings.All {
		if s.ID == "locale.timezone" {
			name = s.Value
		}
	}
	name = strings.TrimSpace(name)
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil
	}
	return zone
}

// Profile is one profile of a Kodi.
type Profile struct {
	Name     string // as its user called it
	Userdata string // its folder, which [Find] takes
	Own      bool   // it has a library of its own; else it shares the main one's
}

// Profiles lists the profiles of the Kodi whose main userdata folder is given,
// the main one first. Without a profiles.xml that can be read that is the only
// one. The errors are those of this package.
func Profiles(userdata string) ([]Profile, error) {
	all := []Profile{{Name: "Master user", Userdata: userdata, Own: true}}
	file, err := readXML[struct {
		Profiles []struct {
			Name      string `xml:"name"`
			Directory string `xml:"directory"`
			Own       string `xml:"hasdatabases"`
		} `xml:"profile"`
	}](filepath.Join(userdata, "profiles.xml"))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return all, fmt.Errorf("read profiles of %s: %w", userdata, err)
	}
	for _, p := range file.Profiles {
		// Kodi writes the folder with or without its name for the main one.
		folder, _ := strings.CutPrefix(strings.TrimSpace(p.Directory), "special://masterprofile")
		folder = filepath.Clean(filepath.FromSlash(strings.Trim(strings.ReplaceAll(folder, `\`, "/"), "/")))
		switch name := strings.TrimSpace(p.Name); {
		case !filepath.IsLocal(folder):
		case folder == ".":
			all[0].Name = name
		default:
			own := strings.EqualFold(strings.TrimSpace(p.Own), "true")
			all = append(all, Profile{Name: name, Userdata: filepath.Join(userdata, folder), Own: own})
		}
	}
	return all, nil
}

// mainOf is the main userdata folder of a profile's folder; "" when it is none.
func mainOf(userdata string) string {
	parent := filepath.Dir(filepath.Clean(userdata))
	if filepath.Base(parent) != "profiles" {
		return ""
	}
	return filepath.Dir(parent)
}
