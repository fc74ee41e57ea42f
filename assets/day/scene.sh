#!/bin/sh
# Keeps the frames of a scene of twenty seconds at the real dashboard, for the moving picture:
# downloads are running; two links are pasted; one server wants a login and gets it; a download is
# stopped by mistake, and continues where it was; its parts are looked at; a command limits the
# speed; the themes are tried.
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

# Keeps two frames a second, while the downloads go on.
film() { # milliseconds
  left=$1
  while [ "$left" -gt 0 ]; do
    frame 500
    sleep 0.5
    left=$((left - 500))
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
    see "${typed% }"
    frame 160
  done
}

fill_list

begin 'downloads are running'
put_cursor_on debian-13.2.0
caption='kettle the dashboard of your downloads'
film 2000

begin 'paste two links'
paste_text "$(url night-sky-timelapse.mov)
$(url field-recordings-2026.flac)"
see 'Enter add' 'field-recordings'
caption='paste two links, or two thousand'
frame 1500
press Enter 'they are in the list' 'night-sky'
film 500

begin 'what needs you'
put_cursor_on city-elevation-lidar
caption='! one server wants a login'
frame 1000
press u 'log in' 'Password'
frame 500
type_text survey
frame 300
keys Tab
type_text theodolite
frame 500
press Enter 'it goes on by itself' 'lidar'
film 500

begin 'stop one, and undo that'
put_cursor_on satellite-mosaic
press x 'stop it; its bytes are kept for ten minutes' 'topped;'
film 1500
press z 'undo: it goes on where it was' 'rought back'
film 1500

begin 'its parts and connections'
press Tab 'the details' '1/6 Overview'
frame 750
press ] 'its parts, and the connections that fetch them' '2/6 Parts' 'Connections'
film 2000
press Tab 'close them'
see_no_more '2/6 Parts'

begin 'a command'
press : 'everything by name'
frame 500
film_typing Command 'limit 8M --all'
press Enter 'everything together has a speed limit now' 'at most'
film 1500

begin 'the themes'
press v 'try the themes while the cursor moves' 'as configured'
until screen | grep -q '> *nord'; do
  keys Down
  sleep 0.1
  ! screen | grep -Eq '> *(gruvbox|nord)' || frame 600
done
press Escape 'as it was'
film 500
printf 'scene: %d frames in %s\n' "$frame_count" "$out"
