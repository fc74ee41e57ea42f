#!/bin/sh
# Removes the checks of guards.txt and verifies that the named tests fail. Changes the sources while
# it runs and restores them. With a word, only guards with it in their name are tried. Exits with 1
# if a test did not notice.
#
# A build takes minutes, so up to 24 checks in different files are removed together. If such a batch
# does not build, its halves are tried. Guards whose tests passed are tried again without the others.
set -eu
cd "$(dirname "$0")/../.."
list=assets/guards/guards.txt
wanted=${1:-}
work=.build/guards
log=$work/log
batch_max=24
unnoticed=0

say() { printf 'guards: %s\n' "$*"; }

field() { cat "$work/$1/$2"; }

restore() {
  for saved in "$work"/*/saved; do
    [ -e "$saved" ] || continue
    cp "$saved" "$(cat "${saved%/saved}/file")"
    rm "$saved"
  done
}
trap 'restore; exit 130' INT TERM HUP
trap restore EXIT

# Removes the check of guard $1: replaces its line, whatever the indentation.
remove() {
  file=$(field "$1" file)
  old=$(field "$1" old) new=$(field "$1" new) awk '
    BEGIN { old = ENVIRON["old"]; new = ENVIRON["new"] }
    { line = $0; sub(/^[ \t]+/, "", line); sub(/[ \t]+$/, "", line) }
    line == old && !done { done = 1; match($0, /^[ \t]*/); print substr($0, 1, RLENGTH) new; next }
    line == old { twice = 1 }
    { print }
    END { exit done && !twice ? 0 : 1 }' "$file" > "$work/edited" || return 1
  cp "$file" "$work/$1/saved"
  cp "$work/edited" "$file"
}

# The names of tests as one regular expression.
pattern_of() {
  for guard in "$@"; do field "$guard" test; done \
    | sed 's/[^A-Za-z0-9]/./g' | paste -s -d '|' -
}

has_failed() { grep -F "Test \"$(field "$1" test)\"" "$log" | grep -q failed; }

# Whether the test of guard $1 was still running when the time limit ended the run.
has_hung() {
  case $end in 124 | 137) ;; *) return 1 ;; esac
  lines=$(grep -F "Test \"$(field "$1" test)\"" "$log") || return 1
  ! printf '%s\n' "$lines" | grep -q ' passed '
}

# Tries the guards whose numbers are given: together, and those whose tests passed again.
try() {
  for guard in "$@"; do remove "$guard"; done
  # The options of `make test`; with others everything would be built again.
  if ! swift build --build-tests -debug-info-format none --disable-index-store \
    -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 > "$log" 2>&1; then
    restore
    if [ $# -gt 1 ]; then
      try_halves "$@"
    else
      say "\"$(field "$1" name)\": without the check it does not build; see $log"
      unnoticed=1
    fi
    return 0
  fi
  # A test that misses its check may also wait in vain, or stop its process.
  end=0
  timeout -k 5 180 "$PWD/.build/debug/kettlePackageTests.xctest" --testing-library swift-testing \
    --filter "$(pattern_of "$@")" > "$log" 2>&1 || end=$?
  pkill -f "$PWD/.build/.*PackageTests" || :
  restore
  passed='' tried=$#
  for guard in "$@"; do
    if has_failed "$guard"; then
      say "\"$(field "$guard" name)\": \"$(field "$guard" test)\" failed, as expected"
    elif has_hung "$guard" || { [ $# -eq 1 ] && [ $end -ne 0 ]; }; then
      say "\"$(field "$guard" name)\": \"$(field "$guard" test)\" did not end, which counts as failed"
    elif [ $# -eq 1 ]; then
      say "\"$(field "$guard" name)\": NOT NOTICED: \"$(field "$guard" test)\" passed; see $log"
      cp "$log" "$log.$guard"
      unnoticed=1
    else
      passed="$passed $guard"
    fi
  done
  # shellcheck disable=SC2086
  set -- $passed
  case $# in
    0) ;;
    "$tried") try_halves "$@" ;;
    *) try "$@" ;;
  esac
}

# Tries the guards in two batches.
try_halves() {
  half=$(($# / 2)) first=''
  while [ $half -gt 0 ]; do
    first="$first $1" half=$((half - 1))
    shift
  done
  # shellcheck disable=SC2086
  try $first
  try "$@"
}

# Whether batch $1 is full, or has a guard with the file or the test of guard $count.
is_unfit() {
  [ -e "$work/batch.$1" ] || return 1
  [ "$(wc -l < "$work/batch.$1")" -lt "$batch_max" ] || return 0
  cat "$work/$count/file" "$work/$count/test" | grep -qxF -f - "$work/taken.$1"
}

# Writes each guard into a directory of its own and its number into the file of its batch.
rm -rf "$work"
mkdir -p "$work"
count=0
name='' file='' old='' new='' test=''
while IFS= read -r line; do
  case $line in
    '== '*) name=${line#== } ;;
    'file '*) file=$(printf '%s' "${line#file }" | sed 's/^ *//') ;;
    '- '*) old=${line#- } ;;
    '+'*) new=$(printf '%s' "${line#+}" | sed 's/^ //') ;;
    'test '*)
      test=$(printf '%s' "${line#test }" | sed 's/^ *//')
      case $name in *"$wanted"*) ;; *) continue ;; esac
      count=$((count + 1))
      mkdir "$work/$count"
      for part in name file old new test; do
        eval "printf '%s\n' \"\$$part\"" > "$work/$count/$part"
      done
      if ! remove "$count"; then
        say "\"$name\": the line is not in $file, or more than once"
        unnoticed=1
        continue
      fi
      restore
      batch=1
      while is_unfit "$batch"; do batch=$((batch + 1)); done
      echo "$count" >> "$work/batch.$batch"
      cat "$work/$count/file" "$work/$count/test" >> "$work/taken.$batch"
      ;;
  esac
done < "$list"

batch=1
while [ -e "$work/batch.$batch" ]; do
  # shellcheck disable=SC2046
  set -- $(cat "$work/batch.$batch")
  try "$@"
  batch=$((batch + 1))
done
exit $unnoticed
