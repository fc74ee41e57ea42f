import KettleModel

/// Requests other than a plain GET, and what is accepted as their reply.
extension TransferMachine {
  /// Whether the next attempt can use received bytes. Unusable bytes are never recorded: each POST
  /// has a reply of its own, and the page that came with an error status is not part of the file.
  var keepsBytes: Bool { record.spec.content == nil && takesFile }

  /// Whether the body is the file and not a page in its place.
  var takesFile: Bool {
    switch record.task?.reply?.status {
    case nil: true
    case .some(let status): (200..<300).contains(status)
    }
  }

  var acceptance: ResponseClassifier.Acceptance {
    if record.spec.task != nil { return record.spec.directory == nil ? .any : .success }
    return record.spec.content == nil ? .file : .success
  }

  /// Stores the head for the program of a task.
  mutating func noteReply(_ head: ResponseHead, from url: TransferURL) {
    record.task?.reply = ServerReply(url: url.text, status: head.status, headers: head.headers)
  }

  /// Stores the head of a reply with the rest of the file. The program requested the file and not a
  /// range, so it sees the head that the whole would have had: the previous one, updated (RFC 9110,
  /// section 15.3.7.3).
  mutating func noteReply(
    toRangeOf total: Int64?, _ head: ResponseHead, from url: TransferURL
  ) {
    let framing: Set = ["content-length", "content-range", "transfer-encoding"]
    var headers = head.headers.filter { !framing.contains($0.name.lowercased()) }
    let known = framing.union(headers.map { $0.name.lowercased() })
    let before = record.task?.reply?.headers ?? []
    headers = before.filter { !known.contains($0.name.lowercased()) } + headers
    if let total { headers.append(HeaderField(received: "Content-Length", String(total))) }
    record.task?.reply = ServerReply(url: url.text, status: 200, headers: headers)
  }

  /// Discards what was received: the next attempt begins with an empty partial file.
  mutating func forgetBytes() {
    record.resumeData?.held = ByteRangeSet()
    record.resumeData?.totalByteCount = nil
    record.resumeData?.validator = nil
    // Opening without a last write time truncates it to its durable bytes.
    record.resumeData?.lastWriteNanoseconds = nil
  }
}

extension TransferSpec {
  /// What goes beyond a plain GET; nil when nothing does.
  var content: RequestContent? {
    guard let request, !request.isPlainGET else { return nil }
    return request
  }
}
