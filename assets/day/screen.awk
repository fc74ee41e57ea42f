# Reads screens that `tmux capture-pane -e -p -N` wrote, and turns them into shapes of a picture.
# Read by picture.awk and moving-picture.awk, which define emit(layer, markup): layer 1 is the
# background of cells, 2 are bars, 3 is text. Shapes of one layer do not overlap.
#
# It reads bytes and decodes UTF-8 itself, because not every awk does: LC_ALL=C. What glyphs.awk
# knows is drawn as shapes, which look the same whatever font the reader has. Text is cut where there
# are two spaces, and around characters that may come from a font of another width, so that nothing
# drifts where a renderer ignores textLength.

BEGIN {
  cw = 8.4; ch = 18; font = 14; pad = 14
  ground = light ? "#ffffff" : "#16181d"; ink = light ? "#24282f" : "#d5d8de"
  edge = light ? "#c8ccd4" : ground
  split("#3b4048 #e06c75 #8fc379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 " \
        "#6b717d #ff7b86 #a8dd8f #ffd88a #7cc4ff #dd92f2 #6fd3df #ffffff", ansi, " ")
  for (i = 1; i < 256; i++) ord[sprintf("%c", i)] = i
}

function begin_screen() { plain(); row = -1 }

function read_row(line) {
  row++; column = 0
  read_line(line)
  end_paint(); end_bar(); end_shapes()
  if (column > columns) columns = column
}

# Prints the beginning of the picture. Empty lines at the end of a screen say nothing.
function open_picture(height,    width) {
  width = columns * cw + 2 * pad
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %s %s\" width=\"%.0f\"", \
    number(width), number(height), width
  printf " role=\"img\" shape-rendering=\"crispEdges\" fill=\"%s\"", ink
  printf " font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\""
  printf " font-size=\"%d\">\n", font
  if (title != "") printf "<title>%s</title>\n", escaped(title)
  printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\" stroke=\"%s\"", ground, edge
  print " stroke-width=\"2\" shape-rendering=\"auto\"/>"
}

# With two decimals at most.
function number(value) {
  value = sprintf("%.2f", value)
  sub(/\.?0+$/, "", value)
  return value
}

function plain() { fg = ""; bg = ""; bold = 0; faint = 0; underlined = 0; reversed = 0 }

# ---- Reading

function read_line(line,    at, size, code, final, stop) {
  at = 1; size = length(line)
  while (at <= size) {
    if (substr(line, at, 2) == "\033[") {
      stop = match(substr(line, at + 2), /[@-~]/)
      if (stop == 0) break
      final = substr(line, at + 1 + stop, 1)
      end_run()
      if (final == "m") style(substr(line, at + 2, stop - 1))
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
  code_point = first - (taken == 1 ? 0 : taken == 2 ? 192 : taken == 3 ? 224 : 240)
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

# The 256 colors of xterm.
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
  if (c == 32 || c == 10240) gap++
  else if (draw_glyph(c)) end_run()
  else write(c, bytes, size)
  column += size
}

# Cells of one background side by side are one box.
function paint(from, size, color) {
  if (paint_size == 0 || paint_from + paint_size != from || paint_color != color) {
    end_paint()
    paint_from = from; paint_color = color
  }
  paint_size += size
}

function end_paint() {
  if (paint_size > 0) {
    use_row()
    emit(1, box(paint_from, paint_size, row * ch, ch, paint_color, ""))
  }
  paint_size = 0
}

# A part of the cell, in parts of it. Full cells of one look, and the last part, are one box.
function bar(left, right, top, bottom,    look) {
  look = front() shade() " " top " " bottom
  if (bar_size == 0 || bar_from + bar_size != column + left || bar_look != look) {
    end_bar()
    bar_from = column + left; bar_look = look
    bar_color = front(); bar_shade = shade(); bar_top = top; bar_bottom = bottom
  }
  bar_size += right - left
}

function end_bar() {
  if (bar_size > 0) {
    use_row()
    emit(2, box(bar_from, bar_size, row * ch + 2 + bar_top * (ch - 4), \
      (bar_bottom - bar_top) * (ch - 4), bar_color, bar_shade))
  }
  bar_size = 0
}

# The three shades between an empty and a full cell.
function shade() {
  return code_point < 9617 || code_point > 9619 ? faint_word() : \
    sprintf(" opacity=\"%s\"", number((code_point - 9616) / 4))
}

# - Parameters from, size: in columns.
function box(from, size, top, height, color, more) {
  return rect(from * cw, top, size * cw, height, color, more)
}

function rect(left, top, width, height, color, more) {
  return sprintf("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"%s/>", \
    number(pad + left), number(pad + top), number(width), number(height), color, more)
}

function use_row() { if (row >= rows) rows = row + 1 }

# ---- Text

function write(c, bytes, size) {
  # Latin, Greek and Cyrillic are in every font of one width. A mark stays with its letter.
  if (gap > 1 || (size > 0 && run != "" && (foreign || c > 1327))) end_run()
  if (run == "") run_start = column
  else if (gap == 1) run = run " "
  run = run bytes
  run_end = column + size
  gap = 0
  if (c > 1327) foreign = 1
}

# What may come from a font of another width is stretched, too.
function end_run() {
  if (run != "") {
    use_row()
    emit(3, sprintf("<text x=\"%s\" y=\"%s\" textLength=\"%s\"%s%s%s%s%s>%s</text>", \
      number(pad + run_start * cw), number(pad + row * ch + 13.5), \
      number((run_end - run_start) * cw), \
      foreign ? " lengthAdjust=\"spacingAndGlyphs\"" : "", \
      front() == ink ? "" : " fill=\"" front() "\"", bold ? " font-weight=\"bold\"" : "", \
      faint ? " opacity=\"0.65\"" : "", \
      underlined ? " text-decoration=\"underline\"" : "", escaped(run)))
  }
  run = ""; gap = 0; foreign = 0
}

function escaped(s) {
  gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
  return s
}
