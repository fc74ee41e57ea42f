# Draws the plots of .build/growth.json, each as an SVG with logarithmic axes.
#
#     awk -v out=docs/pictures -f assets/bench/lib/json.awk -f assets/bench/plots.awk \
#       .build/growth.json
#
# Every picture has its own background, dark where the reader's is.

/^"machine":/ { stamp = substr(text("measuredAt"), 1, 10) ", " text("processor") ", " number("cores") " cores" }

/"title":/ {
  plot = text("plot")
  plots[++plotCount] = plot
  title[plot] = text("title"); xTitle[plot] = text("x"); yTitle[plot] = text("y")
}

/"series":/ && /"y":/ {
  plot = text("plot"); name = text("series"); x = number("x"); y = number("y")
  # A logarithm has no zero.
  if (x <= 0 || y <= 0) next
  addSeries(plot, name)
  addX(plot, x)
  count = ++pointCount[plot, name]
  pointX[plot, name, count] = x
  pointY[plot, name, count] = y
  if (!(plot in least) || y < least[plot]) least[plot] = y
  if (!(plot in most) || y > most[plot]) most[plot] = y
}

/"why":/ {
  plot = text("plot")
  addX(plot, number("x"))
  key = plot SUBSEP text("series") SUBSEP text("why")
  if (!(key in reasonAt)) {
    reasonAt[key] = ++reasonCount[plot]
    reasonStart[plot, reasonCount[plot]] = "not measured: " text("series") " at "
    reasonEnd[plot, reasonCount[plot]] = " (" text("why") ")"
  }
  at = reasonAt[key]
  reasonXs[plot, at] = reasonXs[plot, at] (reasonXs[plot, at] == "" ? "" : " and ") \
    shown(number("x"), xTitle[plot])
}

function addSeries(plot, name) {
  if ((plot, name) in pointCount) return
  pointCount[plot, name] = 0
  series[plot, ++seriesCount[plot]] = name
}

# In order.
function addX(plot, x,    i) {
  for (i = 1; i <= xCount[plot]; i++) if (xs[plot, i] == x) return
  for (i = ++xCount[plot]; i > 1 && xs[plot, i - 1] > x; i--) xs[plot, i] = xs[plot, i - 1]
  xs[plot, i] = x
}

function log10(value) { return log(value) / log(10) }

# 1,000,000 or 32 KiB.
function shown(value, axis,    digits, grouped) {
  if (axis ~ /byte/) {
    if (value >= 1073741824) return sprintf("%.4g GiB", value / 1073741824)
    if (value >= 1048576) return sprintf("%.4g MiB", value / 1048576)
    return sprintf("%.4g KiB", value / 1024)
  }
  if (value < 1000) return sprintf("%.6g", value)
  digits = sprintf("%.0f", value)
  while (length(digits) > 3) {
    grouped = "," substr(digits, length(digits) - 2) grouped
    digits = substr(digits, 1, length(digits) - 3)
  }
  return digits grouped
}

function escaped(value) {
  gsub(/&/, "\\&amp;", value); gsub(/</, "\\&lt;", value); gsub(/>/, "\\&gt;", value)
  return value
}

function label(x, y, class, anchor, value) {
  printf "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\" text-anchor=\"%s\">%s</text>\n",
    x, y, class, anchor, escaped(value) > file
}

function line(x1, y1, x2, y2, class) {
  printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class > file
}

# Each series has a shape of its own beside its color.
function mark(x, y, which) {
  if (which == 1)
    printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"f1\"/>\n", x, y > file
  else if (which == 2)
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" class=\"f2\"/>\n", x - 3.5, y - 3.5 > file
  else
    printf "<path d=\"M%.1f %.1fl4.5 8h-9z\" class=\"f3\"/>\n", x, y - 5 > file
}

function placeX(x) {
  if (highX == lowX) return (left + right) / 2
  return left + 14 + (log10(x) - lowX) / (highX - lowX) * (right - left - 28)
}

function placeY(y) { return bottom - (log10(y) - lowY) / (highY - lowY) * (bottom - top) }

# The nearest of 1, 2 and 5 with powers of ten, below or above.
function rounded(value, isUp,    power, step, steps, i, best) {
  # What int() does with a negative number is another thing.
  power = 10 ^ (int(log10(value) + 100) - 100)
  split("1 2 5 10", steps, " ")
  for (i = 1; i <= 4; i++) {
    step = steps[i] * power
    if (isUp && step >= value * 0.9999) return step
    if (!isUp && step <= value * 1.0001) best = step
  }
  return best
}

function frame(plot,    i, x, y, value, span, step, steps, power) {
  lowX = log10(xs[plot, 1]); highX = log10(xs[plot, xCount[plot]])
  lowY = log10(rounded(least[plot], 0)); highY = log10(rounded(most[plot], 1))
  # At least from 1 to 10: what hardly grows must look like it.
  while (highY - lowY < 0.999) {
    lowY = log10(rounded(10 ^ lowY * 0.99, 0))
    if (highY - lowY < 0.999) highY = log10(rounded(10 ^ highY * 1.01, 1))
  }
  span = highY - lowY
  split("1 2 5", steps, " ")
  for (power = int(lowY) - 1; power <= highY + 1; power++) {
    for (i = 1; i <= 3; i++) {
      if (i > 1 && span > 2.5) continue
      value = steps[i] * 10 ^ power
      if (log10(value) < lowY - 0.001 || log10(value) > highY + 0.001) continue
      y = placeY(value)
      line(left, y, right, y, "grid")
      label(left - 7, y + 4, "tick", "end", shown(value, ""))
    }
  }
  for (i = 1; i <= xCount[plot]; i++) {
    x = placeX(xs[plot, i])
    line(x, bottom, x, bottom + 5, "axis")
    label(x, bottom + 19, "tick", "middle", shown(xs[plot, i], xTitle[plot]))
  }
  line(left, bottom, right, bottom, "axis")
  label((left + right) / 2, bottom + 38, "title", "middle", xTitle[plot])
  label(left - 48, top - 12, "title", "start", yTitle[plot])
}

# The names stand where the lines end, and make room for each other.
function names(plot,    i, j, name, n, y, order, at, swap) {
  n = seriesCount[plot]
  for (i = 1; i <= n; i++) {
    name = series[plot, i]
    at[i] = placeY(pointY[plot, name, pointCount[plot, name]]) + 4
    order[i] = i
  }
  for (i = 2; i <= n; i++)
    for (j = i; j > 1 && at[order[j]] < at[order[j - 1]]; j--) {
      swap = order[j]; order[j] = order[j - 1]; order[j - 1] = swap
    }
  for (i = 2; i <= n; i++)
    if (at[order[i]] < at[order[i - 1]] + 15) at[order[i]] = at[order[i - 1]] + 15
  for (i = 1; i <= n; i++) label(right + 8, at[i], "n" i, "start", series[plot, i])
}

function curves(plot,    i, j, name, path) {
  for (i = 1; i <= seriesCount[plot]; i++) {
    name = series[plot, i]
    path = ""
    for (j = 1; j <= pointCount[plot, name]; j++)
      path = path sprintf("%s%.1f %.1f", (j == 1 ? "M" : "L"), placeX(pointX[plot, name, j]),
        placeY(pointY[plot, name, j]))
    printf "<path d=\"%s\" class=\"s%d\"/>\n", path, i > file
    for (j = 1; j <= pointCount[plot, name]; j++)
      mark(placeX(pointX[plot, name, j]), placeY(pointY[plot, name, j]), i)
  }
}

function draw(plot,    i, height) {
  file = out "/growth-" plot ".svg"
  left = 64; right = 430; top = 66; bottom = 260
  height = bottom + 70 + 16 * reasonCount[plot]
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 580 %d\" width=\"580\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n", height > file
  printf "<title>%s</title>\n", escaped(title[plot]) > file
  print "<style>" > file
  print ".paper{fill:#fff}text{fill:#1f2328}.tick,.why{fill:#59636e;font-size:12px}.head{font-weight:600;font-size:15px}" > file
  print ".grid{stroke:#d8dee4}.axis{stroke:#59636e}.s1,.s2,.s3{fill:none;stroke-width:2}" > file
  print ".s1{stroke:#0b69a3}.f1,text.n1{fill:#0b69a3}.s2{stroke:#b35900}.f2,text.n2{fill:#b35900}.s3{stroke:#6b7280}.f3,text.n3{fill:#6b7280}" > file
  print "@media(prefers-color-scheme:dark){.paper{fill:#16181d}text{fill:#d5d8de}.tick,.why{fill:#9aa4af}.grid{stroke:#30363d}.axis{stroke:#9aa4af}" > file
  print ".s1{stroke:#5cb8f0}.f1,text.n1{fill:#5cb8f0}.s2{stroke:#f0a35c}.f2,text.n2{fill:#f0a35c}.s3{stroke:#a8b0ba}.f3,text.n3{fill:#a8b0ba}}" > file
  print "</style>" > file
  print "<rect width=\"100%\" height=\"100%\" rx=\"8\" class=\"paper\"/>" > file
  label(16, 26, "head", "start", title[plot])
  frame(plot)
  curves(plot)
  names(plot)
  for (i = 1; i <= reasonCount[plot]; i++)
    label(16, bottom + 44 + 16 * i, "why", "start",
      reasonStart[plot, i] reasonXs[plot, i] reasonEnd[plot, i])
  label(16, height - 10, "why", "start", stamp)
  print "</svg>" > file
  close(file)
}

END {
  for (p = 1; p <= plotCount; p++) {
    if (seriesCount[plots[p]]) draw(plots[p])
    else print "plots: nothing was measured for " plots[p] > "/dev/stderr"
  }
}
