#!/bin/sh
# Makes the pictures of the README from the screens that gallery.sh kept.
#
#   assets/day/pictures.sh SCREENS DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"

picture() { # screens directory name title
  LC_ALL=C awk -v title="$4" -f "$here/screen.awk" -f "$here/picture.awk" \
    "$1"/??-"$3".screen > "$2/$3.svg"
}

picture "$1" "$2" list 'Seventeen downloads in the dashboard of Kettle'
picture "$1" "$2" connections 'The parts of a download, and the connections that fetch them'
printf 'pictures: in %s\n' "$2"
