package library

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSettings bounds Kodi's small XML files, in bytes.
const maxSettings = 1 << 20

// videoDatabase is <videodatabase> of advancedsettings.xml.
type videoDatabase struct {
	Type string `xml:"type"`
	Host string `xml:"host"`
	Port string `xml:"port"`
	User string `xml:"user"`
	Pass string `xml:"pass"`
	Name string `xml:"name"`
}

// advancedSettings is what is of interest in advancedsettings.xml.
type advancedSettings struct {
	XMLName xml.Name      `xml:"advancedsettings"`
	Video   videoDatabase `xml:"videodatabase"`
	Port    string        `xml:"jsonrpc>tcpport"`
	Percent string        `xml:"video>playcountminimumpercent"`
}

// advanced reads advancedsettings.xml. A profile without one of its own has the
// one of the main profile. A file that Kodi could not read either says nothing;
// one that we may not read is an error: it may say that the library here is stale.
func advanced(userdata string) (settings advancedSettings, err error) {
	for _, folder := range []string{userdata, mainOf(userdata)} {
		if folder == "" {
			continue
		}
		text, err := readSmall(filepath.Join(folder, "advancedsettings.xml"))
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err == nil && xml.Unmarshal(text, &settings) != nil {
			settings = advancedSettings{}
		}
		return settings, err
	}
	return settings, nil
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

// UsualPercent is how far Kodi must have played, if not set otherwise.
const UsualPercent = 90

// readSmall reads one of Kodi's settings files.
func readSmall(path string) ([]byte, error) {
	text, err := readText(path)
	return text, classifyFile(err)
}

// readText reads a small file. Its errors are those of the file system, or of
// what is too large.
func readText(path string) ([]byte, error) {
	f, err := OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSettings {
		return nil, fmt.Errorf("%w: %s is larger than %d bytes", ErrUnsupported, path, maxSettings)
	}
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil
}

// server makes a server of the settings; nil when the library is in files.
func (v videoDatabase) server() *Server {
	if !strings.EqualFold(strings.TrimSpace(v.Type), "mysql") {
		return nil
	}
	s := &Server{
		Host: strings.TrimSpace(v.Host), Port: strings.TrimSpace(v.Port), User: v.User, Name: strings.TrimSpace(v.Name),
	}
	if s.Port == "" {
		s.Port = "3306"
	}
	if s.Name == "" {
		s.Name = "MyVideos"
	}
	return s.As(v.User, v.Pass)
}
