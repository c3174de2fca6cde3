# The checks against the real thing: systemd, Kodi and MariaDB. Sourced by .ci/run.

# must_pass PACKAGE TEST...: runs tests that may not be skipped. A test that
# does not exist fails too.
must_pass() {
  local package=$1 test log=$work/must_pass.log
  shift
  go test -count=1 -timeout 20m -v -run "^($(IFS='|' && echo "$*"))\$" "$package" 2>&1 | tee "$log"
  if grep -qE '^ *--- SKIP' "$log"; then
    echo "$* in $package: something was skipped, in whole or in part"
    return 1
  fi
  for test; do
    grep -qE "^--- PASS: $test " "$log" || { echo "$test in $package did not run"; return 1; }
  done
}

# unit KIND: fills in a unit. The program that it names has to exist for
# systemd-analyze.
unit() {
  mkdir -p "$work/$1"
  sed -e "/^#/!s#@COMMAND@#$FILMSPOOL_BINARY run#" -e "/^#/!s#@EXECUTABLE@#$FILMSPOOL_BINARY#" \
    -e "/^#/!s#@STATE@#%h/.local/state/filmspool#" "packaging/systemd/$1/filmspool.service" >"$work/$1/filmspool.service"
}

# verify KIND: systemd finds nothing wrong with it.
verify() {
  local said
  said=$(XDG_RUNTIME_DIR=$work systemd-analyze verify --man=no "--$1" "$work/$1/filmspool.service" 2>&1) || { echo "$said"; return 1; }
  if grep -q filmspool <<<"$said"; then
    echo "$said"
    return 1
  fi
}

# security KIND TENTHS: the exposure that systemd itself computes, at most.
security() {
  local score
  systemd-analyze security --no-pager --offline=true --threshold="$2" "$work/$1/filmspool.service" >"$work/security.txt" || {
    cat "$work/security.txt"
    return 1
  }
  score=$(grep -oE 'filmspool.service: [0-9.]+ [A-Z]+' "$work/security.txt")
  echo "$1 unit: exposure ${score#*: }"
}

# TestWallsOnSystemd scores the units once more as they are installed, on older
# and newer systemds, and looks whether the walls stand. A person's unit is
# scored as if root ran it, since systemd-analyze has no other way.
step_units() {
  local kind
  the_program
  for kind in user system; do
    unit "$kind"
    verify "$kind"
  done
  security user 40
  security system 15
}

# Debian's Kodi, with what package realkodi drives it by.
real_kodi() {
  need kodi kodi-bin xvfb xauth libgl1-mesa-dri libegl-mesa0 ffmpeg sqlite3
  export FILMSPOOL_REAL_KODI=1
}

kodi_end_to_end() { must_pass ./cmd/filmspool TestRealKodiEndToEnd; }

kodi_otherwise() {
  must_pass ./kodi/kodisim TestAgainstRealKodi
  must_pass ./cmd/filmspool TestRealKodisAtOnce
  must_pass ./cmd/filmspool TestRealKodiAnnounces TestRealKodiWithOtherNumbers
  must_pass ./packaging/kodi TestRealKodi
  must_pass ./cmd/filmspool TestRealKodiOnAServer
}

# One after the other: what a Kodi writes is judged by when it was written, and a
# busy machine writes late.
step_kodi() {
  real_kodi
  mariadb_server
  kodi_end_to_end
  kodi_otherwise
}

# A server of our own, in a folder of its own and on loopback: the package has
# the program, and no service.
mariadb_server() {
  need mariadb-server-core mariadb-client-core
  FILMSPOOL_MARIADB=$(command -v mariadbd)
  export FILMSPOOL_MARIADB
}

step_mariadb() {
  mariadb_server
  must_pass ./kodi/library TestServer TestWishesOfServer
}

# on_systemd SUITE TEST...: the services on that Debian.
on_systemd() {
  FILMSPOOL_NSPAWN_ROOT=$(root_tar "$1")
  export FILMSPOOL_NSPAWN_ROOT
  must_pass ./packaging/test "${@:2}"
}

in_trouble() {
  on_systemd bookworm TestTroubleOnSystemd
  on_systemd trixie TestTroubleOnSystemd
}

# Most of it is waiting, so three go side by side.
step_nspawn() {
  local services='TestServiceOnSystemd TestWallsOnSystemd TestVerbsOnSystemd TestDoctorOnSystemd'
  the_program
  root_tars 'bookworm systemd' 'trixie systemd'
  go test -run '^$' ./packaging/test # builds it, for all
  side_by_side "on_systemd bookworm $services" "on_systemd trixie $services" in_trouble
}

# The add-on for LibreELEC and CoreELEC: its wrapper in their shell, its unit on
# a real systemd. step_release looks whether it comes out the same.
step_addon() {
  local one said
  need busybox unzip
  the_program
  one=$(the_release)
  unzip -q "$one"/service.*-x86_64.zip -d "$work/addon"
  said=$(systemd-analyze verify --man=no "$work"/addon/*/system.d/*.service 2>&1) || { echo "$said"; return 1; }
  if grep -q filmspool <<<"$said"; then
    echo "$said"
    return 1
  fi
  must_pass ./packaging/kodi TestWrapperOnANewMachine
  FILMSPOOL_NSPAWN_ROOT=$(root_tar)
  export FILMSPOOL_NSPAWN_ROOT FILMSPOOL_ADDON=$one
  must_pass ./packaging/test TestAddonOnSystemd
}
