# The checks of what other processors, containers and macOS get. Sourced by .ci/run.

# the_release: prints the folder of a release: the one that step_release made,
# or else a part of one, with what the checks here need.
the_release() {
  local folder=$work/release-one platforms
  if [ ! -e "$folder/SHA256SUMS" ]; then
    folder=$work/release-others
    platforms=$(printf '%s\n' "linux-$(go env GOARCH)" linux-arm64 linux-armv7 linux-riscv64 | sort -u | paste -sd,)
    [ -e "$folder/SHA256SUMS" ] || go run ./packaging/release --only archive,image --platforms "$platforms" "$folder" >&2
  fi
  echo "$folder"
}

step_others() {
  local release archive
  need qemu-user buildah skopeo jq python3
  the_program
  release=$(the_release)
  (cd .packages && go test ./...)
  property_list
  containerfile "$release"
  FILMSPOOL_IMAGE=$(echo "$release"/*-oci.tar) FILMSPOOL_PROGRAMS=$work/programs
  export FILMSPOOL_IMAGE FILMSPOOL_PROGRAMS
  must_pass ./packaging/test TestContainerImage
  must_pass ./packaging/test TestContainerKnowsTimeZones
  mkdir -p "$FILMSPOOL_PROGRAMS"
  for archive in "$release"/filmspool-*-linux-*.tar.gz; do tar -C "$FILMSPOOL_PROGRAMS" -xzf "$archive"; done
  must_pass ./packaging/test TestOtherProcessors
}

# property_list: another reader of that format than ours takes it, and reads the
# same.
property_list() {
  sed -e 's#@ARGUMENTS@#<string>/a</string><string>run</string>#; s#@LOG@#/log#' packaging/launchd/filmspool.plist >"$work/filmspool.plist"
  python3 - "$work/filmspool.plist" <<'END'
import plistlib, sys
with open(sys.argv[1], "rb") as f:
    job = plistlib.load(f)
want = {
    "Label": "filmspool", "ProgramArguments": ["/a", "run"], "RunAtLoad": True, "KeepAlive": {"SuccessfulExit": False},
    "ThrottleInterval": 10, "ExitTimeOut": 20, "LimitLoadToSessionType": ["Aqua", "Background"], "ProcessType": "Background",
    "Umask": 0o077, "StandardOutPath": "/log", "StandardErrorPath": "/log",
}
sys.exit(None if job == want else f"property list: {job}")
END
}

# containerfile RELEASE: a container tool makes the same image of it as the
# release, but for how it packs.
containerfile() {
  local version context=$work/context tool=(buildah --storage-driver vfs --root "$work/buildah" --runroot "$work/buildah-run") which
  local made=$work/made-oci.tar released
  released=$(echo "$1"/*-oci.tar)
  version=$(skopeo inspect --config "oci-archive:$released" | jq -r '.config.Labels["org.opencontainers.image.version"]')
  mkdir -p "$context"
  tar -xzOf "$(echo "$1"/*-linux-"$(go env GOARCH)".tar.gz)" --wildcards --no-wildcards-match-slash '*/filmspool' >"$context/filmspool"
  chmod 755 "$context/filmspool"
  (cd .packages && SOURCE_DATE_EPOCH=0 go run . rootfs -into "$context/rootfs.tar" "$context/filmspool")
  "${tool[@]}" build --isolation chroot --timestamp 0 --identity-label=false --build-arg "VERSION=$version" \
    -f packaging/container/Containerfile -t filmspool "$context" >"$work/buildah.log" 2>&1 || { cat "$work/buildah.log"; return 1; }
  "${tool[@]}" push --quiet filmspool "oci-archive:$made" >>"$work/buildah.log"
  for which in made released; do
    skopeo inspect --config "oci-archive:${!which}" | jq -S '{os, architecture, config}' >"$work/$which.json"
    image_files "${!which}" >"$work/$which.txt"
  done
  diff "$work/made.json" "$work/released.json"
  diff "$work/made.txt" "$work/released.txt"
  [ "$(wc -l <"$work/released.txt")" -eq 8 ]
}

# image_files ARCHIVE: what the image for this machine's processor holds: mode,
# owner, size and name.
image_files() {
  local folder
  folder=$(mktemp -d -p "$work")
  skopeo copy --quiet "oci-archive:$1" "dir:$folder"
  tar --numeric-owner -tvzf "$folder/$(jq -r '.layers[0].digest' "$folder/manifest.json" | cut -d: -f2)" |
    awk '{ sub(/^\.?\//, "", $6); print $1, $2, $3, $6 }' | sort -k4
}
