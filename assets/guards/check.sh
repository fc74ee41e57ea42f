#!/bin/sh
# Takes the checks of guards.txt out, one after the other, and sees the named test fail.
# Changes the sources while it runs and puts them back. With a word, only guards with it in their
# name are tried. Ends with 1 when a test did not notice.
set -eu
cd "$(dirname "$0")/../.."
list=assets/guards/guards.txt
wanted=${1:-}
log=.build/guards.log
unnoticed=0
saved=

restore() {
  [ -z "$saved" ] || cp .build/guard.saved "$saved"
  saved=
}
trap 'restore; exit 130' INT TERM HUP
trap restore EXIT

say() { printf 'guards: %s\n' "$*"; }

# Replaces the one line $2 of file $1 by $3 with the blanks before it, whatever is behind it.
edit() {
  old=$2 new=$3 awk '
    BEGIN { old = ENVIRON["old"]; new = ENVIRON["new"] }
    { line = $0; sub(/^[ \t]+/, "", line); sub(/[ \t]+$/, "", line) }
    line == old && !done { done = 1; match($0, /^[ \t]*/); print substr($0, 1, RLENGTH) new; next }
    line == old { twice = 1 }
    { print }
    END { exit done && !twice ? 0 : 1 }' "$1" > .build/guard.edited
}

try() {
  if ! edit "$file" "$old" "$new"; then
    say "\"$name\": the line is not in $file, or more than once"
    unnoticed=1
    return 0
  fi
  cp "$file" .build/guard.saved
  saved=$file
  cp .build/guard.edited "$file"
  if ! swift build --build-tests > "$log" 2>&1; then
    say "\"$name\": without the check it does not build; see $log"
    unnoticed=1
  elif swift test --skip-build --disable-xctest > "$log" 2>&1 --filter "$pattern"; then
    say "\"$name\": NOBODY NOTICED; \"$test\" passed without the check"
    unnoticed=1
  elif ! grep -q "Test \"$test\".*failed" "$log"; then
    say "\"$name\": \"$test\" is not what failed; see $log"
    unnoticed=1
  else
    say "\"$name\": \"$test\" failed, as it should"
  fi
  restore
}

mkdir -p .build
name='' file='' old='' new='' test=''
# The list is not standard input, which belongs to the programs that are run.
while IFS= read -r line <&3; do
  case $line in
    '== '*) name=${line#== } ;;
    'file '*) file=$(printf '%s' "${line#file }" | sed 's/^ *//') ;;
    '- '*) old=${line#- } ;;
    '+'*) new=$(printf '%s' "${line#+}" | sed 's/^ //') ;;
    'test '*)
      test=$(printf '%s' "${line#test }" | sed 's/^ *//')
      pattern=$(printf '%s' "$test" | sed 's/[^A-Za-z0-9 ]/./g; s/ /./g')
      case $name in *"$wanted"*) try ;; esac
      ;;
  esac
done 3< "$list"
exit $unnoticed
