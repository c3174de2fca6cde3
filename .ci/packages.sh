# The checks of what a release hands out. Sourced by .ci/run.

# release_keys makes keys for one run, and puts how to name them into "signing".
release_keys() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=Filmspool test" -addext extendedKeyUsage=codeSigning \
    -keyout "$work/sign.key" -out "$work/sign.crt" 2>/dev/null
  minisign -G -W -f -p "$work/minisign.pub" -s "$work/minisign.key" >/dev/null
  signing=(--certificate "$work/sign.crt" --certificate-key "$work/sign.key" --minisign-key "$work/minisign.key")
}

# release_signatures FOLDER: what a person would check who downloads it.
release_signatures() {
  local file
  (cd "$1" && sha256sum --check --quiet SHA256SUMS && minisign -V -q -p "$work/minisign.pub" -m SHA256SUMS)
  for file in "$1"/*.msi "$1"/*-setup.exe; do
    osslsigncode verify -CAfile "$work/sign.crt" -in "$file" >"$work/verify.log" || { cat "$work/verify.log"; return 1; }
  done
}

# release_lint FOLDER: what each distribution's own checker says.
release_lint() {
  shellcheck -s sh packaging/sysv/filmspool.init packaging/nfpm/deb/p* packaging/nfpm/rpm/p{ost,reun,ostun} packaging/nfpm/apk/*
  # Debian 12's lintian does not know loong64.
  find "$1" -name '*.deb' ! -name '*loong64*' -print0 | xargs -0 -n 1 -P "$(nproc)" lintian --allow-root --fail-on error,warning,info -IL '+>=info'
  # rpmlint unpacks with cpio, which would write a package's absolute names into this machine.
  mkdir "$work/cpio"
  # shellcheck disable=SC2016 # that shell's own
  printf '#!/bin/sh\nexec /usr/bin/cpio --no-absolute-filenames "$@"\n' >"$work/cpio/cpio"
  chmod +x "$work/cpio/cpio"
  # shellcheck disable=SC2016 # that shell's own
  find "$1" -name '*.rpm' -print0 | PATH=$work/cpio:$PATH xargs -0 -n 1 -P "$(nproc)" bash -c '
    said=$(rpmlint --config packaging/nfpm/rpm/rpmlint.toml "$0" 2>&1) && grep -q " 0 errors, 0 warnings" <<<"$said" || { echo "$said"; exit 1; }'
}

# release_texts FOLDER: each reads as its language, and the image and the
# installer say what they are.
release_texts() {
  local arch name
  ruby -c "$1/homebrew/filmspool.rb" >/dev/null
  bash -n "$1/aur/PKGBUILD"
  bash -n "$1/aur/filmspool.install"
  nix-instantiate --parse "$1/nix/package.nix" >/dev/null
  jq -e '.architecture."64bit".hash | length == 64' "$1/scoop/filmspool.json" >/dev/null
  for arch in amd64 arm64 386 riscv64; do
    skopeo inspect --override-os linux --override-arch "$arch" "oci-archive:$(echo "$1"/*-oci.tar)" |
      jq -e --arg arch "$arch" '.Architecture == $arch and (.Layers | length == 1)' >/dev/null
  done
  msiinfo export "$(echo "$1"/*.msi)" Environment | grep -q 'PATH'
  aur "$1"
  for name in $(grep -ohE '(service\.)?filmspool[-_][0-9][A-Za-z0-9_.+-]*\.(deb|rpm|apk|zst|msi|exe|tar\.gz|tar|zip)' README.md packaging/INSTALL.md); do
    [ -e "$1/$name" ] || { echo "a page names $name, which was not made"; return 1; }
  done
}

# aur FOLDER: Arch Linux' own tool packs the archive, and says of it what we do.
aur() {
  chmod 711 "$work"
  install -d -o nobody "$work/aur"
  install -o nobody "$1"/aur/{PKGBUILD,filmspool.install} "$(echo "$1"/*-linux-amd64.tar.gz)" "$work/aur"
  (
    cd "$work/aur"
    runuser -u nobody -- env HOME="$work/aur" makepkg --printsrcinfo | sed 's/[[:space:]]*$//' | diff - "$1/aur/.SRCINFO"
    runuser -u nobody -- env HOME="$work/aur" CARCH=x86_64 makepkg --nodeps >"$work/makepkg.log" 2>&1 || { cat "$work/makepkg.log"; return 1; }
  )
}

# A release as it would be handed out, and a part of it a second time by
# somebody else, somewhere else.
step_release() {
  local one=$work/release-one two=$work/release-two clone=$work/clone signing=()
  need lintian rpmlint rpm wixl msitools nsis minisign osslsigncode openssl buildah skopeo shellcheck ruby nix-bin \
    makepkg pacman-package-manager libarchive-tools fakeroot
  (cd .packages && go mod tidy -diff && go mod verify && go vet .)
  go vet -tags manual ./cmd/filmspool/...
  release_keys
  go run ./packaging/release "${signing[@]}" "$one"
  git clone --quiet . "$clone"
  (
    cd "$clone"
    umask 077
    TZ=Pacific/Auckland LC_ALL=C GOFLAGS=-tags=other go run ./packaging/release "${signing[@]}" --platforms linux-amd64,linux-arm64,linux-armv7,windows-amd64 \
      --only archive,deb,rpm,apk,archlinux,msi,nsis,kodi "$two" >"$work/again.log"
  )
  # Of what was made twice, every line of the sums is there twice; but the notes
  # are about all that was made with them.
  sort "$one/SHA256SUMS" | comm -13 - <(grep -v ' release-notes.md$' "$two/SHA256SUMS" | sort) >"$work/differ.txt"
  [ "$(wc -l <"$two/SHA256SUMS")" -ge 25 ] && [ ! -s "$work/differ.txt" ] || { cat "$work/again.log" "$work/differ.txt"; return 1; }
  release_signatures "$one"
  release_lint "$one"
  release_texts "$one"
}

# the_release: prints the folder of a release: the one that step_release made,
# or else a part of one, with what the other steps need.
the_release() {
  local folder=$work/release-one platforms
  if [ ! -e "$folder/SHA256SUMS" ]; then
    folder=$work/release-part
    need wixl msitools buildah >&2 || return
    platforms=$(printf '%s\n' "linux-$(go env GOARCH)" linux-arm64 linux-armv7 linux-riscv64 windows-amd64 | sort -u | paste -sd,)
    [ -e "$folder/SHA256SUMS" ] || go run ./packaging/release --only archive,deb,rpm,apk,archlinux,msi,image,kodi --platforms "$platforms" "$folder" >&2 || return
  fi
  echo "$folder"
}

# the_old_release: prints the folder of one from which to come to that.
the_old_release() {
  local folder=$work/release-old
  need wixl msitools >&2 || return
  [ -e "$folder/SHA256SUMS" ] ||
    go run ./packaging/release --version 0.0.1 --only archive,deb,rpm,archlinux,msi --platforms "linux-$(go env GOARCH),windows-amd64" "$folder" >&2 || return
  echo "$folder"
}

# packages_on_debian SUITE NEW OLD: the real package on a real machine, and
# README.md typed into it.
packages_on_debian() {
  FILMSPOOL_DEB=$(echo "$2"/*_"$(go env GOARCH)".deb) FILMSPOOL_OLD_DEB=$(echo "$3"/*.deb)
  FILMSPOOL_NSPAWN_ROOT=$(root_tar "$1")
  export FILMSPOOL_DEB FILMSPOOL_OLD_DEB FILMSPOOL_NSPAWN_ROOT
  must_pass ./packaging/test TestDebOnSystemd TestReadmeOnSystemd
}

# first_run NEW: somebody who has never used a terminal, with the real package and
# a real browser.
first_run() {
  npm_tools
  need chromium xdg-utils
  FILMSPOOL_DEB=$(echo "$1"/*_"$(go env GOARCH)".deb)
  FILMSPOOL_NSPAWN_ROOT=$(root_tar trixie)
  export FILMSPOOL_DEB FILMSPOOL_NSPAWN_ROOT
  must_pass ./packaging/test TestFirstRunFromDeb
}

# The packages of step_release, and an older one of each to come from.
step_packages() {
  local new old
  new=$(the_release)
  old=$(the_old_release)
  the_program
  root_tars 'bookworm systemd' 'trixie systemd' 'trixie tools' 'bookworm openrc' 'bookworm sysv'
  go test -run '^$' ./packaging/test # builds it, for all
  side_by_side "first_run $new" "packages_on_debian bookworm $new $old" "packages_on_debian trixie $new $old" "packages_elsewhere $new $old"
}
