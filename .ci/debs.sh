# The packages and service managers of others than Debian. Sourced by .ci/run.

# packages_elsewhere NEW OLD: the packages in two folders go through their lives
# by the tools of Fedora and Arch Linux; that for Alpine Linux is read, and its
# scripts are run. The one for Debian meets a Debian with SysV init.
packages_elsewhere() {
  FILMSPOOL_DEB=$(echo "$1"/*_"$(go env GOARCH)".deb) FILMSPOOL_OLD_DEB=$(echo "$2"/*.deb)
  FILMSPOOL_NSPAWN_ROOT=$(root_tar trixie tools)
  FILMSPOOL_OPENRC_ROOT=$(root_tar bookworm openrc)
  FILMSPOOL_RPM=$(echo "$1"/*."$(uname -m)".rpm) FILMSPOOL_OLD_RPM=$(echo "$2"/*."$(uname -m)".rpm)
  FILMSPOOL_ARCH=$(echo "$1"/*-"$(uname -m)".pkg.tar.zst) FILMSPOOL_OLD_ARCH=$(echo "$2"/*-"$(uname -m)".pkg.tar.zst)
  FILMSPOOL_APK=$(echo "$1"/*_"$(uname -m)".apk)
  FILMSPOOL_SYSV_ROOT=$(root_tar bookworm sysv)
  export FILMSPOOL_DEB FILMSPOOL_OLD_DEB FILMSPOOL_SYSV_ROOT FILMSPOOL_NSPAWN_ROOT FILMSPOOL_OPENRC_ROOT FILMSPOOL_RPM FILMSPOOL_OLD_RPM FILMSPOOL_ARCH FILMSPOOL_OLD_ARCH FILMSPOOL_APK
  must_pass ./packaging/test TestRpmOnSystemd TestPacmanOnSystemd TestApkOnPaper TestApkOnOpenRC TestDebOnSysV
}

# The program installs itself where there is no systemd.
step_inits() {
  the_program
  FILMSPOOL_OPENRC_ROOT=$(root_tar bookworm openrc)
  FILMSPOOL_SYSV_ROOT=$(root_tar bookworm sysv)
  export FILMSPOOL_OPENRC_ROOT FILMSPOOL_SYSV_ROOT
  side_by_side 'must_pass ./packaging/test TestServiceOnOpenRC' 'must_pass ./packaging/test TestServiceOnSysV'
}
