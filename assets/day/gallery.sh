#!/bin/sh
# Keeps the screens that the still pictures show: a full list at 100x28, with the details below it,
# on a light background and at 80x24, and the connections of a running download.
#
#   assets/day/gallery.sh PROGRAM DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
. "$here/downloads.sh"

fill_list
keep list

begin 'the details below the list'
put_cursor_on debian-13.2.0
keys Tab
see '1/6 Overview'
keys ']'
see '2/6 Parts' 'Connections'
keep pane
keys Tab
see_no_more '2/6 Parts'

begin 'a small terminal'
resize 80 24
see 'debian-13'
keep list-80x24
resize 100 28

begin 'the connections of one download'
put_cursor_on debian-13.2.0
keys Enter
see 'State'
keys 2
see 'Connections'
see_percent debian 45
keep connections
keys q
see 'leave'

begin 'on a light background'
open_instead "COLORFGBG='0;15' $program; exec sh"
see 'debian-13.2.0' '404'
keep list-light
printf 'gallery: %d screens in %s\n' "$step_count" "$out"
