# Makes an SVG picture of a screen that `tmux capture-pane -e -p` wrote.
#
#   LC_ALL=C awk -v title='The list' -f assets/day/screen-svg.awk screen > picture.svg
#
# It reads bytes and decodes UTF-8 itself, because not every awk does. Bars are drawn as boxes, so
# that they look the same whatever font the reader has; text is stretched to its columns.

BEGIN {
  cw = 8.4; ch = 18; font = 14; pad = 14
  ground = "#16181d"; ink = "#d5d8de"
  split("#3b4048 #e06c75 #8fc379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 " \
        "#6b717d #ff7b86 #a8dd8f #ffd88a #7cc4ff #dd92f2 #6fd3df #ffffff", ansi, " ")
  for (i = 1; i < 256; i++) ord[sprintf("%c", i)] = i
  plain()
}

{ row = NR - 1; column = 0; read_line($0); if (column > columns) columns = column }

END {
  rows = NR
  # Empty lines at the end of a screen say nothing.
  while (rows > 1 && !(rows - 1 in used)) rows--
  width = columns * cw + 2 * pad; height = rows * ch + 2 * pad
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.1f %.1f\" width=\"%.0f\" role=\"img\" shape-rendering=\"crispEdges\"", width, height, width
  printf " font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"%d\">\n", font
  if (title != "") printf "<title>%s</title>\n", escaped(title)
  printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", ground
  for (i = 1; i <= boxes; i++) print box[i]
  for (i = 1; i <= texts; i++) print text[i]
  print "</svg>"
}

function plain() { fg = ""; bg = ""; bold = 0; faint = 0; underlined = 0; reversed = 0 }

# ---- Reading

function read_line(line,    at, size, code, final, stop) {
  at = 1; size = length(line); begin_run()
  while (at <= size) {
    if (substr(line, at, 2) == "\033[") {
      stop = match(substr(line, at + 2), /[@-~]/)
      if (stop == 0) break
      final = substr(line, at + 1 + stop, 1)
      end_run()
      if (final == "m") style(substr(line, at + 2, stop - 1))
      begin_run()
      at += 2 + stop
    } else if (substr(line, at, 1) == "\033") {
      at += 2
    } else {
      read_character(line, at)
      at += taken
      put(code_point, bytes)
    }
  }
  end_run()
}

# Sets code_point, bytes and taken.
function read_character(line, at,    first, i) {
  first = ord[substr(line, at, 1)]
  taken = first >= 240 ? 4 : first >= 224 ? 3 : first >= 192 ? 2 : 1
  bytes = substr(line, at, taken)
  code_point = taken == 1 ? first : taken == 2 ? first - 192 : taken == 3 ? first - 224 : first - 240
  for (i = 2; i <= taken; i++) code_point = code_point * 64 + ord[substr(bytes, i, 1)] - 128
}

function style(words,    part, count, i, n) {
  count = split(words == "" ? "0" : words, part, ";")
  for (i = 1; i <= count; i++) {
    n = part[i] + 0
    if (n == 0) plain()
    else if (n == 1) bold = 1
    else if (n == 2) faint = 1
    else if (n == 4) underlined = 1
    else if (n == 7) reversed = 1
    else if (n == 22) { bold = 0; faint = 0 }
    else if (n == 24) underlined = 0
    else if (n == 27) reversed = 0
    else if (n >= 30 && n <= 37) fg = ansi[n - 29]
    else if (n >= 90 && n <= 97) fg = ansi[n - 81]
    else if (n == 39) fg = ""
    else if (n >= 40 && n <= 47) bg = ansi[n - 39]
    else if (n >= 100 && n <= 107) bg = ansi[n - 91]
    else if (n == 49) bg = ""
    else if ((n == 38 || n == 48) && part[i + 1] == 5) {
      if (n == 38) fg = indexed(part[i + 2] + 0); else bg = indexed(part[i + 2] + 0)
      i += 2
    } else if ((n == 38 || n == 48) && part[i + 1] == 2) {
      if (n == 38) fg = rgb(part[i + 2], part[i + 3], part[i + 4])
      else bg = rgb(part[i + 2], part[i + 3], part[i + 4])
      i += 4
    }
  }
}

function rgb(r, g, b) { return sprintf("#%02x%02x%02x", r, g, b) }
function level(n) { return n == 0 ? 0 : 55 + 40 * n }

# The 256 colours of xterm.
function indexed(n) {
  if (n < 16) return ansi[n + 1]
  if (n >= 232) return rgb(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232))
  n -= 16
  return rgb(level(int(n / 36)), level(int(n / 6) % 6), level(n % 6))
}

# ---- Cells

function columns_of(c) {
  if ((c >= 768 && c <= 879) || (c >= 8203 && c <= 8207) || (c >= 65024 && c <= 65039)) return 0
  if ((c >= 4352 && c <= 4447) || (c >= 11904 && c <= 42191 && c != 12351) || \
      (c >= 44032 && c <= 55203) || (c >= 63744 && c <= 64255) || (c >= 65072 && c <= 65135) || \
      (c >= 65280 && c <= 65376) || (c >= 65504 && c <= 65510) || (c >= 127744 && c <= 129791) || \
      (c >= 131072 && c <= 262141)) return 2
  return 1
}

function front() { return reversed ? (bg == "" ? ground : bg) : (fg == "" ? ink : fg) }
function back() { return reversed ? (fg == "" ? ink : fg) : bg }

function put(c, bytes,    size) {
  size = columns_of(c)
  if (back() != "" && size > 0) paint(column, size, back())
  if (c >= 9608 && c <= 9615) { part_box(0, (9616 - c) / 8, 0, 1) }
  else if (c >= 9601 && c <= 9607) { part_box(0, 1, 1 - (c - 9600) / 8, 1) }
  else if (c >= 9617 && c <= 9619) { part_box(0, 1, 0, 1) }
  else { run = run bytes; if (c != 32) { solid = 1; used[row] = 1 }; column += size; return }
  column += size
  # The run of text goes on behind the box.
  end_run(); begin_run()
}

# A part of the cell, in parts of it.
function part_box(left, right, top, bottom) {
  end_run()
  used[row] = 1
  box[++boxes] = sprintf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"%s/>", \
    pad + (column + left) * cw, pad + row * ch + 2 + top * (ch - 4), (right - left) * cw + 0.05, \
    (bottom - top) * (ch - 4), front(), shade())
}

# The three shades between an empty and a full cell.
function shade() {
  return code_point < 9617 || code_point > 9619 ? "" : \
    sprintf(" opacity=\"%.2f\"", (code_point - 9616) / 4)
}

# Boxes of one colour side by side are one.
function paint(from, size, colour) {
  used[row] = 1
  if (last_row == row && last_end == from && last_colour == colour) last_width += size
  else { last_box = ++boxes; last_from = from; last_width = size }
  box[last_box] = sprintf("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>", \
    pad + last_from * cw, pad + row * ch, last_width * cw, ch, colour)
  last_row = row; last_end = from + size; last_colour = colour
}

function begin_run() { run = ""; run_start = column; solid = 0 }

function end_run(    lead, size) {
  if (solid) {
    lead = 0
    while (substr(run, 1, 1) == " ") { run = substr(run, 2); lead++ }
    size = column - run_start - lead
    while (substr(run, length(run), 1) == " ") { run = substr(run, 1, length(run) - 1); size-- }
    text[++texts] = sprintf("<text xml:space=\"preserve\" x=\"%.2f\" y=\"%.2f\" textLength=\"%.2f\" lengthAdjust=\"spacingAndGlyphs\" fill=\"%s\"%s%s%s>%s</text>", \
      pad + (run_start + lead) * cw, pad + row * ch + 13.5, size * cw, front(), \
      bold ? " font-weight=\"bold\"" : "", faint ? " opacity=\"0.65\"" : "", \
      underlined ? " text-decoration=\"underline\"" : "", escaped(run))
  }
  run = ""; solid = 0
}

function escaped(s) {
  gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
  return s
}
