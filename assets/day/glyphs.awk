# Draws the characters that must fill their cell, or that fonts show differently, as shapes: lines
# of boxes, Braille dots, blocks and the symbols of the dashboard. Read between screen.awk, whose
# variables it uses, and the program that defines emit.

BEGIN {
  # For each character from U+2500 on: its lines up, right, down and left of the center, where 1 is
  # light and 2 heavy. The dashed ones are 0; they have a table of their own.
  lines = "0101 0202 1010 2020 0000 0000 0000 0000 0000 0000 0000 0000 0110 0210 0120 0220 " \
    "0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120 " \
    "2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212 " \
    "0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212 " \
    "2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222"
  count_of_lines = split(lines, box_lines, " ")
  for (i = 1; i <= count_of_lines; i++) arms[9471 + i] = box_lines[i]
  split("0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010", box_lines, " ")
  for (i = 1; i <= 12; i++) arms[9587 + i] = box_lines[i]
  # The number of dashes, their weight, and whether they are upright.
  split("3 1 0/3 2 0/3 1 1/3 2 1/4 1 0/4 2 0/4 1 1/4 2 1", box_lines, "/")
  for (i = 1; i <= 8; i++) { dashes[9475 + i] = box_lines[i]; delete arms[9475 + i] }
  split("2 1 0/2 2 0/2 1 1/2 2 1", box_lines, "/")
  for (i = 1; i <= 4; i++) dashes[9547 + i] = box_lines[i]
  # The quarters of a cell that a block fills: top left, top right, bottom left, bottom right.
  split("0010 0001 1000 1011 1001 1110 1101 0100 0110 0111", box_lines, " ")
  for (i = 1; i <= 10; i++) quarters[9621 + i] = box_lines[i]

  # Symbols, in the coordinates of a cell of 8.4 by 18: filled, or as lines.
  fill_of[9654] = "M.6 4.6L7.8 9L.6 13.4z"                                   # ▶
  fill_of[9656] = "M2 5.6L7 9L2 12.4z"                                       # ▸
  fill_of[9662] = "M1 6.5H7.4L4.2 11.5z"                                     # ▾
  fill_of[9650] = "M.6 13L4.2 5L7.8 13z"                                     # ▲
  fill_of[9660] = "M.6 5L4.2 13L7.8 5z"                                      # ▼
  fill_of[9670] = "M4.2 4.6L7.8 9L4.2 13.4L.6 9z"                            # ◆
  fill_of[9679] = "M1.1 9a3.1 3.1 0 1 1 6.2 0a3.1 3.1 0 1 1-6.2 0z"          # ●
  fill_of[183] = "M3.2 9a1 1 0 1 1 2 0a1 1 0 1 1-2 0z"                       # ·
  fill_of[9873] = "M1.4 3.6H2.5V4.2L7.6 6.6L2.5 9V14H1.4z"                   # ⚑
  line_of[9675] = "M.9 9a3.3 3.3 0 1 1 6.6 0a3.3 3.3 0 1 1-6.6 0z"           # ○
  line_of[9684] = line_of[9675] "M4.2 9V6.6M4.2 9H6.6M4.9 8.3L5.9 7.3"       # ◔
  line_of[9719] = line_of[9675] "M4.2 6V9H7.2"                               # ◷
  line_of[10004] = "M1 9.4L3.3 12.4L7.4 4.8"                                 # ✔
  line_of[10008] = "M1.4 5.4L7 12.6M7 5.4L1.4 12.6"                          # ✘
  line_of[8214] = "M2.7 4V14M5.7 4V14"                                       # ‖
  line_of[9832] = "M1.2 12.2C1.2 15 7.2 15 7.2 12.2zM2.2 10C.8 8.2 3.4 6.8 2.2 4.6" \
    "M4.2 10C2.8 8.2 5.4 6.8 4.2 4.6M6.2 10C4.8 8.2 7.4 6.8 6.2 4.6"         # ♨
  line_of[9888] = "M4.2 4.4L7.8 13.2H.6zM4.2 7.4V10.4M4.2 11.4V12.2"         # ⚠
}

# Draws the character and returns 1, or returns 0 if it is text.
function draw_glyph(c) {
  if (c in arms) draw_arms(c, arms[c])
  else if (c in dashes) draw_dashes(dashes[c])
  else if (c >= 9581 && c <= 9584) draw_arc(c)
  else if (c >= 10240 && c <= 10495) draw_dots(c - 10240)
  else if (c in quarters) draw_quarters(quarters[c])
  else if (c == 9600) bar(0, 1, 0, 0.5)
  else if (c >= 9601 && c <= 9607) bar(0, 1, 1 - (c - 9600) / 8, 1)
  else if (c >= 9608 && c <= 9615) bar(0, (9616 - c) / 8, 0, 1)
  else if (c == 9616) bar(0.5, 1, 0, 1)
  else if (c >= 9617 && c <= 9619) bar(0, 1, 0, 1)
  else if (c == 9620) bar(0, 1, 0, 0.125)
  else if (c == 9621) bar(0.875, 1, 0, 1)
  else if (c in fill_of) draw_symbol(fill_of[c], "fill")
  else if (c in line_of) draw_symbol(line_of[c], "stroke")
  else return 0
  return 1
}

# ---- Lines

function draw_arms(c, arm,    up, right, down, left, middle) {
  up = substr(arm, 1, 1) + 0; right = substr(arm, 2, 1) + 0
  down = substr(arm, 3, 1) + 0; left = substr(arm, 4, 1) + 0
  # Lines that cross or bend meet in a full corner.
  middle = thickness(up > down ? up : down) / 2
  if (left == right && left > 0) level_line(column * cw, (column + 1) * cw, left)
  else {
    if (left > 0) level_line(column * cw, column * cw + cw / 2 + middle, left)
    if (right > 0) level_line(column * cw + cw / 2 - middle, (column + 1) * cw, right)
  }
  middle = thickness(left > right ? left : right) / 2
  if (up == down && up > 0) upright_line(0, ch, up)
  else {
    if (up > 0) upright_line(0, ch / 2 - 0.5 + middle, up)
    if (down > 0) upright_line(ch / 2 - 0.5 - middle, ch, down)
  }
}

function thickness(weight) { return weight == 0 ? 0 : weight == 1 ? 1 : 3 }

# Lines of one look that touch are one box.
function level_line(from, to, weight) {
  if (line_color != front() || line_weight != weight || line_faint != faint || \
      line_to < from - 0.01 || line_size == 0) {
    end_line()
    line_from = from; line_color = front(); line_weight = weight; line_faint = faint
  }
  line_to = to
  line_size = line_to - line_from
}

function end_line(    thick) {
  if (line_size > 0) {
    use_row()
    thick = thickness(line_weight)
    emit(2, rect(line_from, row * ch + ch / 2 - 0.5 - thick / 2, line_size, thick, line_color, \
      line_faint ? " opacity=\"0.65\"" : ""))
  }
  line_size = 0
}

function upright_line(top, bottom, weight,    thick) {
  use_row()
  thick = thickness(weight)
  emit(2, rect(column * cw + cw / 2 - thick / 2, row * ch + top, thick, bottom - top, front(), \
    faint_word()))
}

function draw_dashes(words,    part, count, thick, i) {
  split(words, part, " ")
  count = part[1]; thick = thickness(part[2])
  use_row()
  for (i = 0; i < count; i++)
    if (part[3])
      emit(2, rect(column * cw + cw / 2 - thick / 2, row * ch + (i + 0.2) * ch / count, thick, \
        0.6 * ch / count, front(), faint_word()))
    else
      emit(2, rect(column * cw + (i + 0.2) * cw / count, row * ch + ch / 2 - 0.5 - thick / 2, \
        0.6 * cw / count, thick, front(), faint_word()))
}

# A quarter of a circle between two sides of the cell.
function draw_arc(c,    x, y, side, edge) {
  use_row()
  x = pad + column * cw + cw / 2; y = pad + row * ch + ch / 2 - 0.5
  # To the right in the first and the last, down in the first and the second.
  side = c == 9581 || c == 9584 ? 1 : -1
  edge = c == 9581 || c == 9582 ? 1 : -1
  emit(2, sprintf("<path d=\"M%s %sV%sQ%s %s %s %s\" fill=\"none\" stroke=\"%s\"%s%s/>", \
    number(x), number(edge > 0 ? pad + (row + 1) * ch : pad + row * ch), \
    number(y + edge * cw / 2), number(x), number(y), number(x + side * cw / 2), number(y), \
    front(), " shape-rendering=\"auto\"", faint_word()))
}

function draw_quarters(set) {
  quarter(set, 1, 0, 0); quarter(set, 2, 0.5, 0)
  quarter(set, 3, 0, 0.5); quarter(set, 4, 0.5, 0.5)
}

function quarter(set, part, left, top) {
  if (substr(set, part, 1) == 0) return
  use_row()
  emit(2, box(column + left, 0.5, row * ch + top * ch, ch / 2, front(), faint_word()))
}

# ---- Dots

# A level run of dots is one dashed line with round ends, so a filled graph needs few shapes.
function draw_dots(bits,    line, left, right) {
  use_row()
  if (dots_color != front() || dots_faint != faint) {
    end_dots()
    dots_color = front(); dots_faint = faint
  }
  for (line = 0; line < 4; line++) {
    left = line < 3 ? int(bits / 2 ^ line) % 2 : int(bits / 64) % 2
    right = line < 3 ? int(bits / 2 ^ (line + 3)) % 2 : int(bits / 128) % 2
    if (left) dot(line, 2 * column)
    if (right) dot(line, 2 * column + 1)
  }
}

# - Parameter place: in half columns.
function dot(line, place) {
  if (dots_size[line] > 0 && dots_from[line] + dots_size[line] != place) end_dot_line(line)
  if (dots_size[line] == 0) dots_from[line] = place
  dots_size[line]++
}

function end_dot_line(line) {
  if (dots_size[line] > 0)
    dots_path = dots_path sprintf("M%s %sh%s", number(pad + (dots_from[line] + 0.5) * cw / 2), \
      number(pad + row * ch + (line + 0.5) * ch / 4), \
      number((dots_size[line] - 1) * cw / 2 + 0.05))
  dots_size[line] = 0
}

function end_dots(    line) {
  for (line = 0; line < 4; line++) end_dot_line(line)
  if (dots_path != "")
    emit(2, sprintf("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\"%s%s%s/>", \
      dots_path, dots_color, " stroke-linecap=\"round\" stroke-dasharray=\"0 " cw / 2 "\"", \
      " shape-rendering=\"auto\"", dots_faint ? " opacity=\"0.65\"" : ""))
  dots_path = ""; dots_color = ""
}

# ---- Symbols

function draw_symbol(path, kind,    pen) {
  use_row()
  pen = kind == "fill" ? "fill=\"" front() "\"" : \
    "fill=\"none\" stroke=\"" front() "\" stroke-width=\"" (bold ? 1.8 : 1.4) "\""
  emit(3, sprintf("<path transform=\"translate(%s %s)\" d=\"%s\" %s%s%s/>", \
    number(pad + column * cw), number(pad + row * ch), path, pen, \
    " shape-rendering=\"auto\"", faint_word()))
}

function faint_word() { return faint ? " opacity=\"0.65\"" : "" }

# What is drawn across cells ends with its row.
function end_shapes() { end_line(); end_dots() }
