# The checks of the browser extension. Sourced by .ci/run.

# npm_tools installs what these checks are made of, exactly as locked, once.
# Nothing of it is shipped. Debian's own Node.js is too old for it, so that has
# to be there. Both lanes of the whole may want it.
npm_tools() {
  local major
  major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null) || major=0
  [ "$major" -ge 20 ] || { echo "this needs Node.js 20 or newer, with npm"; return 1; }
  echo "node $(node --version), npm $(npm --version 2>/dev/null)"
  (
    cd connector/extension/test
    flock 9
    [ node_modules/.package-lock.json -nt package-lock.json ] && exit
    echo "installing $(grep -c '"integrity":' package-lock.json) packages"
    PUPPETEER_SKIP_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=http 2>&1 |
      awk '/http (fetch|cache)/ { if (++n % 50 == 0) print n " fetched"; fflush(); next } { print; fflush() }'
  ) 9<connector/extension/test/package-lock.json
}

# Types, tests (some against the real program), what the add-on store would
# say, and two archives that come out the same whoever packs them.
step_extension() {
  local one=$work/pack-one two=$work/pack-two archive
  npm_tools
  (cd connector/extension/test && npm run --silent types && npm run --silent test)
  go run ./packaging/release --only extension "$one"
  (umask 077 && TZ=Pacific/Auckland LC_ALL=C go run ./packaging/release --only extension "$two" >/dev/null)
  for archive in "$one"/*.zip; do cmp "$archive" "$two/${archive##*/}"; done
  need unzip
  unzip -q "$one"/filmspool-*-firefox.zip -d "$work/firefox"
  (cd connector/extension/test && npx --no-install web-ext lint --source-dir "$work/firefox" --self-hosted --boring)
}

# The extension in a real Chromium and a real Firefox, with the real program:
# from a clip that plays to one record of the service, and what hostile pages
# can do meanwhile. Several at a time, for they mostly wait; the last is alone, for
# it measures, once.
step_browsers() {
  npm_tools
  need chromium firefox-esr
  the_program
  (
    cd connector/extension/test/browser
    export FILMSPOOL_BROWSERS=required
    node --test --test-concurrency=4 --test-reporter=spec {chromium,firefox}{,.popup}.browser.js {firstrun,acts,heard,pairing,hostile,players,face,looks}.browser.js
    node --test --test-concurrency=2 --test-reporter=spec {chromium,firefox}.sites.browser.js # each plays several films at once
    node --test --test-reporter=spec ../pages.browser.test.js
    node ../pictures.js "$work/pictures"
    node ../page-pictures.js "$work/pictures/pages"
    FILMSPOOL_ROUNDS=1 FILMSPOOL_EPISODES=10 node --test --test-reporter=spec cost.browser.js
  )
}
