# Read by the other scripts here, with the root of the repository in $top. Sets the version, and the
# time that every file of a package gets, so that two builds give the same bytes.
version=$(sed -n 's/.*static let text = "\(.*\)".*/\1/p' \
  "$top/Sources/KettleControl/ProtocolVersion.swift")
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  # Outside of a checkout, the change log is as old as the version.
  SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct 2>/dev/null) ||
    SOURCE_DATE_EPOCH=$(stat -c %Y "$top/CHANGELOG.md")
fi
export SOURCE_DATE_EPOCH
export TZ=UTC LC_ALL=C.UTF-8
umask 022

# described NAME: prints what description.txt has for NAME.
described() {
  awk -v name="$1" '
    sub("^" name ": *", "") { found = 1; inside = $0 == ""; if (!inside) print; next }
    inside && /^ |^$/ { sub(/^ /, ""); lines = lines $0 "\n"; next }
    { inside = 0 }
    END { sub(/\n+$/, "\n", lines); printf "%s", lines; exit !found }
  ' "$top/assets/package/description.txt" ||
    { echo "package: description.txt has no $1" >&2; return 1; }
}

# filled TEMPLATE [NAME=TEXT ...]: prints the template from the folder templates. @NAME@ becomes TEXT, or
# else what description.txt has. A line of nothing but @NAME@ disappears if there is no text.
filled() (
  template=$top/assets/package/templates/$1
  shift
  for name in $(grep -o '@[a-z_]*@' "$template" | tr -d @ | sort -u); do
    eval "text_$name="
    case " $*" in *" $name="*) continue ;; esac
    text=$(described "$name") || exit 1
    export "text_$name=$text"
  done
  for pair; do export "text_$pair"; done
  awk '
    match($0, /^@[a-z_]+@$/) {
      text = ENVIRON["text_" substr($0, 2, RLENGTH - 2)]
      if (text != "") print text
      next
    }
    {
      line = ""
      while (match($0, /@[a-z_]+@/)) {
        line = line substr($0, 1, RSTART - 1) ENVIRON["text_" substr($0, RSTART + 1, RLENGTH - 2)]
        $0 = substr($0, RSTART + RLENGTH)
      }
      print line $0
    }' "$template"
)
