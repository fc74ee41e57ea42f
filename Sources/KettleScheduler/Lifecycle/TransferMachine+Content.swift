import KettleModel

/// What is asked with more than a plain GET, and what is wanted of the reply.
extension TransferMachine {
  /// Whether what an attempt brought is of use to the next one. What is not is never on record: the
  /// reply to a POST is another one each time, and the page that came with a status is no part of
  /// the file.
  var keepsBytes: Bool { record.spec.content == nil && takesFile }

  /// Whether the body that comes, or came, is the file and no page in its place.
  var takesFile: Bool {
    switch record.task?.reply?.status {
    case nil: true
    case .some(let status): (200..<300).contains(status)
    }
  }

  var acceptance: ReplyJudge.Acceptance {
    if record.spec.task != nil { return record.spec.directory == nil ? .any : .success }
    return record.spec.content == nil ? .file : .success
  }

  /// Notes the head for the program of a task.
  mutating func noteReply(_ head: ResponseHead, from url: TransferURL) {
    record.task?.reply = ServerReply(url: url.text, status: head.status, headers: head.headers)
  }

  /// Notes the head of a reply with the rest of the file. The program asked for the file and for no
  /// range, so it is shown the head that the whole would have had: the one before it, brought up to
  /// date (RFC 9110, section 15.3.7.3).
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

  /// What was received is thrown away: the next attempt begins with an empty partial file.
  mutating func forgetBytes() {
    record.resumeData?.held = HeldRanges()
    record.resumeData?.totalByteCount = nil
    record.resumeData?.validator = nil
    // Opened without a time of the last write, it is cut off where what is held ends.
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
