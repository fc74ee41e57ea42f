import KettleModel

/// What a request means to a server of files, which knows paths and offsets only.
struct FileRequest: Hashable {
  /// The first byte; 0 for the whole file.
  private(set) var offset: Int64 = 0
  /// The end of the wanted bytes; nil for the end of the file.
  private(set) var upper: Int64?

  /// Reads `Range`, the only header that counts here. No such server can compare the validator of
  /// an `If-Range`, so like an HTTP server that does not know the validator it sends the whole file
  /// (RFC 9110, section 13.1.5).
  init(_ headers: [HeaderField]) {
    func value(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name }?.value
    }
    guard value("if-range") == nil, let range = value("range") else { return }
    let parts = range.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "bytes" else { return }
    let bounds = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = DecimalDigits.int64(bounds[0]) else { return }
    let last = DecimalDigits.int64(bounds[1])
    if let last, last < first || last == .max { return }
    offset = first
    upper = last.map { $0 + 1 }
  }

  /// The request for the whole file, after the server could not resume.
  mutating func restart() {
    offset = 0
    upper = nil
  }
}
