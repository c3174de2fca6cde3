package library

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of the search for add-ons.
const (
	maxAddOns    = 2_000
	maxAddOnFile = 256 << 10 // bytes of settings.xml or addon.xml that are looked through
)

// Reporters are the add-ons of a Kodi, by id, that name the host of a service
// in their settings, or that run in the background and name it in their
// description, or that are known to report to it. Those that are turned off
// are left out. Of a host with a port, such as 127.0.0.1:8080, the port counts.
//
// Settings may hold keys: nothing of them is kept or returned. What cannot be
// read has no say.
func Reporters(ctx context.Context, userdata string, hosts []string) []string {
	match := mention(hosts)
	if match == nil {
		return nil
	}
	addons, off := AddOns(userdata), turnedOff(ctx, userdata)
	var found []string
	add := func(id string) {
		if !off[id] && !strings.Contains(id, "filmspool") && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	installed := map[string]bool{}
	for _, id := range folders(addons) {
		installed[id] = true
		text := glance(filepath.Join(addons, id, "addon.xml"))
		if knownFor(id, hosts) || strings.Contains(text, `"xbmc.service"`) && match.MatchString(text) {
			add(id)
		}
	}
	for _, id := range folders(filepath.Join(userdata, "addon_data")) {
		gone := len(installed) > 0 && !installed[id] // its settings outlive an add-on
		if !gone && match.MatchString(glance(filepath.Join(userdata, "addon_data", id, "settings.xml"))) {
			add(id)
		}
	}
	slices.Sort(found)
	return found
}

// knownFor reports whether an add-on is known to report to a service whatever
// its files say.
func knownFor(id string, hosts []string) bool {
	site := map[string]string{"script.trakt": "trakt.tv", "script.simkl": "simkl.com"}[id]
	return site != "" && slices.ContainsFunc(hosts, func(h string) bool {
		name, _, _ := strings.Cut(h, ":")
		return name == site || strings.HasSuffix(name, "."+site)
	})
}

// mention matches a text that names one of the hosts, or a host under it; nil
// without hosts. A host that is called api or www is one with what it is under.
func mention(hosts []string) *regexp.Regexp {
	var names []string
	for _, h := range hosts {
		h = strings.ToLower(h)
		for _, prefix := range []string{"api.", "www."} {
			if rest, ok := strings.CutPrefix(h, prefix); ok && strings.Contains(rest, ".") {
				h = rest
			}
		}
		if h != "" {
			names = append(names, regexp.QuoteMeta(h))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return regexp.MustCompile(`(?i)(?:^|[^a-z0-9-])(?:` + strings.Join(names, "|") + `)(?:$|[^a-z0-9.-]|\.(?:$|[^a-z0-9]))`)
}

// folders are the names of a folder's folders.
func folders(in string) (names []string) {
	all, err := os.ReadDir(in)
	if err != nil {
		return nil
	}
	for _, e := range all[:min(len(all), maxAddOns)] {
		if info, err := os.Stat(filepath.Join(in, e.Name())); err == nil && info.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// glance is the text of a small file, "" for any other.
func glance(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxAddOnFile {
		return ""
	}
	text, err := readSmall(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// turnedOff are the add-ons that Kodi's table of them calls disabled. Without one that
// can be read it gives none: better one notice too many.
func turnedOff(ctx context.Context, userdata string) map[string]bool {
	path := AddOnDatabase(userdata)
	off := map[string]bool{}
	err := look(ctx, path, func(ctx context.Context, q queryer) error {
		if _, err := q.columns(ctx, "installed"); err != nil {
			return err
		}
		return each(ctx, q, `select addonID from installed where enabled = 0`, func(scan scanner) error {
			var id string
			err := scan(&id)
			off[id] = true
			return err
		})
	})
	if err != nil {
		return nil
	}
	return off
}

// AddOnDatabase is where a Kodi keeps which add-ons are turned off: in the folder of
// the profile, else in that of the main profile. It is "" without any.
func AddOnDatabase(userdata string) string {
	return cmp.Or(addOnDatabase(userdata), addOnDatabase(cmp.Or(mainOf(userdata), userdata)))
}

// addOnDatabase is the newest AddonsNN.db of a userdata folder; "" without any.
func addOnDatabase(userdata string) (path string) {
	folder := filepath.Join(userdata, "Database")
	all, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	newest := 0
	for _, e := range all {
		number, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".db"), "Addons")
		n, err := strconv.Atoi(number)
		if ok && err == nil && n > newest && strings.HasSuffix(e.Name(), ".db") {
			newest, path = n, filepath.Join(folder, e.Name())
		}
	}
	return path
}
