# What the machine needs. Sourced by .ci/run.

# need PACKAGE...: installs those Debian packages that are missing.
need() {
  local missing=() package
  for package; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}"
  apt-get -qq -o DPkg::Lock::Timeout=600 update
  DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=600 install --no-install-recommends "${missing[@]}" >/dev/null
}

step_machine() {
  [ "$(id -u)" = 0 ] || { echo "this needs root: it installs packages and boots a machine"; return 1; }
  need gcc libc6-dev git jq mmdebstrap systemd systemd-container
  go version
  echo "$(nproc) cores"
  go mod download
}

# The linter, built once into Go's build cache.
linter() { go tool -modfile=.tools/go.mod -n golangci-lint; }

# root_tar [SUITE [INIT]]: prints the path of a small Debian, made once and
# kept in the cache folder. Without names it is Debian 12 with systemd; INIT may be openrc
# or sysv, and tools is systemd beside what Fedora and Arch Linux install packages with.
root_tar() {
  local suite=${1:-bookworm} init=${2:-systemd} kept=$cache tar
  local packages=systemd,systemd-sysv,dbus,libpam-systemd,dbus-user-session,procps
  case $init in
    openrc) packages=openrc,procps ;;
    sysv) packages=sysvinit-core,sysv-rc,procps ;;
    tools) packages=$packages,rpm,pacman-package-manager ;;
  esac
  tar=$kept/$suite-$init-1.tar
  if [ ! -s "$tar" ]; then
    mkdir -p "$kept"
    mmdebstrap --quiet --variant=minbase --include="$packages" "$suite" "$tar.new.tar" >&2
    mv "$tar.new.tar" "$tar"
  fi
  echo "$tar"
}
