# The checks that need nothing but Go and the clone. Sourced by .ci/run.

step_format() {
  local wrong
  wrong=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
  [ -z "$wrong" ] || { printf 'gofmt would change:\n%s\n' "$wrong"; return 1; }
}

step_modules() {
  go mod tidy -diff
  go mod verify
  (cd .tools && go mod verify)
  (cd .bench && go mod tidy -diff && go mod verify)
}

step_vet() { go vet ./...; }

step_lint() {
  local lint
  go tool -modfile=.tools/go.mod golangci-lint version
  lint=$(linter)
  "$lint" run ./...
  # The files that only other systems see.
  CGO_ENABLED=0 GOOS=windows "$lint" run ./daemon/service/...
  CGO_ENABLED=0 GOOS=darwin "$lint" run ./daemon/service/...
}

# The program for this machine, where FILMSPOOL_BINARY says: as a release has it, but for symbols and version.
the_program() {
  [ -x "$FILMSPOOL_BINARY" ] || CGO_ENABLED=0 go build -trimpath -tags nethttpomithttp2 -o "$FILMSPOOL_BINARY" ./cmd/filmspool
}

# For this machine. The step release builds for every platform.
step_build() {
  the_program
  # The files that only other systems see.
  CGO_ENABLED=0 GOOS=windows go vet ./...
  CGO_ENABLED=0 GOOS=darwin go vet ./...
}

# The command that the README names. A test that is skipped has to be on the list
# of those that this step cannot have, or it would never be missed. What tests mount
# goes with them. The limit of a package is for a hang: a slow machine needs more than the usual ten minutes.
step_test() {
  local log=$work/test.json failed=0
  need strace mount iproute2 python3-minimal curl dbus-daemon
  unshare --mount --propagation private go test -timeout 40m -json ./... >"$log" || failed=1
  jq -j 'select(.Action == "output" and (.Test | not)) | .Output' "$log"
  if [ "$failed" = 1 ]; then
    jq -rs '([.[] | select(.Action == "fail" and .Test) | .Package + " " + .Test] | unique) as $failed
      | .[] | select(.Action == "output" and .Test and (.Package + " " + .Test | IN($failed[]))) | .Output' "$log"
    jq -r 'select(.Action == "build-output") | .Output' "$log"
    return 1
  fi
  skips "$log"
}

# skips LOG: fails for a test that was skipped and is not in .ci/skips.
skips() {
  local package test lost=0
  while read -r package test; do
    while read -r known pattern _; do
      [ "$package" != "$known" ] || [[ ! $test =~ ^$pattern$ ]] || continue 2
    done < <(grep -v '^#' .ci/skips)
    echo "skipped without leave: $package $test"
    lost=1
  done < <(jq -r 'select(.Action == "skip" and .Test)
    | (.Package | sub("^github.com/filmspool/filmspool/"; "")) + " " + .Test' "$1" | sort -u)
  [ "$lost" = 0 ] || { echo "let it run, or put it into .ci/skips with the step that runs it"; return 1; }
}

# as_nobody PACKAGE PATTERN NUMBER: runs that many tests as a user whom
# permissions bind; as root they would be skipped. None may be.
as_nobody() {
  local package=$1 pattern=$2 number=$3 folder log=$work/as_nobody.log failed=0
  folder=$(mktemp -d)
  mkdir -m 1777 "$folder/tmp"
  go test -c -o "$folder/tests" "$package"
  cp -r "$package/testdata" "$folder/" 2>/dev/null || true
  chmod -R go=rX,u+w "$folder"
  chmod 1777 "$folder/tmp"
  (cd "$folder" && TMPDIR=$folder/tmp setpriv --reuid=65534 --regid=65534 --clear-groups \
    ./tests -test.v -test.run "$pattern") 2>&1 | tee "$log" || failed=1
  rm -rf "$folder"
  if [ "$failed" = 1 ] || grep -qE '^ *--- SKIP' "$log" || [ "$(grep -cE '^--- PASS: ' "$log")" != "$number" ]; then
    echo "not $number tests of $package passed as nobody"
    return 1
  fi
}

step_nobody() {
  as_nobody ./kodi/nfo '^TestForbidden$' 1
  as_nobody ./kodi/playlist '^TestUnreadablePlaylist$' 1
  as_nobody ./kodi/library '^TestRead(WithoutPermission|WALInReadOnlyFolder)$' 2
}

# Where several goroutines share state. The library readers and the rules do not.
# SQLite's own code starts no goroutine. Watched by the detector, it takes ten times as long.
step_race() {
  go test -race -short -timeout 20m -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false \
    ./connector/... ./daemon/... ./kodi ./kodi/watch ./queue/...
}

step_demo() {
  go run ./cmd/filmspool demo --once --json | tee "$work/demo.json"
  jq -e '.history.browser > 0 and .history.kodi > 0 and .history.cli > 0 and .watchlist > 0 and .lists > 0
    and .offlineHeld > 0 and .lost == 0 and .doubled == 0' "$work/demo.json" >/dev/null
}

# How often the real program wakes in a minute without work. Its test takes that
# minute, so it waits to be asked.
step_idle() { FILMSPOOL_SLOW_TESTS=1 go test -count=1 -run '^TestIdleHardlyWakes$' -v ./cmd/filmspool; }

# A tool that changes a package and asks its tests; see .tools/mutants.
step_mutants() {
  go build -o "$work/mutants" .tools/mutants/main.go
  "$work/mutants" "${mutants_of[@]}"
}

# Short: that each can be run, and a first figure. "long" takes its time.
step_bench() { bench 20ms; }

# As "test", on any system and as anybody: what is missing is skipped with a line.
step_tests() { go test -timeout 40m ./...; }
