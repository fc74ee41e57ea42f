# Writes what `make bench-network` measured, .build/bench-network.json, into the documentation, between
# the two lines that say where.
#
#     awk -f assets/bench/lib/json.awk -f assets/bench/network/numbers.awk .build/bench-network.json \
#       docs/performance.md

# The median of numbers that are separated by blanks.
function median(list,    value, count, i, j, kept) {
  count = split(list, value, " ")
  for (i = 2; i <= count; i++) {
    kept = value[i]
    for (j = i - 1; j >= 1 && value[j] + 0 > kept + 0; j--) value[j + 1] = value[j]
    value[j + 1] = kept
  }
  return count % 2 ? value[(count + 1) / 2] : (value[count / 2] + value[count / 2 + 1]) / 2
}

# "2" or "2 to 5".
function range(list,    value, count, i, least, most) {
  count = split(list, value, " ")
  least = most = value[1]
  for (i = 2; i <= count; i++) {
    if (value[i] + 0 < least + 0) least = value[i]
    if (value[i] + 0 > most + 0) most = value[i]
  }
  return least == most ? least : least " to " most
}

function seconds(row, program) {
  return (row, program) in walls ? sprintf("%.2f", median(walls[row, program])) : "–"
}

function table(    i, row) {
  print "| row | link | Kettle | connections | aria2c -x16 | aria2c -x8 | axel | wget2 | curl | Kettle over the best |"
  print "|---|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= count; i++) {
    row = order[i]
    printf "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", row, link[row],
      seconds(row, "kettle"), range(connections[row]), seconds(row, "aria2-16"),
      seconds(row, "aria2-8"), seconds(row, "axel"), seconds(row, "wget2"), seconds(row, "curl"),
      (row in ratio ? ratio[row] : "–")
  }
  if (others != "") print "\n| row | what | budget | measured |\n|---|---|---|---|\n" others
  else print ""
  print "Measured on " measuredAt "; seconds, the median of " runs (runs == 1 ? " run" : " runs") \
    ", a miss in bold, – where a program cannot"
  print "do it or takes more than three times as long as the best:\n"
  print "- " processor ", " cores " cores, " kernel
  print "- " versions
}

FNR == 1 { file++ }

file == 1 && /^"machine":/ {
  kernel = text("kernel"); processor = text("processor"); cores = number("cores")
  measuredAt = substr(text("measuredAt"), 1, 10)
}
file == 1 && /^"versions":/ {
  versions = $0
  sub(/^"versions":\["/, "", versions); sub(/"\],?$/, "", versions); gsub(/","/, ", ", versions)
}
file == 1 && /^"settings":/ { runs = number("runs") }
file == 1 && /"link":/ { order[++count] = text("row"); link[text("row")] = text("link") }
file == 1 && /"budget":/ {
  value = sprintf("%.3g", number("value")) (text("unit") == "s" ? " s" : "")
  if (/"within":false/) value = "**" value "**"
  if (text("what") ~ /^wall time over/) {
    ratio[text("row")] = value
  } else {
    others = others sprintf("| `%s` | %s | ≤ %s%s | %s |\n", text("row"), text("what"),
      number("budget"), (text("unit") == "s" ? " s" : ""), value)
  }
}
file == 1 && /"wallSeconds":/ {
  walls[text("row"), text("program")] = walls[text("row"), text("program")] number("wallSeconds") " "
  if (text("program") == "kettle") {
    connections[text("row")] = connections[text("row")] number("connections") " "
  }
}
file == 1 { next }

/^<!-- network numbers -->$/ { print; print ""; table(); print ""; isInside = 1; isThere = 1; next }
/^<!-- end of network numbers -->$/ { isInside = 0 }
!isInside { print }
END {
  if (!isThere) {
    print "numbers: there is no place for them" > "/dev/stderr"
    exit 1
  }
}
