/// Validates a file name that the user entered.
package enum FileNameText {
  /// NAME_MAX of Linux file systems (255 bytes) minus the `.part` of the partial file.
  package static let byteCountMax = 250

  /// Whether the name is one path component that is short enough and has no control characters.
  package static func isUsable(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= byteCountMax
      && !name.contains("/") && !name.unicodeScalars.contains { $0.isControl }
  }
}
