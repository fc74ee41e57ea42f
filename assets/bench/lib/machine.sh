# What is measured, and on which machine.

say_versions() {
  {
    "$build/kettle" --version
    curl --version | head -n 1 | cut -d ' ' -f 1-3
    for program in aria2c wget2 axel nginx; do
      case $program in
        aria2c) version=$(aria2c --version 2>/dev/null | head -n 1) ;;
        wget2) version=$(wget2 --version 2>/dev/null | sed -n '1s/ - .*//p') ;;
        axel) version=$(axel --version 2>/dev/null | head -n 1) ;;
        nginx) version=$(nginx -v 2>&1) ;;
      esac
      printf '%s\n' "${version:-$program is not here}"
    done
    swift --version 2>/dev/null | sed -n 's/.*\(Swift version [0-9.]*\).*/\1/p' | head -n 1
  } >"$world/versions"
  {
    printf 'kernel\t%s\n' "$(uname -srm)"
    printf 'cores\t%s\n' "$(getconf _NPROCESSORS_ONLN)"
    printf 'processor\t%s\n' "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
    printf 'memoryMiB\t%s\n' "$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)"
    printf 'fileSystem\t%s\n' "$(stat -f -c %T "$world")"
    printf 'measuredAt\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
  } >"$world/machine"
  sed 's/^/bench: /' "$world/versions" "$world/machine" >&2
}

# Tabs stay: they part the fields.
json_text() { sed 's/[\\"]/\\&/g'; }

json_machine() {
  printf '"machine":{'
  json_text <"$world/machine" | awk -F '\t' '{
    printf "%s\"%s\":%s", (NR > 1 ? "," : ""), $1, ($2 ~ /^[0-9]+$/ ? $2 : "\"" $2 "\"")
  }'
  printf '},\n"versions":['
  json_text <"$world/versions" | awk '{ printf "%s\"%s\"", (NR > 1 ? "," : ""), $0 }'
  printf '],\n'
}
