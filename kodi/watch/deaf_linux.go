package watch

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// deafness says why changes in a folder may come without an event, or "". On a
// network drive only changes made on this machine send events. The numbers are
// those of statfs(2).
func deafness(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "" // the look that follows will tell
	}
	name := ""
	switch uint32(s.Type) { // 32 bits, whatever the field's width
	case unix.NFS_SUPER_MAGIC:
		name = "NFS"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		name = "SMB"
	case unix.V9FS_MAGIC:
		name = "9P"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		name = "AFS"
	case unix.CEPH_SUPER_MAGIC:
		name = "Ceph"
	case unix.CODA_SUPER_MAGIC:
		name = "Coda"
	case unix.FUSE_SUPER_MAGIC:
		name = "FUSE"
	default:
		return ""
	}
	return fmt.Sprintf("the folder lies on a drive (%s) on which others make changes without an event", name)
}
