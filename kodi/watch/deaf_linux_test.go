package watch

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestDrives(t *testing.T) {
	tests := map[uint32]string{
		unix.NFS_SUPER_MAGIC: "NFS", unix.CIFS_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.FUSE_SUPER_MAGIC: fuse,
		unix.V9FS_MAGIC: "9P", vboxsf: "a shared folder of the host",
		unix.EXT4_SUPER_MAGIC: "", unix.BTRFS_SUPER_MAGIC: "", unix.TMPFS_MAGIC: "", unix.XFS_SUPER_MAGIC: "", unix.OVERLAYFS_SUPER_MAGIC: "", unix.MSDOS_SUPER_MAGIC: "",
	}
	for magic, want := range tests {
		if got := driveOf(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
	if got := far("/proc/none"); got != "" {
		t.Errorf("a folder that is not there is far: %s", got)
	}
}
