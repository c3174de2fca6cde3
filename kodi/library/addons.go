package library

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writers are add-ons that write into the library what was watched elsewhere.
var writers = []string{
	"plugin.service.emby-next-gen", "plugin.video.emby", "plugin.video.jellyfin", "plugin.video.plexkodiconnect",
	"script.simkl", "script.trakt", "service.watchedlist",
}

// reporters are add-ons that report what is watched to a service, by its host.
var reporters = map[string]string{"script.trakt": "trakt.tv", "script.simkl": "simkl.com"}

// AddOns are the known add-ons of a Kodi, by id, without those that are turned off:
// those that write into its library what was watched elsewhere, and those that
// report to one of these hosts. What cannot be read has no say.
func AddOns(ctx context.Context, userdata string, hosts []string) (write, report []string) {
	installed := func(id string) bool {
		info, err := os.Stat(filepath.Join(AddOnFolder(userdata), id))
		return err == nil && info.IsDir()
	}
	var found []string
	for _, id := range writers {
		if installed(id) {
			found = append(found, id)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	off := turnedOff(ctx, userdata)
	for _, id := range found {
		if off[id] {
			continue
		}
		write = append(write, id)
		site := reporters[id]
		if site != "" && slices.ContainsFunc(hosts, func(h string) bool {
			name, _, _ := strings.Cut(h, ":")
			return name == site || strings.HasSuffix(name, "."+site)
		}) {
			report = append(report, id)
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
	err := openFile(ctx, AddOnDatabase(userdata), func(ctx context.Context, s *session) error {
		return s.transact(ctx, func() error {
			var id string
			r := s.query(ctx, `select addonID from installed where enabled = 0 and (select type from sqlite_master where name = 'installed') = 'table'`)
			for r.read(&id) {
				off[id] = true
			}
			return r.end()
		})
	})
	if err != nil {
		return nil
	}
	return off
}

// AddOnDatabase is where a Kodi keeps which add-ons are turned off: the newest
// AddonsNN.db of the profile, else of the main profile. It is "" without any.
func AddOnDatabase(userdata string) string {
	for _, folder := range []string{userdata, mainOf(userdata)} {
		all, _ := filepath.Glob(filepath.Join(folder, "Database", "Addons*.db")) // only a bad pattern fails
		newest := slices.MaxFunc(append(all, ""), func(a, b string) int { return cmp.Compare(addOnVersion(a), addOnVersion(b)) })
		if folder != "" && addOnVersion(newest) > 0 {
			return newest
		}
	}
	return ""
}

func addOnVersion(path string) int {
	digits, _ := strings.CutPrefix(strings.TrimSuffix(filepath.Base(path), ".db"), "Addons")
	n, _ := strconv.Atoi(digits) // 0 for what is none
	return n
}
