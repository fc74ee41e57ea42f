# Makes Sources/KettleDemo/DemoCatalogue+Generated.swift from assets/demo-catalogue.json, in which each
# item stands on a line of its own with its members in this order.
BEGIN {
  FS = "\""
  print "// Written by `make catalogue` from assets/demo-catalogue.json; edit that file."
  print "extension DemoCatalogue {"
  print "  /// Guides of 0.7 to 29 MB, one of them behind a login, and two that do not come."
  print "  package static let standard = DemoCatalogue(items: ["
}
$2 == "title" {
  gsub(/[^0-9]/, "", $11)
  gsub(/[^0-9]/, "", $13)
  print "    DemoItem("
  print "      title: \"" $4 "\","
  print "      fileName: \"" $8 "\","
  print "      byteCount: " $11 ", bytesPerSecond: " $13 ","
  print "      sha256: \"" $16 "\", conduct: ." $20 "),"
}
END {
  print "  ])"
  print "}"
}
