package test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// openrcLife is what a machine with OpenRC does with the package for Alpine
// Linux, as far as a Debian can: its own tools make the user, and the package's
// scripts stand in /apk. It ends at the first thing that is not as it should be.
const openrcLife = `
set -eu
groupadd --system filmspool
useradd --system --gid filmspool --no-create-home --home-dir /var/lib/filmspool --shell /usr/sbin/nologin filmspool
for kind in exclusive started starting daemons options failed stopping inactive wasinactive hotplugged scheduled tmp; do
	mkdir -p "/run/openrc/$kind"
done
touch /run/openrc/softlevel

running() { pgrep -u filmspool -f '^/usr/bin/filmspool run'; }
# another PID waits for a process that answers and is another one than PID.
another() {
	for tenth in $(seq 300); do
		if now=$(running) && [ "$now" != "$1" ] && filmspool --system queue list >/dev/null 2>&1; then
			return 0
		fi
		sleep 0.1
	done
	echo "no other process than $1 answers"
	return 1
}
waiting() { filmspool --system queue list --json --state pending | grep -c '"id"'; }

rc-update add filmspool default
rc-service --nodeps filmspool start
another none
rc-service filmspool status
filmspool --system service status

echo 'the program leaves the script of the package alone'
script=$(cksum /etc/init.d/filmspool)
filmspool --system service install
[ "$(cksum /etc/init.d/filmspool)" = "$script" ]
[ "$(stat -c '%a %U' /var/lib/filmspool)" = '700 filmspool' ]
[ "$(stat -c '%a %G' /run/filmspool /run/filmspool/control.json | tr '\n' ' ')" = '750 filmspool 640 filmspool ' ]
filmspool --system add movie 603 --json >/dev/null
[ "$(waiting)" = 1 ]

echo 'after a crash'
first=$now
kill -9 "$first"
another "$first"
[ "$(waiting)" = 1 ]

echo 'after an upgrade'
second=$now
sh /apk/.post-upgrade
another "$second"
[ "$(waiting)" = 1 ]

echo 'after a removal'
sh /apk/.pre-deinstall
if running; then echo 'it still runs'; exit 1; fi
if rc-update show default | grep filmspool; then echo 'it is still enabled'; exit 1; fi
sh /apk/.post-deinstall | grep /var/lib/filmspool
[ -s /var/lib/filmspool/filmspool.db ]
`

// TestApkOnOpenRC takes the package for Alpine Linux through its life, under
// OpenRC on a Debian.
func TestApkOnOpenRC(t *testing.T) {
	tar, apk := os.Getenv("FILMSPOOL_OPENRC_ROOT"), os.Getenv("FILMSPOOL_APK")
	if tar == "" || apk == "" {
		t.Skip("FILMSPOOL_OPENRC_ROOT or FILMSPOOL_APK is not set; see the package comment")
	}
	root := t.TempDir()
	must(t, exec.CommandContext(t.Context(), "tar", "-C", root, "-xf", tar, "--exclude=./dev/*"))
	must(t, exec.CommandContext(t.Context(), "tar", "-C", root, "-xzf", apk, "--exclude=.*"))
	must(t, exec.CommandContext(t.Context(), "install", "-d", filepath.Join(root, "apk")))
	must(t, exec.CommandContext(t.Context(), "tar", "-C", filepath.Join(root, "apk"), "-xzf", apk,
		".post-upgrade", ".pre-deinstall", ".post-deinstall"))
	if err := os.WriteFile(filepath.Join(root, "life"), []byte(openrcLife), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	must(t, exec.CommandContext(ctx, "systemd-nspawn", "--quiet", "--directory="+root, "--register=no", "--keep-unit", "--as-pid2",
		"--private-network", "--console=pipe", "/bin/sh", "/life"))
}
