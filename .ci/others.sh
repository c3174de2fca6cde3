# The checks of what other processors, containers and macOS get. Sourced by .ci/run.

step_others() {
  local release archive
  need qemu-user buildah skopeo jq python3
  the_program
  release=$(the_release)
  property_list
  FILMSPOOL_IMAGE=$(echo "$release"/*-oci.tar) FILMSPOOL_PROGRAMS=$work/programs
  export FILMSPOOL_IMAGE FILMSPOOL_PROGRAMS
  [ "$(image_files "$FILMSPOOL_IMAGE" | wc -l)" -eq 8 ]
  must_pass ./packaging/test TestContainerImage TestContainerKnowsTimeZones
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

# image_files ARCHIVE: what the image for this machine's processor holds: mode,
# owner, size and name.
image_files() {
  local folder
  folder=$(mktemp -d -p "$work")
  skopeo copy --quiet "oci-archive:$1" "dir:$folder"
  tar --numeric-owner -tvzf "$folder/$(jq -r '.layers[0].digest' "$folder/manifest.json" | cut -d: -f2)" |
    awk '{ sub(/^\.?\//, "", $6); print $1, $2, $3, $6 }' | sort -k4
}
