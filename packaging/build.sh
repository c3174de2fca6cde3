#!/bin/sh
# Writes into packaging/build what a release has beside its programs: build.sh VERSION
# These are the extension, man pages, completions, the licences of all that is linked, the
# install script of the AUR, and for the container image an empty folder and the
# certificate authorities that it trusts.
set -eu
cd "$(dirname "$0")/.."
out=packaging/build
rm -rf $out
mkdir -p $out/state
cp /etc/ssl/certs/ca-certificates.crt $out
CGO_ENABLED=0 SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export CGO_ENABLED SOURCE_DATE_EPOCH
find packaging/nfpm -exec touch -d "@$SOURCE_DATE_EPOCH" {} + # an apk has the times of its scripts

go run ./packaging/extension "$out/filmspool-$1"
go build -tags nethttpomithttp2,manual -ldflags "-X main.version=$1" -o $out/writer ./cmd/filmspool
$out/writer manual $out/man1
mkdir $out/completions
for shell in bash=filmspool.bash zsh=_filmspool fish=filmspool.fish powershell=filmspool.ps1; do
	$out/writer completion ${shell%=*} >$out/completions/${shell#*=}
done
rm $out/writer
gzip -9n $out/man1/*

for name in post_install post_upgrade pre_remove post_remove; do
	printf '%s() {\n%s\n}\n' $name "$(cat packaging/nfpm/arch/$name)"
done >$out/filmspool.install

for os in linux windows darwin; do
	GOOS=$os go list -deps -tags nethttpomithttp2 -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/filmspool
done | LC_ALL=C sort -u >$out/modules
{
	cat LICENSE
	echo "std $(go env GOVERSION) $(go env GOROOT)" | cat - $out/modules | while read -r module version dir; do
		files=$(find "$dir" -maxdepth 1 -type f -iregex '.*/\(licen[cs]e\|copying\|notice\)[^/]*' ! -name '*.go')
		[ -n "$files" ] || { echo "$module has no licence" >&2 && exit 1; }
		printf '\n======== %s %s\n\n' "$module" "$version"
		echo "$files" | LC_ALL=C sort | xargs cat
	done
} >$out/third-party.txt
