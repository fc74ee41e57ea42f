# Makes an SVG picture of one screen.
#
#   LC_ALL=C awk -v title='The list' -f assets/day/screen.awk -f assets/day/glyphs.awk \
#     -f assets/day/picture.awk screen > picture.svg
#
# With `-v light=1` the terminal is a light one.

BEGIN { begin_screen() }

{ read_row($0) }

END {
  open_picture(rows * ch + 2 * pad)
  for (layer = 1; layer <= 3; layer++)
    for (i = 1; i <= count[layer]; i++) print shape[layer, i]
  print "</svg>"
}

function emit(layer, markup) { shape[layer, ++count[layer]] = markup }
