#!/usr/bin/env bash
# Boots a throw-away Debian with systemd, or for a package of Alpine Linux starts one with
# OpenRC, and takes a package through its life in it.
#
#   boot.sh SUITE PROGRAM OLD NEW [PACKAGE...]
#
# SUITE is a release of Debian, PROGRAM the built program (it serves as tracking service),
# OLD and NEW two versions of the package. More Debian packages may be named, such as
# the package manager of another distribution. Needs root, mmdebstrap and systemd-nspawn.
set -euo pipefail
suite=$1 program=$2 old=$3 new=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cache=${XDG_CACHE_HOME:-$HOME/.cache}/filmspool-ci
base=systemd,systemd-sysv,dbus,libpam-systemd,dbus-user-session,procps,curl
nspawn=(timeout 600 systemd-nspawn --quiet --directory="$work/root" --register=no --keep-unit --private-network --link-journal=no)
case $new in *.apk) base=procps ;; esac
tar=$cache/$suite${1:+-$1}.tar

mkdir -p "$cache"
if [ ! -s "$tar" ]; then
  mmdebstrap --quiet --variant=minbase --include="$(IFS=, && echo "$base${*:+,$*}")" "$suite" "$work/root.tar"
  mv "$work/root.tar" "$tar"
fi
root=$work/root
mkdir "$root"
tar -C "$root" --exclude='./dev/*' -xf "$tar"
install -m 755 "$(dirname "$0")"/{life,alpine}.sh "$program" "$old" "$new" "$root/srv"
case $new in *.apk)
  "${nspawn[@]}" --as-pid2 --pipe /srv/alpine.sh "/srv/${old##*/}" "/srv/${new##*/}" </dev/null >"$work/console" 2>&1 || { cat "$work/console" && exit 1; }
  grep 'all well' "$work/console"
  exit
  ;;
esac
cat >"$root/etc/systemd/system/life.service" <<END
[Unit]
After=basic.target dbus.service systemd-logind.service
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
ExecStart=/srv/life.sh /srv/${old##*/} /srv/${new##*/}
StandardOutput=file:/srv/log
StandardError=inherit
END
ln -s ../life.service "$root/etc/systemd/system/multi-user.target.wants/"

# The machine ends with the exit code of life.sh.
if SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 "${nspawn[@]}" --boot --console=pipe </dev/null >"$work/console" 2>&1; then
  tail -n 1 "$root/srv/log"
else
  cat "$work/console" "$root/srv/log"
  exit 1
fi
