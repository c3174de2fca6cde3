package library

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
)

// Writers are the add-ons of a Kodi, by id, that are known to write into its
// library what was watched elsewhere. Those that are turned off are left out.
func Writers(ctx context.Context, userdata string) (found []string) {
	known := []string{
		"plugin.service.emby-next-gen", "plugin.video.emby", "plugin.video.jellyfin", "plugin.video.plexkodiconnect",
		"script.simkl", "script.trakt", "service.watchedlist",
	}
	for _, id := range folders(AddOns(userdata)) {
		if slices.Contains(known, id) {
			found = append(found, id)
		}
	}
	if len(found) > 0 {
		off := turnedOff(ctx, userdata)
		found = slices.DeleteFunc(found, func(id string) bool { return off[id] })
	}
	slices.Sort(found)
	return found
}

// AddOns is the folder in which a Kodi keeps what its user has installed.
func AddOns(userdata string) string {
	return filepath.Join(filepath.Dir(cmp.Or(mainOf(userdata), userdata)), "addons")
}
