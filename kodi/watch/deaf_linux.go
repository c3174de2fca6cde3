package watch

import (
	"golang.org/x/sys/unix"
)

// Numbers of drives that hypervisors and clusters share, which the kernel's own
// list lacks.
const (
	vboxsf    = 0x786f4256 // VirtualBox
	hgfs      = 0xbacbacbc // VMware
	parallels = 0x7c7c6673
	lustre    = 0x0bd00bd0
	gpfs      = 0x47504653
)

// drive names the drive that a folder lies on when other machines may write
// there; else "". The numbers are those of statfs(2).
func drive(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return "" // the look that follows will tell
	}
	return driveOf(uint32(s.Type)) // 32 bits, whatever the field's width
}

func driveOf(magic uint32) string {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB"
	case unix.V9FS_MAGIC:
		return "9P"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "AFS"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	case unix.CODA_SUPER_MAGIC:
		return "Coda"
	case unix.FUSE_SUPER_MAGIC:
		return fuse
	case vboxsf, hgfs, parallels:
		return "a shared folder of the host"
	case lustre, gpfs:
		return "a cluster"
	default:
		return ""
	}
}

// fuse stands for drives on other machines (sshfs) and for some on this one.
const fuse = "FUSE"

// far says why changes in a folder may come without an event, or "": on a
// network drive only changes made on this machine send events. Whether FUSE is
// far, only a change shows that no event came for.
func far(dir string) string {
	name := drive(dir)
	if name == "" || name == fuse {
		return ""
	}
	return name
}
