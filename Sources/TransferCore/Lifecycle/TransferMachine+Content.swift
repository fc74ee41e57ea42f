import TransferModel

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

  /// Notes the head of a reply that brings the rest. The one that described the whole file stays:
  /// the length and the name of a piece are not those of the file.
  mutating func noteRestReply(_ head: ResponseHead, from url: TransferURL) {
    switch record.task?.reply?.status {
    case .some(let status) where (200..<300).contains(status) && status != 206: break
    case .some, nil: noteReply(head, from: url)
    }
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
