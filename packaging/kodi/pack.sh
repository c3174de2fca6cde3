#!/bin/sh
# Packs the add-on for LibreELEC and CoreELEC: pack.sh ARCH VERSION PROGRAM LICENCES FOLDER
# ARCH is the processor that PROGRAM is built for, as Go calls it. The archive has what Kodi
# wants: one folder with the name of the add-on, each folder before its files, and nothing
# that Kodi's reader does not know. The same program makes the same bytes.
set -eu
id=service.filmspool version=$2
# A Kodi of 32 bits calls itself linux-armv7 only if it was built for nothing newer
# (AddonInfoBuilder.cpp), so there the archive is for any Linux. It runs on machines of
# 64 bits, too, whose kernel is one of 64 bits more often than not.
case $1 in
amd64) name=x86_64 platform=linux-x86_64 machines=x86_64 ;;
arm64) name=aarch64 platform=linux-aarch64 machines=aarch64 ;;
arm) name=arm platform=linux machines='armv7* | armv8* | aarch64' ;;
*) echo "no add-on for $1" >&2 && exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$(dirname "$0")/addon" "$work/$id"
mkdir "$work/$id/program"
cp "$3" "$work/$id/program/filmspool"
cp "$4" "$work/$id/LICENSE.txt"
zip=$(cd "$5" && pwd)/$id-$version-$name.zip
cd "$work"
for file in $id/addon.xml $id/bin/filmspool; do
	sed "s/@VERSION@/$version/; s/@PLATFORM@/$platform/; s/@MACHINES@/$machines/; s/@ARCHITECTURE@/$name/" $file >text
	cat text >$file
done
find $id -type f -exec chmod 644 {} + -o -type d -exec chmod 755 {} +
chmod 755 $id/bin/filmspool $id/program/filmspool
find $id -exec env TZ=UTC touch -t 198001010000 {} +
rm -f "$zip"
find $id | LC_ALL=C sort | TZ=UTC zip -qX9@ "$zip"
