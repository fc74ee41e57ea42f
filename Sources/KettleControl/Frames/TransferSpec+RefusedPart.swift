import KettleModel

extension TransferSpec {
  /// The first part that no service may act on; nil if all are valid.
  ///
  /// A decoder assigns each value directly and bypasses the initialisers that check. The checks run
  /// again here, where text from outside becomes a request: a line break in a header, for example,
  /// would start a second header.
  package var refusedPart: String? {
    // A person's transfers are not tasks of a program.
    if !session.isUsable || task != nil && session == .kettle { return "session" }
    if let directory, !directory.isAbsolutePath { return "directory" }
    if let name, !Self.isPathComponent(name) { return "name" }
    if let connections, connections < 1 { return "connections" }
    if headers.contains(where: { HeaderField(name: $0.name, value: $0.value) != $0 }) {
      return "headers"
    }
    if let login, !login.isUsable { return "login" }
    if let checksum, Checksum(algorithm: checksum.algorithm, hex: checksum.hex) != checksum {
      return "checksum"
    }
    if let caCertificatePath, !caCertificatePath.isAbsolutePath { return "caCertificatePath" }
    if let limitBytesPerSecond, limitBytesPerSecond < 1 { return "limitBytesPerSecond" }
    if TransferPriority(priority.value) == nil { return "priority" }
    if let part = request?.refusedPart { return "request.\(part)" }
    if task?.kind == .upload, request?.body == nil { return "request.body" }
    return task?.refusedPart.map { "task.\($0)" }
  }

  private static func isPathComponent(_ name: String) -> Bool {
    // NAME_MAX of Linux (limits.h).
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
      && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }
}

extension Login {
  /// A colon in the user name would move the boundary between name and password (RFC 7617, section
  /// 2).
  var isUsable: Bool {
    !user.contains(":") && !(user + password).unicodeScalars.contains(where: \.isControl)
  }
}
