# The program for Windows and its installers, in Wine. Sourced by .ci/run.

# setup VERSION FOLDER EXE: the installer for one person from the same script as
# the release's, but a 64-bit program: this Wine runs no others.
setup() {
  makensis -V2 -NOCD -INPUTCHARSET UTF8 "-XTarget amd64-unicode" "-DVERSION=$1" "-DNUMBERS=${1%%-*}.0" "-DINTO=$2/setup-$1.exe" \
    "-DPROGRAM=$3" "-DDOCUMENTS=${3%/*}" -DLICENCE=LICENSE packaging/windows/filmspool.nsi >"$work/makensis.log" || { cat "$work/makensis.log"; return 1; }
}

step_wine() {
  local made=$work/wine new old now version
  npm_tools
  need wixl msitools nsis unzip chromium
  new=$(the_release)
  old=$(the_old_release)
  now=$(basename "$new"/filmspool-*-windows-amd64.zip -windows-amd64.zip)
  now=${now#filmspool-}
  unzip -q "$new"/*-windows-amd64.zip -d "$made"
  unzip -q "$old"/*-windows-amd64.zip -d "$made"
  for version in 0.0.1 "$now"; do
    setup "$version" "$made" "$made/filmspool-$version-windows-amd64/filmspool.exe"
  done
  FILMSPOOL_WINE_ROOT=$(root_tar trixie wine) # the Wine of Debian 12 is too old
  FILMSPOOL_EXE=$made/filmspool-$now-windows-amd64/filmspool.exe
  FILMSPOOL_OLD_MSI=$(echo "$old"/*.msi) FILMSPOOL_MSI=$(echo "$new"/*.msi)
  FILMSPOOL_OLD_SETUP=$made/setup-0.0.1.exe FILMSPOOL_SETUP=$made/setup-$now.exe
  export FILMSPOOL_WINE_ROOT FILMSPOOL_EXE FILMSPOOL_OLD_MSI FILMSPOOL_MSI FILMSPOOL_OLD_SETUP FILMSPOOL_SETUP
  must_pass ./packaging/test TestExeInWine
}
