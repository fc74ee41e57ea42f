# Writes what `make bench` measured, .build/bench.json, into the documentation, between the two
# lines that say where.
#
#     awk -f assets/bench/lib/json.awk -f assets/bench/numbers.awk .build/bench.json \
#       docs/performance.md

function grouped(value,    rest) {
  if (value !~ /^[0-9][0-9][0-9][0-9]+$/) return value
  while (length(value) > 3) {
    rest = "," substr(value, length(value) - 2) rest
    value = substr(value, 1, length(value) - 3)
  }
  return value rest
}

# As many digits as tell a miss from the budget, and the unit behind. A ratio has none, and what is
# counted a second says so itself.
function united(value, unit) {
  value = value >= 1000 ? grouped(sprintf("%.0f", value)) : sprintf("%.4g", value)
  return value (unit == "ratio" || unit == "1/s" ? "" : " " unit)
}

function times(count) { return count == 1 ? "once" : count " times" }

function table(    i, key, part) {
  print "| row | what | budget | measured |"
  print "|---|---|---|---|"
  for (i = 1; i <= count; i++) {
    key = order[i]
    split(key, part, SUBSEP)
    printf "| `%s` | %s | %s %s | %s |\n", part[1], part[2], (bound[key] == "least" ? "≥" : "≤"),
      united(budget[key], unit[key]), values[key]
  }
  print "\nMeasured on " measuredAt ", " times(runs) (runs == 1 ? "" : " one after the other") \
    ", a miss in bold:\n"
  print "- " processor ", " cores " cores, " memory " MiB of memory, " fileSystem ", " kernel
  print "- " versions
  print "- the big file has " mebibytes " MiB; with it and the small files, programs ran " times(pairs)
  print "  in each run, all else " times(fewPairs)
  if (many != 1000000) print "- the row `million` has " grouped(many)
}

FNR == 1 { file++ }

file == 1 && /^"machine":/ {
  kernel = text("kernel"); processor = text("processor"); fileSystem = text("fileSystem")
  measuredAt = substr(text("measuredAt"), 1, 10); cores = number("cores")
  memory = grouped(number("memoryMiB"))
}
file == 1 && /^"versions":/ {
  versions = $0
  sub(/^"versions":\["/, "", versions); sub(/"\],?$/, "", versions); gsub(/","/, ", ", versions)
}
file == 1 && /^"settings":/ {
  mebibytes = grouped(number("mebibytes")); pairs = number("pairs")
  fewPairs = number("fewPairs"); many = number("many")
}
file == 1 && /"rows":\[/ { runs++ }
file == 1 && /"budget":/ {
  key = text("row") SUBSEP text("what")
  if (!(key in values)) {
    order[++count] = key
    bound[key] = text("bound"); budget[key] = number("budget"); unit[key] = text("unit")
  } else {
    values[key] = values[key] ", "
  }
  value = united(number("value"), unit[key])
  # A miss stands out.
  values[key] = values[key] (/"within":false/ ? "**" value "**" : value)
}
file == 1 { next }

/^<!-- numbers -->$/ { print; print ""; table(); print ""; isInside = 1; isThere = 1; next }
/^<!-- end of numbers -->$/ { isInside = 0 }
!isInside { print }
END {
  if (!isThere) {
    print "numbers: there is no place for them" > "/dev/stderr"
    exit 1
  }
}
