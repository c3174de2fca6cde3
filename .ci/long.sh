# What soaks: the whole has a short form of each. Sourced by .ci/run.

# Kills, power cuts, fuzzing and the models, in turn, for that many seconds at
# least; then the figures of speed and of browsers. An hour, unless a number is given.
step_long() {
  local until=$((SECONDS + soak)) package target round=0
  need strace jq xfsprogs e2fsprogs mount
  while [ $round = 0 ] || [ $SECONDS -lt $until ]; do
    round=$((round + 1))
    echo "round $round"
    FILMSPOOL_KILLS=150 prove ./cmd/filmspool '^TestKills$' 1
    FILMSPOOL_POWER_CUTS=12 prove ./queue '^TestPowerCut$' 1
    # shellcheck disable=SC2046 # names of packages
    go test -count=1 -timeout 60m -rapid.checks=1000 -run "^($(properties))\$" $(packages_with '"pgregory.net/rapid"$')
    while read -r package target; do
      go test -run '^$' -fuzz "^$target\$" -fuzztime 20s -fuzzminimizetime 1s "$package"
    done < <(fuzz_targets)
  done
  bench 300ms
  (cd .bench && go run . -rounds 4 -for 400ms)
  npm_tools
  need chromium firefox-esr
  (cd connector/extension/test/browser && FILMSPOOL_BROWSERS=required node --test --test-reporter=spec cost.browser.js)
}

# fuzz_targets: the package and the name of each.
fuzz_targets() { git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sed -E 's#^(.*)/[^/]+:func (.*)$#./\1 \2#'; }

# properties: the tests that rapid makes up cases for, as a pattern.
properties() {
  git grep -hE '^func Test|rapid\.Check\(' -- '*_test.go' |
    awk '/^func/ { sub(/^func /, ""); sub(/\(.*/, ""); name = $0; next } { print name }' | sort -u | paste -sd '|'
}

# packages_with TEXT: the packages whose tests have it.
packages_with() { git grep -l "$1" -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's#^#./#'; }

# bench TIME: every benchmark, for that long each.
bench() {
  # shellcheck disable=SC2046 # names of packages
  go test -run '^$' -bench . -benchtime "$1" -timeout 20m $(packages_with '^func Benchmark') | grep -E '^(Benchmark|--- FAIL|FAIL|panic|ok)'
}
