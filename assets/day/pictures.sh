#!/bin/sh
# Makes the pictures of the documentation from the screens that gallery.sh, scene.sh and
# collection.sh kept.
#
#   assets/day/pictures.sh SCREENS SCENE COLLECTION DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
screens=$1 scene=$2 collection=$3 pictures=$4
mkdir -p "$pictures"

draw() { LC_ALL=C awk -f "$here/screen.awk" -f "$here/glyphs.awk" "$@"; }

picture() { # screen title [light]
  draw -v title="$2" -v light="${3:+1}" -f "$here/picture.awk" "$screens"/??-"$1".screen \
    > "$pictures/$1.svg"
}

picture list 'Seventeen downloads in the dashboard of Kettle'
picture list-80x24 'The same list in 80 columns and 24 lines'
picture list-light 'The same list on a light background' light
picture pane 'The list, and below it the parts of the download under the cursor'
picture connections 'The parts of a download, and the connections that fetch them'
screens=$collection
picture choice 'The files of a collection as a tree to choose from'
picture collection 'The files of a collection while they come'
picture verified 'The files of a collection, complete and verified'
draw -v title='The dashboard of Kettle: pause, stop, undo, details, a speed limit' \
  -f "$here/moving-picture.awk" "$scene/frames" > "$pictures/kettle.svg"
printf 'pictures: in %s\n' "$pictures"
