package library

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// addOns lists the add-ons that write playbacks of other devices into the library, and the host
// of the service to which some of them report playbacks.
var addOns = []struct{ id, site string }{
	{"plugin.service.emby-next-gen", ""},
	{"plugin.video.emby", ""},
	{"plugin.video.jellyfin", ""},
	{"plugin.video.plexkodiconnect", ""},
	{"script.simkl", "simkl.com"},
	{"script.trakt", "trakt.tv"},
	{"service.watchedlist", ""},
}

// AddOns returns the ids of known, enabled add-ons of a Kodi: those that write playbacks of other
// devices into its library, and those that report to one of these hosts. It ignores read errors.
func AddOns(ctx context.Context, userdata string, hosts []string) (write, report []string) {
	var off map[string]bool
	for _, a := range addOns {
		info, err := os.Stat(filepath.Join(AddOnFolder(userdata), a.id))
		if err != nil || !info.IsDir() {
			continue
		}
		if off == nil {
			off = disabledAddOns(ctx, userdata)
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

// AddOnFolder returns the folder of the add-ons that the user installed.
func AddOnFolder(userdata string) string {
	return filepath.Join(filepath.Dir(cmp.Or(mainProfile(userdata), userdata)), "addons")
}

// disabledAddOns returns the disabled add-ons from Kodi's table. If that cannot be read, it
// returns none: an unnecessary notice is better than a missing one.
func disabledAddOns(ctx context.Context, userdata string) map[string]bool {
	off := map[string]bool{}
	err := withFile(ctx, AddOnDatabase(userdata), func(s *session) {
		var id string
		s.step(func() {
			s.queryRows([]any{&id}, func() { off[id] = true }, `select addonID from installed where enabled = 0`)
		})
	})
	if err != nil {
		return map[string]bool{}
	}
	return off
}

// AddOnDatabase returns the path of the table of add-ons: the AddonsNN.db of the profile that
// changed last, else that of the main profile, else "".
func AddOnDatabase(userdata string) string {
	db, err := newestFile(filepath.Join(userdata, "Database"), "Addons")
	if main := mainProfile(userdata); err != nil && main != "" {
		return AddOnDatabase(main)
	}
	return db.Path
}
