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
