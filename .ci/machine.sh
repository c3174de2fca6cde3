# What the machine needs. Sourced by .ci/run.

# need PACKAGE...: installs those Debian packages that are missing. What there is
# it asks once in a run.
need() {
  local missing=() package
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}"
  (
    flock 9 # the lists have a lock that apt-get does not wait for
    [ -s "$updated" ] || apt-get -qq -o DPkg::Lock::Timeout=600 update
    echo yes >&9
    DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=600 install --no-install-recommends "${missing[@]}" >/dev/null
  ) 9>>"$updated"
}

step_machine() {
  [ "$(id -u)" = 0 ] || { echo "this needs root: it installs packages and boots a machine"; return 1; }
  need gcc libc6-dev git jq mmdebstrap systemd systemd-container
  go version
  echo "$(nproc) cores"
  # All at once, since it is waiting. "go mod verify" looks only at what is there.
  side_by_side 'go mod download' 'go -C .tools mod download' 'go -C .bench mod download' 'go -C .packages mod download'
}

# The linter, built once into Go's build cache.
linter() { go tool -modfile=.tools/go.mod -n golangci-lint; }

# root_tar [SUITE [KIND]]: prints the path of a small Debian, made once and kept
# in the cache folder. Without names it is Debian 12 with systemd. KIND may be
# openrc or sysv; tools is systemd beside what Fedora and Arch Linux install
# packages with; wine has a screen too, for Windows' installer.
root_tar() {
  local suite=${1:-bookworm} kind=${2:-systemd} tar
  local packages=systemd,systemd-sysv,dbus,libpam-systemd,dbus-user-session,procps
  case $kind in
    openrc) packages=openrc,procps ;;
    sysv) packages=sysvinit-core,sysv-rc,procps ;;
    tools) packages=$packages,rpm,pacman-package-manager ;;
    wine) packages=wine,wine64,xvfb ;;
  esac
  tar=$cache/$suite-$kind-1.tar
  if [ ! -s "$tar" ]; then
    mkdir -p "$cache"
    mmdebstrap --quiet --variant=minbase --include="$packages" "$suite" "$tar.new.tar" >&2
    mv "$tar.new.tar" "$tar"
  fi
  echo "$tar"
}

# root_tars 'SUITE KIND'...: makes one after the other.
root_tars() {
  local root
  for root; do
    # shellcheck disable=SC2086 # two words
    root_tar $root >/dev/null || { echo "no root file system $root"; return 1; }
  done
}

# side_by_side COMMAND...: runs them all at once, each with a work folder of its
# own, and shows what each said when it has ended.
side_by_side() {
  local command pids=() failed=0 i
  for command; do
    i=${#pids[@]}
    mkdir -p "$work/side-$i"
    (
      work=$work/side-$i
      $command
    ) >"$work/side-$i.log" 2>&1 &
    pids+=($!)
  done
  for i in "${!pids[@]}"; do
    wait "${pids[i]}" || failed=1
    cat "$work/side-$i.log"
  done
  return "$failed"
}

# All of them, two at a time: most of it is waiting and unpacking.
step_roots() {
  local first
  root_tars 'trixie wine' 'bookworm openrc' 'bookworm sysv' &
  first=$!
  root_tars 'bookworm systemd' 'trixie systemd' 'trixie tools'
  wait "$first"
  ls -sh "$cache"/*.tar
}
