/// Checks the name that a person gives a file before it is sent: one component of a path, and one
/// that can be read.
package enum FileNameText {
  /// NAME_MAX of the Linux file systems (255 bytes) less the `.part` of the partial file.
  package static let byteCountMax = 250

  package static func isUsable(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= byteCountMax
      && !name.contains("/") && !name.unicodeScalars.contains { $0.isControl }
  }
}
