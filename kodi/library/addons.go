package library

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// addOns are those that write into the library what was watched elsewhere, and the
// host of the service to which some of them report what is watched.
var addOns = []struct{ id, site string }{
	{"plugin.service.emby-next-gen", ""},
	{"plugin.video.emby", ""},
	{"plugin.video.jellyfin", ""},
	{"plugin.video.plexkodiconnect", ""},
	{"script.simkl", "simkl.com"},
	{"script.trakt", "trakt.tv"},
	{"service.watchedlist", ""},
}

// AddOns are the known add-ons of a Kodi, by id, without those that are turned off:
// those that write into its library what was watched elsewhere, and those that
// report to one of these hosts. What cannot be read has no say.
func AddOns(ctx context.Context, userdata string, hosts []string) (write, report []string) {
	var off map[string]bool
	for _, a := range addOns {
		info, err := os.Stat(filepath.Join(AddOnFolder(userdata), a.id))
		if err != nil || !info.IsDir() {
			continue
		}
		if off == nil {
			off = turnedOff(ctx, userdata)
		}
		if off[a.id] {
			continue
		}
		write = append(write, a.id)
		if a.site != "" && slices.ContainsFunc(hosts, func(h string) bool {
			name, _, _ := strings.Cut(h, ":")
			return name == a.site || strings.HasSuffix(name, "."+a.site)
		}) {
			report = append(report, a.id)
		}
	}
	return write, report
}

// AddOnFolder is where a Kodi keeps what its user has installed.
func AddOnFolder(userdata string) string {
	return filepath.Join(filepath.Dir(cmp.Or(mainOf(userdata), userdata)), "addons")
}

// turnedOff are the add-ons that Kodi's table of them calls disabled. Without one that
// can be read it gives none: better one notice too many.
func turnedOff(ctx context.Context, userdata string) map[string]bool {
	off := map[string]bool{}
	err := openFile(ctx, AddOnDatabase(userdata), func(s *session) {
		var id string
		s.step(func() {
			s.each([]any{&id}, func() { off[id] = true }, `select addonID from installed where enabled = 0`)
		})
	})
	if err != nil {
		return map[string]bool{}
	}
	return off
}

// AddOnDatabase is where a Kodi keeps which add-ons are turned off: the AddonsNN.db of the
// profile that changed last, else that of the main profile. It is "" without any.
func AddOnDatabase(userdata string) string {
	db, err := newest(filepath.Join(userdata, "Database"), "Addons")
	if main := mainOf(userdata); err != nil && main != "" {
		return AddOnDatabase(main)
	}
	return db.Path
}
