# Writes the tests into the table of docs/faults.md: those that stand under a comment "// Fault N".
#
#   awk -f assets/faults-table.awk $(find Tests -name '*.swift' | sort) docs/faults.md
#
# A row without a test keeps the reason that stands there.

function remember(name,   i) {
  for (i = 1; i <= waiting; i++)
    if (index(tests[numbers[i]], "`" name "`") == 0)
      tests[numbers[i]] = tests[numbers[i]] (tests[numbers[i]] == "" ? "" : "<br>") "`" name "`"
  waiting = 0
}

FILENAME ~ /\.swift$/ {
  if (match($0, /^ *\/\/ Faults? [0-9]/)) {
    rest = $0
    while (match(rest, /[0-9]+/)) {
      numbers[++waiting] = substr(rest, RSTART, RLENGTH)
      rest = substr(rest, RSTART + RLENGTH)
    }
  } else if (waiting && match($0, /func `[^`]*`/)) {
    remember(substr($0, RSTART + 6, RLENGTH - 7))
  } else if (waiting && match($0, /func [A-Za-z0-9_]*\(/)) {
    remember(substr($0, RSTART + 5, RLENGTH - 6))
  }
  next
}

/^\| [0-9]+ \|/ {
  split($0, cells, " *\\| *")
  number = cells[2]
  if (tests[number] != "") {
    print "| " number " | " cells[3] " | " cells[4] " | " tests[number] " |"
    next
  }
  # What named tests that are gone names nothing now, and the check says so.
  if (cells[5] ~ /^`/) {
    print "| " number " | " cells[3] " | " cells[4] " | none |"
    next
  }
}

{ print }
