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

// readXML reads one of Kodi's settings files. It returns zero settings for invalid XML, which Kodi
// ignores as well, and an error if the file cannot be opened.
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

// advancedSettings holds the settings of advancedsettings.xml that matter here.
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

// readAdvancedSettings reads advancedsettings.xml of the profile, else of the main profile. An
// unreadable file is an error, because it may name a server and the local file may be stale.
func readAdvancedSettings(userdata string) (settings advancedSettings, err error) {
	for _, folder := range []string{userdata, mainProfile(userdata)} {
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

// server returns the server of the settings, or nil if the library is a file.
func (s advancedSettings) server() *Server {
	v := s.Video
	if !strings.EqualFold(strings.TrimSpace(v.Type), "mysql") {
		return nil
	}
	server := Server{
		Host: strings.TrimSpace(v.Host), Port: cmp.Or(strings.TrimSpace(v.Port), "3306"), Name: cmp.Or(strings.TrimSpace(v.Name), "MyVideos"),
	}
	return server.WithUser(v.User, v.Pass)
}

// AnnouncementsPort returns the local port of Kodi's announcements: tcpport of jsonrpc in
// advancedsettings.xml, else 9090.
func AnnouncementsPort(userdata string) string {
	settings, _ := readAdvancedSettings(userdata) // what cannot be read has no say
	port := strings.TrimSpace(settings.Port)
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "9090"
	}
	return port
}

// DefaultPercent is Kodi's default for WatchedPercent.
const DefaultPercent = 90

// WatchedPercent returns how many percent Kodi must play to count a playback:
// playcountminimumpercent of advancedsettings.xml, else 90.
func WatchedPercent(userdata string) float64 {
	settings, _ := readAdvancedSettings(userdata) // what cannot be read has no say
	percent, err := strconv.ParseFloat(strings.TrimSpace(settings.Percent), 64)
	if err != nil {
		return DefaultPercent
	}
	return percent
}

// ZoneFile returns the path of the file that [Zone] reads.
func ZoneFile(userdata string) string { return filepath.Join(userdata, "guisettings.xml") }

// Zone returns the time zone of Kodi's settings (locale.timezone in guisettings.xml). It is nil if
// they name none, as on Windows, macOS and Android, where Kodi uses the machine's zone.
func Zone(userdata string) *time.Location {
	settings, _ := readXML[struct { // an unreadable file names no zone
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
	Name     string // chosen by the user
	Userdata string // its folder, for [Find]
	Own      bool   // has a library of its own; else it shares that of the main profile
}

// Profiles lists the profiles of a Kodi, given its main userdata folder, the main profile first. It
// returns only that one if profiles.xml is missing or invalid. The errors are those of this
// package.
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

// mainProfile returns the main userdata folder of a profile's folder, or "" for any other folder.
func mainProfile(userdata string) string {
	parent := filepath.Dir(filepath.Clean(userdata))
	if filepath.Base(parent) != "profiles" {
		return ""
	}
	return filepath.Dir(parent)
}
