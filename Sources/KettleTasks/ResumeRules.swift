import KettleModel

/// Decides whether an ended download has resume data: the request was a plain GET, the server sent
/// a validator, it did not refuse ranges, and bytes were received (Apple's documentation of
/// `cancel(byProducingResumeData:)`).
enum ResumeRules {
  static func allow(_ snapshot: TransferSnapshot, _ spec: TransferSpec) -> Bool {
    guard spec.task?.kind == .download, spec.request?.isPlainGET ?? true,
      snapshot.bytesReceived > 0, let reply = snapshot.task?.reply,
      (200..<300).contains(reply.status)
    else { return false }
    return (value("etag", reply) != nil || value("last-modified", reply) != nil)
      && value("accept-ranges", reply)?.lowercased() != "none"
  }

  private static func value(_ name: String, _ reply: ServerReply) -> String? {
    reply.headers.first { $0.name.lowercased() == name }?.value
  }
}
