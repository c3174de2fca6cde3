# The proofs: kills and power cuts; and the queue beside its peers.
# Sourced by .ci/run.

# prove PACKAGE PATTERN NUMBER: runs that many tests, of which none may be
# skipped, and prints what they have counted. What they mount goes with them,
# however they end.
prove() {
  local package=$1 pattern=$2 number=$3 log=$work/prove.log
  TMPDIR=$work unshare --mount --propagation private \
    go test -count=1 -timeout 10m -v -run "$pattern" "$package" 2>&1 | tee "$log"
  if grep -qE '^ *--- SKIP' "$log"; then
    echo "something was skipped"
    return 1
  fi
  [ "$(grep -cE '^--- PASS: ' "$log")" = "$number" ] || { echo "not $number tests passed"; return 1; }
}

# In each way of living with doubt.
step_kills() { FILMSPOOL_KILLS=40 prove ./cmd/filmspool '^TestKills$' 1; }

step_powercut() {
  need xfsprogs e2fsprogs mount
  FILMSPOOL_POWER_CUTS=4 prove ./queue '^TestPowerCut$' 1
}

# The queue comes back from its copy off the machine.
step_litestream() {
  GOBIN=$work CGO_ENABLED=0 go install github.com/benbjohnson/litestream/cmd/litestream@v0.5.18
  FILMSPOOL_LITESTREAM=$work/litestream prove ./queue '^TestACopyByLitestreamComesBack$' 1
}

# Short: the figures are for reading, not for judging.
step_peers() {
  (cd .bench && go vet . && go run . -rounds 2 -for 200ms)
}
