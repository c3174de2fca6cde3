#!/bin/bash
# The life of a Linux package on a machine that systemd has booted: install, start,
# status, upgrade, remove. It runs inside a throw-away machine, as root, as
#
#   life.sh OLD NEW     with two versions of the package of that distribution
#
# One person and the whole machine each have a service. Viewings wait while the
# package is upgraded, and are delivered once after it.
set -eEuo pipefail
trap 'echo "life.sh: line $LINENO: $BASH_COMMAND" >&2; journalctl --no-pager -n 60 -t filmspool -t systemd || true' ERR
old=$1 new=$2
key=sk_testsecret1 address=http://127.0.0.1:8103/api/v1

case $new in
*.deb)
  install() { DEBIAN_FRONTEND=noninteractive apt-get -y -q install "$1"; }
  remove() { DEBIAN_FRONTEND=noninteractive apt-get -y -q purge filmspool; }
  ;;
*.rpm)
  install() { rpm -U --nodeps "$1"; }
  remove() { rpm -e filmspool; }
  ;;
*)
  ln -sf bash /bin/sh # as on Arch Linux
  install() { pacman -U --noconfirm -dd "$1"; }
  remove() { pacman -R --noconfirm filmspool; }
  ;;
esac

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
  until said=$("$@" 2>&1 || true) && grep -q "$text" <<<"$said"; do
    [ $SECONDS -lt $end ] || { printf 'no %s in:\n%s\n' "$text" "$said" >&2; return 1; }
    sleep 0.3
  done
}
# says TEXT COMMAND...: the command prints the text, whatever its exit code.
says() {
  local text=$1 said
  shift
  said=$("$@" 2>&1) || true
  grep -q "$text" <<<"$said" || { printf 'no %s in:\n%s\n' "$text" "$said" >&2; return 1; }
}
# refuses COMMAND...: the command has to fail.
refuses() { if "$@"; then echo "should fail: $*" >&2; return 1; fi; }
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
  refuses filmspool_of $owner service status # a package starts nothing
  filmspool_of $owner service install
  filmspool_of $owner service start
  says running filmspool_of $owner service status
  filmspool_of $owner login --base-url $address --key-stdin <<<$key
done

systemctl stop tracker
filmspool_of kid add 603
filmspool_of machine add 604
install "$new"
for owner in kid machine; do
  says running filmspool_of $owner service status
  pid=$(as $owner systemctl $([ $owner = machine ] || echo --user) show --property=MainPID --value filmspool)
  [ "$(readlink "/proc/$pid/exe")" = /usr/bin/filmspool ] # that of the old package is "(deleted)"
done
tracker
for owner in kid machine; do wait_until '"delivered":1' delivered $owner; done
[ "$(records)" = 2 ] || { echo "$(records) records, want 2" >&2; exit 1; }

# A crash is mended by systemd; a stop is not.
systemctl kill --signal=KILL filmspool
wait_until '^1$' systemctl show --property=NRestarts --value filmspool
wait_until running filmspool_of machine service status
filmspool_of machine service stop
says stopped filmspool_of machine service status
filmspool_of machine service start

remove
refuses test -e /usr/bin/filmspool
refuses test -e /usr/lib/systemd/system/filmspool.service
refuses pgrep -x filmspool -u kid
for kept in /home/kid/.local/state/filmspool/filmspool.db /var/lib/private/filmspool/filmspool.db /etc/filmspool/config.toml; do [ -s $kept ]; done
echo "the package's life: all well"
