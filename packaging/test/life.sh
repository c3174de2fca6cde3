#!/bin/bash
# The life of a Linux package on a machine that systemd has booted: install, start,
# status, upgrade, remove. It runs inside a throw-away machine, as root, as
#
#   life.sh OLD NEW     with two versions of the package of that distribution
#
# One person and the whole machine each have a service. Viewings wait while the
# package is upgraded, and are delivered once after it.
set -eEuo pipefail
trap 'echo "life.sh: line $LINENO: $BASH_COMMAND" >&2; journalctl --no-pager -n 40 || true' ERR
old=$1 new=$2
key=sk_testsecret1 address=http://127.0.0.1:8103/api/v1

if command -v apt-get >/dev/null; then
  install() { DEBIAN_FRONTEND=noninteractive apt-get -y -q install --allow-downgrades "$1"; }
  remove() { DEBIAN_FRONTEND=noninteractive apt-get -y -q purge filmspool; }
elif command -v pacman >/dev/null; then
  install() { pacman -U --noconfirm "$1"; }
  remove() { pacman -R --noconfirm filmspool; }
else
  install() { rpm -U "$1"; }
  remove() { rpm -e filmspool; }
fi

# as OWNER COMMAND...: runs a command as the person, or as root for the machine.
as() {
  local owner=$1
  shift
  if [ "$owner" = machine ]; then "$@"; else runuser -u kid -- env HOME=/home/kid XDG_RUNTIME_DIR="/run/user/$(id -u kid)" "$@"; fi
}
filmspool_of() {
  local owner=$1 system=()
  shift
  [ "$owner" = kid ] || system=(--system)
  as "$owner" filmspool "${system[@]}" "$@"
}

# wait_until TEXT COMMAND...: until the command prints the text, for a minute at most.
wait_until() {
  local text=$1 said='' end=$((SECONDS + 60))
  shift
  until said=$("$@" 2>&1) && grep -q "$text" <<<"$said"; do
    [ $SECONDS -lt $end ] || { printf 'no %s in:\n%s\n' "$text" "$said" >&2; return 1; }
    sleep 0.3
  done
}
delivered() { filmspool_of "$1" status --json | tr -d ' \n' || true; }
records() { curl -sf -H "Authorization: Bearer $key" "$address/history" | grep -o '"type":"movie"' | wc -l; }
tracker() { systemd-run --quiet --collect --unit=tracker -p StateDirectory=tracker /srv/filmspool sandbox --listen 127.0.0.1:8103 --state-dir /var/lib/tracker --secret-key $key --public-key pk_testpublic1; }

useradd --create-home kid
loginctl enable-linger kid
mkdir -p /etc/filmspool
echo 'listen = "127.0.0.1:43457"' >/etc/filmspool/config.toml
tracker

install "$old"
for owner in kid machine; do
  wait_until 'not running\|stopped\|not installed' bash -c "$(declare -f as filmspool_of); filmspool_of $owner service status || true"
  filmspool_of $owner service install
  filmspool_of $owner service start
  filmspool_of $owner service status | grep -q running
  filmspool_of $owner login --base-url $address --key-stdin <<<$key
done

systemctl stop tracker
filmspool_of kid add movie 603
filmspool_of machine add movie 604
install "$new"
for owner in kid machine; do
  filmspool_of $owner service status | grep -q running
  [ "$(filmspool_of $owner status --json | grep -o '"version": "[^"]*"' | head -1)" != '' ]
done
tracker
for owner in kid machine; do wait_until '"delivered":1' delivered $owner; done
[ "$(records)" = 2 ] || { echo "$(records) records, want 2" >&2; exit 1; }

# A crash is mended by systemd; a stop is not.
systemctl kill --signal=KILL filmspool
wait_until running filmspool_of machine service status
filmspool_of machine service stop
! filmspool_of machine service status | grep -q '^running'
filmspool_of machine service start

remove
for left in /usr/bin/filmspool /usr/lib/systemd/system/filmspool.service; do [ ! -e $left ]; done
! pgrep -x filmspool -u kid
for kept in /home/kid/.local/state/filmspool/filmspool.db /var/lib/private/filmspool/filmspool.db /etc/filmspool/config.toml; do [ -s $kept ]; done
echo "the package's life: all well"
