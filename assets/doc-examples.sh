#!/bin/sh
# Writes the examples of the library's documentation as Swift sources into a directory.
#
#   assets/doc-examples.sh DIRECTORY
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
rm -f "$out"/*.swift
find Sources/BackgroundTransfer README.md \( -name '*.swift' -o -name '*.md' \) -type f |
  LC_ALL=C sort | xargs awk -v out="$out" -f assets/doc-examples.awk
