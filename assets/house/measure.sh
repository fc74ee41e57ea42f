#!/bin/sh
# Prints how large the house is and how its files depend on each other.
#
#     assets/house/measure.sh
#
# Real lines have neither blanks, comments, lone brackets nor imports. A file depends on another of its
# target if it names a type that only the other one declares; files that depend on each other in a
# circle form a knot. Extensions and functions are not followed, so that a knot may be larger.
set -eu
cd "$(dirname "$0")/../.."

for target in Sources/*/; do
  target=${target%/}
  find "$target" -name '*.swift' | sort | tr '\n' '\0' |
    xargs -0 -r awk -v target="${target##*/}" -f assets/house/measure.awk
done | awk '
  /^file / { lines[++files] = $2; next }
  /^target / {
    targets++
    real += $4
    printf "%-20s %4d files %6d real lines, largest knot %3d\n", $2, $3, $4, $5
  }
  END {
    for (i = 2; i <= files; i++) {
      kept = lines[i]
      for (j = i - 1; j >= 1 && lines[j] > kept; j--) lines[j + 1] = lines[j]
      lines[j + 1] = kept
    }
    printf "\n%d Swift targets, %d files, median %d lines, longest %d, %d real lines\n", targets,
      files, lines[int((files + 1) / 2)], lines[files], real
  }'
