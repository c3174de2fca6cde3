#!/bin/bash
# The life of the package for Alpine Linux: install, start, status, upgrade, remove. It runs
# inside a throw-away Debian with OpenRC, as root, as
#
#   alpine.sh OLD NEW     with two versions of the package
#
# Debian has no apk, so the archive is unpacked here, and its scripts run as apk runs them.
set -eEuo pipefail
trap 'echo "alpine.sh: line $LINENO: $BASH_COMMAND" >&2; cat /var/log/filmspool/filmspool.log >&2 || true' ERR
old=$1 new=$2
key=sk_testsecret1 address=http://127.0.0.1:8103/api/v1
PATH=/srv/alpine:$PATH:/usr/sbin:/sbin
mkdir -p /srv/alpine
printf '#!/bin/sh\ngroupadd --system "$2"\n' >/srv/alpine/addgroup
printf '#!/bin/sh\nuseradd --system --home-dir /var/lib/filmspool --gid filmspool filmspool\n' >/srv/alpine/adduser
chmod +x /srv/alpine/*

# apk BEFORE AFTER ARCHIVE: unpacks it between two of its scripts.
apk() {
  mkdir -p /srv/scripts
  tar -C /srv/scripts --wildcards --warning=no-unknown-keyword -xzf "$3" '.p*'
  [ ! -e "/srv/scripts/.$1" ] || "/srv/scripts/.$1"
  tar -C / --no-overwrite-dir --warning=no-unknown-keyword -xzf "$3" etc usr
  [ ! -e "/srv/scripts/.$2" ] || "/srv/scripts/.$2"
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
refuses() { if "$@"; then echo "should fail: $*" >&2; return 1; fi; }
tracker() { setsid /srv/filmspool sandbox --listen 127.0.0.1:8103 --state-dir /var/lib/tracker --secret-key $key --public-key pk_testpublic1 >/dev/null 2>&1 & }
delivered() { filmspool --system status --json | tr -d ' \n'; }

openrc sysinit >/dev/null 2>&1 || true # a container lets it do no more than it needs here
openrc default
tracker
apk pre-install post-install "$old"
refuses rc-service filmspool status # a package starts nothing
rc-update --quiet add filmspool default
rc-service filmspool start
wait_until started rc-service filmspool status
wait_until msg=ready cat /var/log/filmspool/filmspool.log
filmspool --system login --base-url $address --key-stdin <<<$key

pkill -x -f '/srv/filmspool sandbox.*' || true
filmspool --system add 603
apk pre-upgrade post-upgrade "$new"
wait_until started rc-service filmspool status
wait_until "version=$(cut -d_ -f2 <<<"$new" | cut -d- -f1)" cat /var/log/filmspool/filmspool.log
tracker
wait_until '"delivered":1' delivered

# A crash is mended by OpenRC.
pid=$(pgrep -x filmspool -u filmspool)
kill -KILL "$pid"
another() { pgrep -x filmspool -u filmspool | grep -vx "$pid"; }
wait_until '[0-9]' another

/srv/scripts/.pre-deinstall
refuses pgrep -x filmspool -u filmspool
[ -s /var/lib/filmspool/filmspool.db ]
echo "the package's life: all well"
