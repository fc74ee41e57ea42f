#!/bin/sh
# Writes the examples of the library's documentation as Swift sources: the blocks into one
# directory, the whole programs into another.
#
#   assets/doc-examples.sh DIRECTORY PROGRAMS-DIRECTORY
set -eu
mkdir -p "$1" "$2"
out=$(cd "$1" && pwd)
programs_out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
rm -f "$out"/*.swift "$programs_out"/*.swift
find Sources/BackgroundTransfer README.md \( -name '*.swift' -o -name '*.md' \) -type f |
  LC_ALL=C sort |
  xargs awk -v out="$out" -v programs_out="$programs_out" -f assets/doc-examples.awk
