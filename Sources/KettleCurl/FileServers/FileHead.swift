import KettleModel

/// Expresses what a server of files said in the vocabulary of HTTP, so that the same rules decide
/// about it. Its validator is weak: with a time in seconds, two versions may share it.
enum FileHead {
  /// Returns the head of a body that begins at the requested offset, or nil if what is known does
  /// not show that it is the requested part.
  ///
  /// - Parameters:
  ///   - left: the number of bytes from the offset to the end of the file; nil when unknown.
  ///   - modified: when the file was modified, in seconds since 1970; nil when unknown.
  static func body(of request: FileRequest, left: Int64?, modified: Int64?) -> ResponseHead? {
    var headers: [HeaderField] = []
    let date = modified.flatMap(lastModified)
    if let date { headers.append(HeaderField(received: "Last-Modified", date)) }
    guard request.offset > 0 else {
      if let left { headers.append(HeaderField(received: "Content-Length", "\(left)")) }
      return ResponseHead(status: 200, headers: headers)
    }
    guard let left, left > 0 else { return nil }
    let (total, overflow) = request.offset.addingReportingOverflow(left)
    guard !overflow else { return nil }
    let upper = min(request.upper ?? total, total)
    guard upper > request.offset else { return nil }
    headers += [
      HeaderField(received: "Content-Range", "bytes \(request.offset)-\(upper - 1)/\(total)"),
      HeaderField(received: "Content-Length", "\(upper - request.offset)"),
    ]
    return ResponseHead(status: 206, headers: headers)
  }

  /// nil for a time that HTTP cannot express, and for zero, which servers send for "unknown".
  private static func lastModified(_ seconds: Int64) -> String? {
    guard (1..<253_402_300_800).contains(seconds) else { return nil }
    return HTTPDate.text(WallTime(millisecondsSince1970: seconds * 1000))
  }
}
