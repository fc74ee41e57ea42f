# Makes an SVG picture that moves, of the screens that scene.sh kept.
#
#   LC_ALL=C awk -v title='A scene' -f assets/day/screen.awk -f assets/day/glyphs.awk \
#     -f assets/day/moving-picture.awk frames > picture.svg
#
# Each line of its input is a frame: how many milliseconds it lasts, the cell of the cursor as
# COLUMN,ROW (or -), the file of the screen, beside the input, and the caption: a key, and what it
# does.
#
# A shape that several frames have is in the picture once. Shapes with the same times are a group,
# which CSS shows and hides. Without animation, or when the reader prefers reduced motion, there is
# the first frame alone: the other groups have an attribute that hides them, which the animation
# overrides. `-v still=12` makes that the twelfth frame, which is how to look at it.

{
  start[++frames] = total
  total += $1
  draw_screen($3)
  if ($2 != "-") draw_cursor($2)
  if (NF > 3) draw_caption($4, $0)
}

END {
  if (failed || frames == 0) exit 1
  for (layer = 1; layer <= 3; layer++)
    for (i = 1; i <= count[layer]; i++) collect(layer, shape[layer, i])
  open_picture(caption_top + ch + 2 * pad)
  print_animation()
  for (layer = 1; layer <= 3; layer++) print_layer(layer)
  print "</svg>"
}

# ---- Frames

function draw_screen(name,    file, line, status) {
  file = FILENAME
  sub(/[^\/]*$/, "", file)
  file = file name
  begin_screen()
  while ((status = (getline line < file)) > 0) read_row(line)
  close(file)
  if (status < 0) {
    printf "moving-picture: there is no %s\n", file > "/dev/stderr"
    failed = 1
    exit 1
  }
  caption_top = (row + 1) * ch + 8
}

function draw_cursor(place,    part) {
  split(place, part, ",")
  emit(2, box(part[1], 1, part[2] * ch, ch, ink, " opacity=\"0.7\""))
}

# Below the screen: the key as on a keyboard, and what it does.
function draw_caption(key, line,    words, width, y) {
  words = line
  sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ ?/, "", words)
  width = (length(key) + 2) * cw
  y = pad + caption_top
  emit(1, sprintf("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%d\"%s%s", \
    number(pad + cw), number(y), number(width), ch + 2, " rx=\"4\" fill=\"#2c313a\"", \
    " stroke=\"#6b717d\" shape-rendering=\"auto\"/>"))
  emit(3, sprintf("<text x=\"%s\" y=\"%s\" font-weight=\"bold\">%s</text>", \
    number(pad + 2 * cw), number(y + 14.5), escaped(key)))
  emit(3, sprintf("<text x=\"%s\" y=\"%s\">%s</text>", \
    number(pad + 2 * cw + width), number(y + 14.5), escaped(words)))
}

# Notes that the current frame has this shape. The spans of a shape are the frames in which it is
# visible, as FIRST-LAST, without the latest span, which may still grow.
function emit(layer, markup) {
  if (!((layer, markup) in last)) shape[layer, ++count[layer]] = markup
  else if (last[layer, markup] == frames) return
  else if (last[layer, markup] < frames - 1) end_span(layer, markup)
  if (!((layer, markup) in first)) first[layer, markup] = frames
  last[layer, markup] = frames
}

function end_span(layer, markup) {
  spans[layer, markup] = spans[layer, markup] first[layer, markup] "-" last[layer, markup] " "
  delete first[layer, markup]
}

# ---- Groups

# Puts a shape into the group of its spans.
function collect(layer, markup,    times) {
  end_span(layer, markup)
  times = spans[layer, markup]
  if (times == "1-" frames " ") class[times] = ""
  else if (!(times in class)) {
    class[times] = letters(++classes)
    times_of[classes] = times
  }
  if (!((layer, times) in group)) group_times[layer, ++groups[layer]] = times
  group[layer, times] = group[layer, times] markup "\n"
}

# A short name for a number: a to z, then aa and so on.
function letters(n,    name) {
  for (; n > 0; n = int((n - 1) / 26)) name = sprintf("%c", 97 + (n - 1) % 26) name
  return name
}

function print_layer(layer,    i, times, hidden) {
  for (i = 1; i <= groups[layer]; i++) {
    times = group_times[layer, i]
    hidden = is_visible(times, still == "" ? 1 : still) ? "" : " visibility=\"hidden\""
    if (class[times] == "") printf "%s", group[layer, times]
    else printf "<g class=\"%s\"%s>\n%s</g>\n", class[times], hidden, group[layer, times]
  }
}

function is_visible(times, frame,    span, part, count, i) {
  count = split(times, span, " ")
  for (i = 1; i <= count; i++) {
    split(span[i], part, "-")
    if (part[1] + 0 <= frame && frame <= part[2] + 0) return 1
  }
  return 0
}

# ---- Animation

function print_animation(    i) {
  print "<style>"
  print "@media (prefers-reduced-motion: no-preference) {"
  printf "g{animation:%ss step-end infinite}\n", number(total / 1000)
  for (i = 1; i <= classes; i++) printf ".%s{animation-name:%s}\n", letters(i), letters(i)
  print "}"
  for (i = 1; i <= classes; i++) printf "@keyframes %s{%s}\n", letters(i), keyframes(times_of[i])
  print "</style>"
}

# A step holds until the next one.
function keyframes(times,    span, part, count, i, steps) {
  count = split(times, span, " ")
  for (i = 1; i <= count; i++) {
    split(span[i], part, "-")
    if (i == 1 && part[1] > 1) steps = "0%{visibility:hidden}"
    steps = steps step(part[1], "visible")
    if (part[2] < frames) steps = steps step(part[2] + 1, "hidden")
  }
  return steps
}

function step(frame, visibility) {
  return number(start[frame] * 100 / total) "%{visibility:" visibility "}"
}
