#!/bin/sh
# Keeps the frames of a short scene at the real dashboard, for the moving picture: downloads are
# running; one is paused, then stopped, and that is undone; the details are opened below the list;
# a command limits the speed.
#
#   assets/day/scene.sh PROGRAM DIRECTORY
#
# Each frame is a screen, and a line in the file "frames"; see moving-picture.awk. A frame is taken
# when the screen shows what the step is about, so the scene is as long on a slow machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
. "$here/downloads.sh"
frame_count=0
caption=
: > "$out/frames"

# Keeps a frame that is shown for so long.
frame() { # milliseconds
  frame_count=$((frame_count + 1))
  name=$(printf '%03d.screen' "$frame_count")
  tm capture-pane -e -p -N > "$out/$name"
  cursor=$(tm display-message -p '#{cursor_flag} #{cursor_x},#{cursor_y}')
  case $cursor in
    1\ *) cursor=${cursor#* } ;;
    *) cursor=- ;;
  esac
  printf '%d %s %s %s\n' "$1" "$cursor" "$name" "$caption" >> "$out/frames"
}

# Keeps four frames a second, while the downloads go on.
film() { # milliseconds
  left=$1
  while [ "$left" -gt 0 ]; do
    frame 250
    sleep 0.25
    left=$((left - 250))
  done
}

# Presses a key, which the caption shows with what it does, and waits for the texts.
press() { # key caption text...
  caption="$1 $2"
  keys "$1"
  shift 2
  see "$@"
}

# Types a text, and keeps a frame of each character.
film_typing() { # title text
  typed=
  rest=$2
  while [ -n "$rest" ]; do
    character=${rest%"${rest#?}"}
    rest=${rest#?}
    typed=$typed$character
    type_text "$character"
    # A space at the end of a line is not seen.
    see "$1: ${typed% }"
    frame 160
  done
}

fill_list

begin 'downloads are running'
put_cursor_on debian-13.2.0
caption='kettle the dashboard of your downloads'
film 2000

begin 'pause one'
caption='j down'
put_cursor_on sintel-2048
film 500
press p 'pause it; the next in the queue starts' '2 paused' '4 running'
film 2000

begin 'stop it, and undo that'
put_cursor_on sintel-2048
press x 'stop it; its bytes are in the bin for ten minutes' 'Stopped'
film 1750
press z 'undo' 'Brought back' '2 paused'
film 1500

begin 'the details below the list'
caption='k up'
put_cursor_on debian-13.2.0
film 500
press Tab 'the details below the list' '1/6 Overview' 'Speed'
film 1500
press ] 'its parts, and the connections that fetch them' '2/6 Parts' 'Connections'
film 2750
press Tab 'close them'
see_no_more '2/6 Parts'
film 500

begin 'a command'
press : 'a command' 'Command:'
frame 500
film_typing Command 'limit 8M'
frame 500
press Enter 'the download has a speed limit now' 'at most'
film 2500
printf 'scene: %d frames in %s\n' "$frame_count" "$out"
